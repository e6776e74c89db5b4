"""Shapes of random traces: options of random-trace that follow from a seed."""
import random

EVERY_MODEL = "6DKMOPTV"


def shape_of(seed):
    """Options of random-trace, and those that both emulators take."""
    pick = random.Random(seed)
    others = [model for model in EVERY_MODEL if model != "O"]
    models = EVERY_MODEL if pick.random() < 0.4 else "O" + "".join(pick.sample(others, pick.randint(1, 3)))
    shape = {
        "seed": seed,
        "models": models,
        "looms": pick.randint(1, 4),
        "processes": pick.randint(1, 3),
        "threads": pick.randint(1, 3),
        "events": pick.choice([20, 40, 100]),
        "cpus": pick.randint(1, 4),
        "hosts": pick.randint(0, 2),
        "apps": pick.randint(1, 2),
        "ranks": pick.choice(["all", "none", "mixed"]),
        "marks": pick.randint(0, 5),
        "counters": pick.randint(0, 4),
        "ties-within": pick.choice([0, 33, 80]),
        "ties-between": pick.choice([0, 33, 80]),
        "can-breakdown": pick.choice(["all", "all", "some"]),
    }
    words = [f"--{name}={value}" for name, value in shape.items()]
    words += [f"--{flag}" for flag in ("equal-tids", "clock-offsets", "distinct", "crowded") if pick.random() < 0.25]
    # Workers that have a loom together share CPUs, or have their own.
    if "--crowded" in words and shape["cpus"] >= shape["processes"] and pick.random() < 0.5:
        words.append("--own-cpus")
    # Breakdowns of nosv need what only traces with nosv say.
    options = [option for option in ("-a", "-b") if pick.random() < 0.7]
    if len(options) == 2 and "V" not in models:
        options.remove("-a")
    return words, options
