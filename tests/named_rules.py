"""Rules that tests use: the sets that they go through, rules by their notation, and rules that others understand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from farkel.errors import SolveError
from farkel.rules import Rules, load, names
from farkel.rules.settings import ASIDE, READ, special, unknown
from farkel.rules.settings import settings as fields

CATALOGUE = (
    "original",
    "standard",
    "extended",
    "build-on",
    "guts-and-luck",
    "high-stakes",
    "renaissance",
    "cardgames",
    "facebook",
    "kcd",
    "minimal",
    "patch",
    "ten-thousand",
    "zilch",
)
"""The sets that rules and scores are tested with; what costs next to nothing is tested with all `names`."""
SPAN = ("original", "high-stakes", "zilch")
"""Three that set nearly every field that these set. The referee follows random games of all: see `test_invariants`."""
assert set(SPAN) < set(CATALOGUE) <= set(names())
SMALL = {
    "original": "original(target=10000, lives.each=3)",
    "facebook": "facebook(target=500, penalties.farkles_in_row_points=50)",
    "zilch": "zilch(target=300, penalties.farkles_in_row_points=50)",
}
"""Sets that are solved in seconds where the target alone does not make them small."""
NEAR = 1e-9
"""All forms of kernels calculate the same values within this. The tolerance of solving is 1e-10."""
ENTRY = ("extended", "build-on", "guts-and-luck", "high-stakes", "patch")


@cache
def rules_of(spec: str) -> Rules:
    """The rules of a notation, such as ``standard(target=5000)``, made once."""
    return load(spec)


def small(name: str) -> Rules:
    """The rule set with so low a target that it is solved at once."""
    return rules_of(SMALL.get(name) or f"{name}(target=1000{', entry=200' if name in ENTRY else ''})")


def rules_from(spec: Rules | str) -> Rules:
    return rules_of(spec) if isinstance(spec, str) else spec


def known_to(understood: frozenset[str], rules: Rules, values: Mapping[str, tuple[str, ...]] | None = None) -> Rules:
    """The rules with every field at its default, and without every table entry, that an interpreter does not know.

    values: those of other fields that are not known either; for the whole score as a fine there are 50 points.
    """
    tree = rules.model_dump()
    for name, value, default in fields(rules):
        strange, known = value in (values or {}).get(name, ()), name in understood | READ | ASIDE
        if strange or not known:
            *path, last = name.split(".")
            branch = tree
            for step in path:
                branch = branch[step]
            branch[last] = 50 if known and value == "all" else default
    for name, entry, _ in special(rules):
        if name not in understood:
            table, form = name.partition(".")[0], entry.partition(" = ")[0]
            tree[table].pop(form, None)
    left = Rules(**tree)
    assert unknown(left, understood) is None
    return left


def has_best_turn(rules: Rules) -> bool:
    """Whether the best turn can be calculated: not where fines add up to too many sums or a field is refused."""
    from farkel.solve import best_turn

    try:
        best_turn(rules)
    except SolveError as error:
        if error.code not in ("too_large", "too_many_fines") and error.code.split(".")[0] not in Rules.model_fields:
            raise
        return False
    return True
