"""House rules as data: `Rules`, the catalogue, reading and printing them, and the rule sheet."""

from farkel.rules.model import Lives, Penalties, Rules, TakeOver, contradictions
from farkel.rules.notation import (
    DEFAULT,
    allowed,
    changed,
    digests,
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
from farkel.rules.patterns import PatternError, pattern_of
from farkel.rules.sheet import Section, Sheet, scoring_rows, sheet
from farkel.rules.tables import Effect, Pays, Rolled, Scoring

__all__ = [
    "DEFAULT",
    "Effect",
    "Lives",
    "PatternError",
    "Pays",
    "Penalties",
    "Rolled",
    "Rules",
    "Scoring",
    "Section",
    "Sheet",
    "TakeOver",
    "allowed",
    "changed",
    "contradictions",
    "digests",
    "fields",
    "from_json",
    "from_toml",
    "load",
    "named",
    "names",
    "notation",
    "parse",
    "pattern_of",
    "scoring_rows",
    "sheet",
    "to_json",
    "to_lines",
    "to_toml",
    "validated",
]
