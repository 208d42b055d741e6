"""What the solver asks the law, at moments where the answer is easily another one than was asked for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from farkel.errors import SolveError
from farkel.game import law
from farkel.game.law import ReadSeats
from farkel.game.law.terms import Terms
from farkel.kernels.arrays import array
from farkel.solve.compiled_game import Beyond, Board, Compiled, Stage, compile_board, deciding, positions
from farkel.solve.compiled_turn import units
from farkel.solve.turn_ends import Position, Sides, overshot, turns_over
from named_rules import rules_of

LIVES = "lives.each=3, lives.farkle=1, lives.round_points=400"


def of_modes(compiled: Compiled) -> list[list[int]]:
    board: Board = compiled.board
    found = (board.after_bank, board.after_over, board.after_farkle, board.penalty, board.paid, board.entering)
    return [each.flat.tolist() for each in found]


@pytest.mark.parametrize(
    "spec",
    [
        f"standard(target=1000, entry=200, {LIVES})",
        f"guts-and-luck(target=1000, take_over.price=lives, {LIVES})",
        "zilch(target=1000)",
        "standard(target=1000, finish=welfare, entry=200, penalties.farkle_all_dice=100)",
        "standard(target=1000, teams=partners, entry=200, entry_each=true)",
    ],
)
def test_modes_are_not_asked_in_a_turn_that_ends_the_game(spec: str) -> None:
    without = compile_board(rules_of(spec), 2)
    for rounds in (1, 2):
        counted = compile_board(rules_of(f"{spec[:-1]}, rounds={rounds})"), 2)
        assert counted.modes == without.modes
        assert of_modes(counted) == of_modes(without)


def test_S1_turns_follow_each_other_as_the_law_says() -> None:
    counted = compile_board(rules_of("standard(target=1000, rounds=2)"))
    assert counted.stages == (Stage(1, True), Stage(1, False), Stage(2, True), Stage(2, False))
    assert counted.board.next_stage.tolist() == [0, 0, 1, 2]
    assert counted.board.ends.tolist() == [True, False, False, False]
    assert counted.stage(2, second=False) == counted.first[0] == 3
    equal = compile_board(rules_of("standard(target=1000, finish=equal_turns)"))
    assert equal.stages == (Stage(0, False), Stage(0, True))
    assert equal.board.beyond.tolist() == [Beyond.CHASED, Beyond.WINS]
    assert equal.board.next_stage.tolist() == [1, 0]
    for finish in ("at_once", "last_turns", "exact", "welfare"):
        assert compile_board(rules_of(f"standard(target=1000, finish={finish})")).stages == (Stage(0, False),)


@pytest.mark.parametrize(
    ("finish", "shares"), [("at_once", False), ("last_turns", False), ("equal_turns", True), ("exact", False)]
)
def test_D1_equal_scores_share_the_win_only_without_a_first(finish: str, shares: bool) -> None:
    for rounds in (0, 1, 2):
        board = compile_board(rules_of(f"standard(target=1000, finish={finish}, rounds={rounds})")).board
        assert board.shares == shares
        assert [turns_over(board.over, score, 5)[0] for score in (4, 5, 6)] == [0.0, 0.5, 1.0]


def test_L5_a_partner_counts_although_a_bank_may_end_the_game_before_the_turn_passes() -> None:
    spec = "standard(target=1000, finish=at_once, teams=partners, entry=200"
    assert deciding(rules_of(f"{spec})"), 2) == 1
    each = rules_of(f"{spec}, entry_each=true)")
    assert deciding(each, 2) == 2
    compiled = compile_board(each, 2)
    after = [compiled.modes[to] for to in compiled.board.after_bank]
    assert [(mode.person, mode.entered) for mode in after] == [
        (1, 1), (1, 1), (1, -1), (1, -1), (0, 2), (0, -1), (0, 2), (0, -1)
    ]  # fmt: skip


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_O20_the_last_player_standing_plays_on_or_wins(rounds: int) -> None:
    spec = f"standard(target=1000, rounds={rounds}, {LIVES}"
    plays_on = compile_board(rules_of(f"{spec})")).board
    assert plays_on.pairs
    assert plays_on.standing[0] == 3
    wins = compile_board(rules_of(f"{spec}, lives.last_standing=wins)")).board
    assert not wins.pairs
    assert not wins.standing.any()


def test_a_game_that_is_over_when_one_is_out_may_have_no_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(terms: Terms, mine: law.Read, now: law.Read) -> int:
        return 0

    monkeypatch.setattr(law, "rounds_standing", none)
    board = compile_board(rules_of(f"standard(target=1000, {LIVES})")).board
    assert board.pairs
    assert not board.standing.any()


def test_a_seat_that_the_solver_has_no_place_for_is_not_taken_to_be_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def pass_on(terms: Terms, seats: law.Seats, now: law.Row, points: int, left: int) -> None:
        seats[now[law.SEAT]][law.FARKLES] = 7
        passing(terms, seats, now, points, left)

    passing = law.pass_on
    for module in (law, law.between_turns, law.turn):
        monkeypatch.setattr(module, "pass_on", pass_on)
    with pytest.raises(SolveError, match="no seat of this game") as raised:
        compile_board(rules_of("standard(target=1000)"))
    assert raised.value.code == "no_such_position"


def test_the_winner_when_turns_are_over_is_the_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the lowest score won, and the second seat among equal ones."""

    def winners(terms: Terms, seats: ReadSeats, now: law.Read) -> int:
        return 0b01 if seats[0][law.SCORE] < seats[1][law.SCORE] else 0b10

    monkeypatch.setattr(law, "winners", winners)
    board = compile_board(rules_of("standard(target=1000, rounds=3)")).board
    assert [turns_over(board.over, score, 5)[0] for score in (4, 5, 6)] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("finish", ["exact", "welfare"])
def test_X_excess_over_an_exact_target_is_given_as_the_law_says(finish: str) -> None:
    rules = rules_of(f"standard(target=500, finish={finish})")
    compiled = compile_board(rules)
    board, n = compiled.board, compiled.board.scores
    # Each position is worth a number of its own, so that what a bank leads to can be told.
    own = array(range(n * n)).reshape(1, 1, 1, n, n)
    sides: Sides = SimpleNamespace(board=board, solved=SimpleNamespace(own=own))  # type: ignore[assignment]
    for score in range(n):
        for others in range(n):
            for over in range(1, 2 * n):
                seats, now = [[0] * law.SEAT_ROW for _ in range(2)], [0] * law.NOW
                law.deal(units(rules), seats, now, (1, 1))
                law.begin(units(rules), seats, now, 0)
                seats[0][law.SCORE], seats[1][law.SCORE] = score, others
                law.bank_total(units(rules), seats, now, n - score + over, 0)
                _, its = overshot(sides, Position(0, 0, 0, score, others), over)
                if now[law.PHASE] == law.OVER:
                    assert (now[law.WINNERS], its) == (0b10, 1.0)
                else:
                    assert its == own[0, 0, 0, seats[1][law.SCORE], seats[0][law.SCORE]]


@pytest.mark.parametrize("rounds", [1, 7, 1000])
def test_positions_are_counted_as_they_are_compiled(rounds: int) -> None:
    rules = rules_of(f"standard(target=1000, entry=200, entry_each=true, teams=partners, rounds={rounds})")
    assert positions(rules, 2) == 2 * rounds * (2 * 4) ** 2 * 20**2
