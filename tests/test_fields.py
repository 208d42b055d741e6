"""The solver declares which fields of the rules it understands, and refuses the others aloud."""

from __future__ import annotations

import pytest

from farkel.errors import SolveError
from farkel.game import law
from farkel.game.terms import Terms
from farkel.rules import Rules
from farkel.solve import best_turn, positions
from farkel.solve import fields as declared
from farkel.solve.board import compile_board
from farkel.solve.program import program
from helpers import rules_of


def test_every_field_is_understood_or_refused() -> None:
    names = {name for name, _, _ in declared.fields(Rules())}
    assert names >= declared.UNDERSTOOD | declared.ASIDE
    assert all(any(name.startswith(read) for name in names) for read in declared.READ)
    assert not declared.UNDERSTOOD & declared.ASIDE
    assert {name for name in names if not declared.understood(name)} == set()


@pytest.mark.parametrize(
    ("field", "spec"),
    [("minimum", "minimal(minimum=300)"), ("lives.farkle", "original"), ("finish", "standard(finish=exact)")],
)
def test_a_field_that_is_not_understood_is_refused_with_its_name(
    field: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = rules_of(spec)
    monkeypatch.setattr(declared, "UNDERSTOOD", declared.UNDERSTOOD - {field})
    program.cache_clear()
    for ask in (compile_board, positions, program):
        with pytest.raises(SolveError, match=f"^{field} = ") as raised:
            ask(rules)
        assert raised.value.code == field
    positions(rules_of("standard"))


def test_banks_that_are_refused_above_ones_that_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a bank had to be a multiple of the minimum: the best turn knows it, winning chances are refused by name."""
    rules = rules_of("minimal(minimum=300, target=1500)")

    def why_not_total(terms: Terms, mine: law.Read, total: int) -> int:
        return law.MAY if total and total % max(1, terms.minimum) == 0 else law.Why.BELOW_MINIMUM

    usual = best_turn(rules).expected_points
    monkeypatch.setattr(law, "why_not_total", why_not_total)
    with pytest.raises(SolveError, match=r"^minimum: ") as raised:
        compile_board(rules)
    assert raised.value.code == "minimum"
    best_turn.cache_clear()
    assert 0 < best_turn(rules).expected_points < usual
    best_turn.cache_clear()
