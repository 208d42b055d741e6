"""The solver and the coach declare which fields of the rules they understand, and refuse the others aloud."""

from __future__ import annotations

from typing import Any, cast

import pytest

from farkel.coach import Doubt, PositionError, doubts, position
from farkel.coach import fields as coached
from farkel.coach.chart import make_card
from farkel.errors import SolveError
from farkel.game import Note, law, new_game
from farkel.game.law.terms import Terms
from farkel.game.scoring import score_table
from farkel.rules import Rules
from farkel.rules.settings import ASIDE, READ, SPECIAL, settings
from farkel.solve import best_turn, check_trio, points, positions
from farkel.solve import fields as declared
from farkel.solve.compiled_game import compile_board
from farkel.solve.compiled_turn import program
from named_rules import rules_of


@pytest.mark.parametrize(
    "declarations",
    [
        (declared.UNDERSTOOD, declared.IN_A_TURN, declared.IN_A_GAME, ASIDE, READ),
        (coached.UNDERSTOOD, coached.IN_A_TURN, ASIDE, READ),
    ],
    ids=["solver", "coach"],
)
def test_what_is_understood_is_a_field_declared_once(declarations: tuple[frozenset[str], ...]) -> None:
    understood = set().union(*declarations)
    assert understood < {one.name for one in settings(Rules())} | SPECIAL
    assert len(understood) == sum(map(len, declarations))


def test_banks_that_must_be_multiples_are_solved_in_a_turn_and_refused_by_name_in_a_game() -> None:
    rules = rules_of("minimal(bank_multiple=500)")
    for ask in (compile_board, positions):
        with pytest.raises(SolveError, match=r"^bank_multiple = 500 is not solved: set bank_multiple=0") as raised:
            ask(rules)
        assert raised.value.code == "bank_multiple"
    turn = best_turn(rules)
    assert 0 < turn.expected_points < best_turn(rules_of("minimal")).expected_points
    assert {points % 500 for points in turn.bank_at.values() if points is not None} == {0}


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
    with pytest.raises(SolveError, match=r"^minimum = 300: ") as raised:
        compile_board(rules)
    assert raised.value.code == "minimum"
    points._best_turn.cache_clear()
    assert 0 < best_turn(rules).expected_points < usual
    points._best_turn.cache_clear()


@pytest.mark.parametrize(
    ("field", "spec"),
    [
        ("penalties.farkle_first_roll", "minimal(penalties.farkle_first_roll=all)"),
        ("penalties.turn_total", "minimal(penalties.turn_total=kept)"),
        ("penalties.farkle", "minimal(penalties.farkle=all)"),
        ("penalties.farkle_all_dice", "minimal(penalties.farkle_all_dice=all)"),
    ],
)
def test_rules_beyond_turn_totals_are_refused_by_name_and_not_doubted(field: str, spec: str) -> None:
    rules = rules_of(spec)
    refused = (compile_board, positions, program) if field == "penalties.turn_total" else ()
    for ask in (best_turn, *refused):
        with pytest.raises(SolveError, match=f"^{field} = .* is not solved: set {field}=") as raised:
            ask(rules)
        assert raised.value.code == field
    with pytest.raises(PositionError, match=f"^{field} = "):
        position(rules, scores=(0, 0))
    assert doubts(new_game(rules), Note(50, 5)) == ()


@pytest.mark.parametrize(
    ("field", "spec"),
    [
        ("missed_target", "minimal(finish=exact, target=1000, missed_target=1500)"),
        ("cancel_win", "minimal(finish=exact, target=1000, cancel_win=true)"),
        ("extend", "minimal(extend=double)"),
        ("scoring.after_set", 'minimal(scoring.66={points=200, when="after_set"})'),
    ],
)
def test_unsupported_fields_are_refused_by_name_in_games_and_turns(field: str, spec: str) -> None:
    for ask in (compile_board, positions, program):
        with pytest.raises(SolveError, match=r" is not solved: ") as raised:
            ask(rules_of(spec))
        assert raised.value.code == field


@pytest.mark.parametrize(
    ("field", "spec"),
    [
        ("rolled.win", "minimal(rolled.111=win)"),
        ("rolled.lose", "minimal(rolled.66=lose)"),
        ("rolled.zero", "minimal(rolled.66=zero)"),
        ("scoring.win", "minimal(scoring.333=win)"),
    ],
)
def test_dice_that_end_the_game_are_solved_in_games_and_refused_by_name_in_a_turn(field: str, spec: str) -> None:
    rules = rules_of(spec)
    assert positions(rules) > 0
    with pytest.raises(SolveError, match=r" is not solved: ") as raised:
        best_turn(rules)
    assert raised.value.code == field
    with pytest.raises(SolveError, match="not solved for three seats") as raised:
        check_trio(rules)
    assert raised.value.code == field


