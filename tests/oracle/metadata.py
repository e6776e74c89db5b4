"""Metadata of a stream: JSON as the tools read it (comments allowed, repeated keys refused, all numbers
doubles), dot paths, and version strings."""

import json
import re
import sys

from errors import Rejected

MAX_NESTING = 2048
sys.setrecursionlimit(4 * MAX_NESTING)
VERSION = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)([.-].*)?", re.DOTALL)
STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*', re.DOTALL)


def parse(data, path):
    text = STRING_OR_COMMENT.sub(lambda match: match.group(1) or " ", data.decode("utf-8", "surrogateescape"))
    if nesting(text) > MAX_NESTING:
        raise Rejected(f"{path}: nested too deeply")
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")  # refuses half a pair
    except (ValueError, RecursionError) as error:
        raise Rejected(f"{path}: {error}") from None
    if not isinstance(value, dict):
        raise Rejected(f"{path}: not an object")
    return value


def nesting(text):
    depth = deepest = 0
    for bracket in re.findall(r'"(?:\\.|[^"\\])*"|[][{}]', text, re.DOTALL):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in "]}":
            depth -= 1
    return deepest


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("repeated key")
    return members


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def find(value, path):
    """The value at a dot path, None where a component is missing."""
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def integer(value):
    """Truncated toward zero; what is not a number reads as 0."""
    try:
        return int(float(value)) if is_number(value) else 0
    except OverflowError:
        raise Rejected(f"number {value} out of range") from None


def parse_version(text):
    match = VERSION.fullmatch(text)
    if match is None or len(text.encode("utf-8", "surrogateescape")) > 63:
        raise Rejected(f"cannot parse version '{text}'")
    return tuple(int(number) for number in match.groups()[:3])
