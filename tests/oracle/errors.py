"""The one exception of the oracle: the reference rejects this trace, and why."""


class Rejected(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Rejected(message)
