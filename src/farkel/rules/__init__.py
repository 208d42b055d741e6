"""House rules as data: `Rules`, the catalogue, reading and printing them, and the rule sheet."""

from farkel.rules.model import Lives, Penalties, Rules, Scoring, TakeOver, contradictions
from farkel.rules.notation import (
    DEFAULT,
    allowed,
    changed,
    fields,
    from_json,
    from_toml,
    load,
    named,
    names,
    notation,
    parse,
    to_json,
    to_toml,
    validated,
)

__all__ = [
    "DEFAULT",
    "Lives",
    "Penalties",
    "Rules",
    "Scoring",
    "TakeOver",
    "allowed",
    "changed",
    "contradictions",
    "fields",
    "from_json",
    "from_toml",
    "load",
    "named",
    "names",
    "notation",
    "parse",
    "to_json",
    "to_toml",
    "validated",
]
