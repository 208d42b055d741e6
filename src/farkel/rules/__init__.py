"""House rules as data: `Rules`, the catalogue, reading and printing them, and the rule sheet."""

from typing import TYPE_CHECKING

from farkel.rules.as_text import (
    DEFAULT,
    AnyRules,
    Variation,
    allowed,
    as_rules,
    changed,
    explained,
    fields,
    from_json,
    from_toml,
    is_file,
    load,
    named,
    notation,
    parse,
    to_json,
    to_lines,
    to_toml,
    validated,
    variations,
)
from farkel.rules.catalogue_files import LANGUAGES, Entry, OwnWords, entry, families, farkle_word, names
from farkel.rules.clashes import contradictions
from farkel.rules.model import CatchingUp, Lives, Penalties, Rules, TakingOver
from farkel.rules.pattern_tables import Effect, Pays, Rolled, Scoring
from farkel.rules.patterns import PatternError, pattern_of
from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.rules.finding import Found, search
    from farkel.rules.sheets.scoring_table import scoring_rows
    from farkel.rules.sheets.whole import Section, Sheet, sheet
else:
    __getattr__, __dir__ = offers(__name__)


def _html(rules: Rules) -> str:
    """Return the rule sheet, as notebooks show rules."""
    from farkel.rules.sheets.whole import sheet

    return sheet(rules)._repr_html_()


Rules._repr_html_ = _html  # type: ignore[attr-defined]

__all__ = [
    "DEFAULT",
    "LANGUAGES",
    "AnyRules",
    "CatchingUp",
    "Effect",
    "Entry",
    "Found",
    "Lives",
    "OwnWords",
    "PatternError",
    "Pays",
    "Penalties",
    "Rolled",
    "Rules",
    "Scoring",
    "Section",
    "Sheet",
    "TakingOver",
    "Variation",
    "allowed",
    "as_rules",
    "changed",
    "contradictions",
    "entry",
    "explained",
    "families",
    "farkle_word",
    "fields",
    "from_json",
    "from_toml",
    "is_file",
    "load",
    "named",
    "names",
    "notation",
    "parse",
    "pattern_of",
    "scoring_rows",
    "search",
    "sheet",
    "to_json",
    "to_lines",
    "to_toml",
    "validated",
    "variations",
]
