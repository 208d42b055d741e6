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
    to_lines,
    to_toml,
    validated,
)
from farkel.rules.sheet import Section, Sheet, scoring_rows, sheet

__all__ = [
    "DEFAULT",
    "Lives",
    "Penalties",
    "Rules",
    "Scoring",
    "Section",
    "Sheet",
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
    "scoring_rows",
    "sheet",
    "to_json",
    "to_lines",
    "to_toml",
    "validated",
]
