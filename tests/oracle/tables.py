"""The event models as data: channels and events of models.json."""

import json
import os
from dataclasses import dataclass, field

from channels import ALLOW_DUP, ERROR_DUP
from metadata import parse_version

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models.json")


@dataclass
class ChannelSpec:
    name: str
    kind: str
    prv_type: int
    flags: list
    duplicates: int
    thread_track: str
    title_thread: str
    title_cpu: str
    values: list = field(default_factory=list)
    initial: int = None
    cpu_default: int = None
    task_types: bool = False


@dataclass
class ModelSpec:
    id: str
    name: str
    version: tuple
    channels: list
    events: dict  # mcv -> row of models.json


def channel_spec(row):
    return ChannelSpec(
        name=row["name"],
        kind=row["kind"],
        prv_type=row["prv_type"],
        flags=row["prv_flags"],
        duplicates=ALLOW_DUP if row["allow_dup"] else ERROR_DUP,
        thread_track=row["thread_track"],
        title_thread=row["pcf_title_thread"],
        title_cpu=row["pcf_title_cpu"],
        values=row["values"],
        initial=row.get("initial"),
        cpu_default=row.get("cpu_default_when_no_running_thread"),
        task_types=row.get("dynamic_values") == "task_types",
    )


def load():
    with open(PATH, encoding="utf-8") as file:
        models = json.load(file)["models"]
    return [
        ModelSpec(
            id=model["id"],
            name=model["name"],
            version=parse_version(model["version"]),
            channels=[channel_spec(row) for row in model["channels"]],
            events={row["mcv"]: row for row in model["events"] + model.get("undeclared_events", [])},
        )
        for model in sorted(models, key=lambda model: model["id"])
    ]


MODELS = load()
EXTRA_FLAGS = {"mark": ["SKIPDUPNULL"], "counter": ["SKIPDUPNULL", "ZERO"]}
BREAKDOWN_FLAGS = ["SKIPDUP", "ZERO"]
