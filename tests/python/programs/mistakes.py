"""Mistakes in arguments are ValueErrors, traced or not; a function keeps its name, results and exceptions."""
import ovni

mistakes = [
    lambda: ovni.region(""),
    lambda: ovni.region("x" * 128),
    lambda: ovni.region("two\nlines"),
    lambda: ovni.region(7),
    lambda: ovni.Mark(98, "taken"),
    lambda: ovni.Mark(-1, "below"),
    lambda: ovni.Mark(1, "kind", kind=3),
    lambda: ovni.Mark(1, "label", {0: "none"}),
    lambda: ovni.Mark(1, "values").push(0),
    lambda: ovni.Mark(1, "values").set(1),
    lambda: ovni.Mark(1, "values", kind=ovni.VALUE).push(1),
]
for number, mistake in enumerate(mistakes):
    try:
        mistake()
    except ValueError:
        continue
    raise SystemExit(f"mistake {number} was accepted")


@ovni.region("fails")
def fails(what):
    """Raises it."""
    raise what


try:
    fails(KeyError("kept"))
    raise SystemExit("no exception")
except KeyError:
    pass
assert fails.__name__ == "fails" and fails.__doc__ == "Raises it."


@ovni.region
def power(base, exponent=2):
    return base if exponent == 1 else base * power(base, exponent - 1)


assert power(3, exponent=4) == 81
assert ovni._label_value(b"a") == 2068372317
assert ovni._label_value(b"abcdefghijkl") == 1721602274
assert ovni._label_value(b"a longer label with more than twelve bytes") == 1719767073
print("fine")