@pytest.mark.parametrize(
    ("spec", "field", "blamed"),
    [
        ("minimal(zones='300-350 never', target=600)", "zones", 'zones = "300-350 never"'),
        ("minimal(rolled.333=-100)", "rolled.333", "rolled.333 = -100"),
        ("minimal(rolled.2222=win)", "rolled.win", 'rolled.2222 = "win"'),
        ("minimal(finish=exact, entry=200)", "finish", 'finish = "exact" together with entry = 200'),
        ("minimal(lives.each=3, lives.farkle=1)", "lives.each", "lives.each = 3"),
        ("build-on", "take_over.price", 'take_over.price = "free"'),
        ("original", "rules", "these rules"),
    ],
)
def test_games_of_three_blame_what_is_in_the_way_as_it_is_written(spec: str, field: str, blamed: str) -> None:
    with pytest.raises(SolveError) as raised:
        check_trio(rules_of(spec))
    assert raised.value.code == field
    assert raised.value.message.startswith(f"{blamed}: not solved for three seats")


@pytest.mark.parametrize(
    "spec",
    [
        "minimal(penalties.farkle=100, penalties.farkle_all_dice=all)",
        "minimal(rolled.66=zero, target=0, rounds=3)",
    ],
)
def test_a_whole_score_is_lost_only_with_a_target_and_a_floor_of_zero(spec: str) -> None:
    with pytest.raises(SolveError, match="losing the whole score") as raised:
        compile_board(rules_of(spec))
    assert raised.value.code == "penalties"


def test_fewest_rounds_are_refused_with_take_overs() -> None:
    with pytest.raises(SolveError, match="take-overs") as raised:
        compile_board(rules_of("minimal(finish=fewest_rounds, take_over.price=free)"))
    assert raised.value.code == "finish"


@pytest.mark.parametrize(
    "spec",
    [
        "minimal(target=1000, zones='500 zero')",
        "minimal(target=1000, zones='800-950 barrel tries 2 fine 100')",
        "minimal(target=1000, finish=last_turns, zones='200-300 leave')",
    ],
)
def test_zones_that_move_scores_or_meet_last_turns_are_refused(spec: str) -> None:
    for ask in (compile_board, positions):
        with pytest.raises(SolveError, match="zones") as raised:
            ask(rules_of(spec))
        assert raised.value.code == "zones"


def test_a_penalty_for_the_first_roll_lowers_the_best_turn_by_its_price() -> None:
    rules = rules_of("minimal(dice=5, penalties.farkle_first_roll=100)")
    price = 100 * float(score_table(rules).farkles(5))
    assert best_turn(rules).expected_points == pytest.approx(
        best_turn(rules_of("minimal(dice=5)")).expected_points - price, abs=1e-6
    )
    with pytest.raises(SolveError, match="not solved together with take-overs"):
        compile_board(rules_of("minimal(penalties.farkle_first_roll=100, take_over.price=free)"))


def test_losses_of_others_are_refused_in_games_and_ignored_in_turns() -> None:
    rules = rules_of("minimal(catching_up.overtaken=50, catching_up.landed_on=back)")
    with pytest.raises(SolveError, match=r'^catching_up.landed_on = "back" is not solved'):
        compile_board(rules)
    assert best_turn(rules).expected_points == best_turn(rules_of("minimal")).expected_points


def test_positions_and_cards_refuse_and_doubts_doubt_a_field_that_the_coach_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = rules_of("minimal(lives.each=3, lives.farkle=1)")
    note, nobody = Note(50, 5), cast("Any", None)
    assert doubts(new_game(rules), note) == ()
    monkeypatch.setattr(coached, "UNDERSTOOD", coached.UNDERSTOOD - {"lives.farkle"})
    coached.strange.cache_clear()
    for ask in (lambda: position(rules, scores=(0, 0)), lambda: make_card(rules, nobody, nobody, {})):
        with pytest.raises(PositionError, match=r"^lives.farkle = 1 is not known to the coach") as raised:
            ask()
        assert raised.value.code == "lives.farkle"
    doubt = Doubt("not_known", "with lives.farkle = 1 nobody can tell whether dice do that")
    assert doubts(new_game(rules), note) == (doubt,)
    assert position(rules_of("minimal"), scores=(0, 0)).points == 0
    coached.strange.cache_clear()
