"""Values that come with Farkel: how far they are from solutions, what their decisions lose, and who uses them."""

from __future__ import annotations

import json
import logging
import random
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from farkel.errors import SolveError
from farkel.game import State, apply, legal_actions, new_game
from farkel.play import hints
from farkel.players import knowledge
from farkel.players.best_play import likeliest
from farkel.rules import Rules, load, names
from farkel.solve import Duel, duel
from farkel.terminal.cli import main
from farkel.values import LOOK, MOST_LOST, content, is_at_hand, is_kept, kept_names, packed, read_header, read_values
from farkel.values import duel as rounded
from farkel.values.files import ROUNDED
from farkel.values.places import FOLDER, SUFFIX
from games_in_words import on_turn
from named_rules import rules_of, small
from random_play import random_event

EXACT = 1e-8
"""What solutions, and what is calculated from them, may differ by."""
SMALL = (
    "berliner-macke(target=1000)",
    "build-on(target=1000)",
    "minimal(target=1000, penalties.farkles_in_row=2, penalties.farkles_in_row_points=100, penalties.below_zero=false)",
    "minimal(target=0, rounds=2)",
)
"""Without and with take-overs, with fines, and by leads alone."""


@pytest.fixture(autouse=True)
def _nothing_known(nothing_known: None) -> Iterator[None]:
    yield
    LOOK.clear()


@pytest.fixture
def kept() -> Callable[..., Duel]:
    """Solves rules, and keeps their values as if they had come with Farkel."""

    def keep(rules: Rules) -> Duel:
        solved = duel(rules)
        file = packed(solved)
        LOOK.append(lambda name: file if name == rules.name else None)
        return solved

    return keep


def hand_over(file: bytes) -> None:
    LOOK.append(lambda name: file)


def apart(solved: Duel, found: Duel) -> float:
    """By how much chances differ at the start of turns and of take-overs."""
    tables = [(solved.own, found.own)]
    if solved.compiled.board.price:
        places = product(*map(range, solved.takes.offers.slot.shape))
        tables += [(solved.takes.of(*place).values, found.takes.of(*place).values) for place in places]
    return float(max(abs(one - its) for mine, other in tables for one, its in zip(mine.flat, other.flat, strict=True)))


def decisions(rules: Rules, number: int) -> Iterator[State]:
    """Decisions between several actions, in random games."""
    chance, state = random.Random(rules.digest), new_game(rules)
    while number:
        if state.over:
            state = new_game(rules)
        if not state.dice_due and len(legal_actions(state)) > 1:
            number -= 1
            yield state
        state = apply(state, random_event(state, chance))


def lost(solved: Duel, found: Duel, state: State) -> float:
    """What the decision by one of them loses by the other."""
    taken = apply(state, likeliest(found, knowledge.turn(state.rules), state))
    return float(solved.chances(state)[state.seat] - solved.chances(taken)[state.seat])


# How far they are off ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SMALL)
def test_no_decision_loses_more_than_a_hundredth_of_a_percentage_point(spec: str, kept: Callable[..., Duel]) -> None:
    rules = rules_of(spec)
    solved, found = kept(rules), rounded(rules)
    assert found is not None
    assert apart(solved, found) <= ROUNDED + EXACT
    assert max(lost(solved, found, state) for state in decisions(rules, 60)) <= MOST_LOST + EXACT < 1e-4


@pytest.mark.slow
def test_no_decision_of_a_whole_game_with_take_overs_loses_more() -> None:
    rules = load("build-on")
    solved, found = duel(rules), rounded(rules)
    assert found is not None
    assert apart(solved, found) <= ROUNDED + EXACT
    assert max(lost(solved, found, state) for state in decisions(rules, 300)) <= MOST_LOST + EXACT


@given(st.lists(st.floats(0.0, 1.0), min_size=24, max_size=24))
def test_any_chances_come_back_as_they_were_but_for_rounding(chances: list[float]) -> None:
    rules = rules_of("minimal(target=200)")
    solved = duel(rules)
    for place in range(solved.own.size):
        solved.own.flat[place] = chances[place % len(chances)]
    _, found = read_values("minimal", packed(solved), rules, solved.own.shape)
    assert max(abs(one - other) for one, other in zip(found.flat, solved.own.flat, strict=True)) <= ROUNDED


def test_they_say_how_exact_they_are_and_who_begins_wins_exactly(kept: Callable[..., Duel]) -> None:
    rules = rules_of("berliner-macke(target=1000)")
    solved, found = kept(rules), rounded(rules)
    assert found is not None
    assert found.residual == solved.residual + ROUNDED
    assert (found.first_player_wins, found.states) == (solved.first_player_wins, solved.states)
    assert found.path is None


def test_values_are_not_kept_if_their_rounding_may_cost_more() -> None:
    with pytest.raises(SolveError, match="not kept in short numbers") as error:
        packed(duel(rules_of("original(target=600)")))
    assert error.value.code == "not_kept"


# Files ---------------------------------------------------------------------------------------------------------------


def test_those_that_come_with_farkel_are_of_the_rules_that_are_here() -> None:
    assert kept_names()
    for name in kept_names():
        file = content(name)
        assert file is not None
        header = read_header(name, file, load(name))
        assert header["residual"] < EXACT
    assert {*kept_names()} <= {*names()}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 20_000_000


def test_a_file_that_is_damaged_anywhere_is_named_and_the_game_counts_as_not_solved(
    kept: Callable[..., Duel], caplog: pytest.LogCaptureFixture
) -> None:
    rules = rules_of("minimal(target=500)")
    file = packed(kept(rules))
    assert is_kept(rules)
    for at in range(0, len(file), 7):
        damaged = bytearray(file)
        damaged[at] ^= 4
        hand_over(bytes(damaged))
        assert not is_kept(rules)
        assert rounded(rules) is None
    for cut in (b"", file[:40], file[:-1], file + b"x", b"[" * 100_000, b"[]\n", b"3\n" + file):
        hand_over(cut)
        assert not is_kept(rules)
    assert all("minimal.values" in record.message for record in caplog.records)
    assert caplog.records[0].levelno == logging.WARNING
    assert knowledge.duel(rules).residual < EXACT


def test_a_file_of_other_rules_is_not_theirs(kept: Callable[..., Duel], caplog: pytest.LogCaptureFixture) -> None:
    kept(rules_of("minimal(target=500)"))
    assert not is_kept(rules_of("minimal(target=550)"))
    assert not caplog.records


@pytest.mark.parametrize("size", [1, 1_000, 100_000_000])
def test_numbers_that_are_too_few_or_too_many_are_refused_unread(size: int) -> None:
    rules = rules_of("minimal(target=500)")
    solved = duel(rules)
    header = json.loads(packed(solved).partition(b"\n")[0])
    del header["check"]
    body = zlib.compress(bytes(size), 9)
    check = zlib.crc32(body, zlib.crc32(json.dumps(header).encode()))
    hand_over(json.dumps(header | {"check": check}).encode() + b"\n" + body)
    assert is_kept(rules)
    assert rounded(rules) is None


# Who uses them -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["facebook", "smart-box", "zilch"])
def test_sets_that_take_minutes_have_winning_chances_at_once(name: str) -> None:
    rules = load(name)
    assert is_at_hand(rules)
    assert knowledge.too_long(rules, (1, 1)) == ""
    assert "farkel solve" in knowledge.too_long(rules, (1, 1), rounded=False)
    consulted = hints.consult(rules, (1, 1))
    assert consulted.chances is not None
    assert consulted.missing == ""
    assert knowledge.has_chances(rules, (1, 1))


def test_advise_uses_them() -> None:
    done = CliRunner().invoke(
        main, ["advise", "--rules", "facebook", "--scores", "4500,6200", "--turn", "350", "--roll", "152233", "--json"]
    )
    assert json.loads(done.stdout)["exact"]


def test_what_take_overs_are_worth_takes_seconds_and_is_not_calculated_unasked(kept: Callable[..., Duel]) -> None:
    rules = small("build-on")
    kept(rules)
    Path(duel(rules).path or "").unlink()
    assert not is_at_hand(rules)
    assert hints.consult(rules, (1, 1)).solvable
    hints.solve(rules, (1, 1), lambda done, of: None)
    chances = hints.consult(rules, (1, 1)).chances
    assert isinstance(chances, Duel)
    assert chances.residual > ROUNDED


def test_a_stored_solution_goes_first(kept: Callable[..., Duel]) -> None:
    rules = rules_of("berliner-macke(target=1000)")
    solved = kept(rules)
    assert solved.path is not None
    assert knowledge.duel(rules).residual == solved.residual
    knowledge._duels.clear()
    solved.path.unlink()
    assert knowledge.duel(rules).residual > ROUNDED
    assert knowledge.solution(rules).residual < EXACT


def test_a_program_may_hand_them_over_and_is_asked_by_the_name_of_the_set() -> None:
    asked, rules = list[str](), load("facebook")
    file = (FOLDER / f"facebook{SUFFIX}").read_bytes()

    def look(name: str) -> bytes | None:
        asked.append(name)
        return file

    LOOK.append(look)
    state = on_turn(rules, 4_000, 5_000)
    assert sum(knowledge.quick_chances(rules, (1, 1)).chances(state)) == pytest.approx(1.0)
    assert {*asked} == {"facebook"}


def test_in_a_page_nobody_is_told_to_type_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.players.knowledge.has_threads", lambda: False)
    assert hints.consult(load("original"), (1, 1)).missing == (
        "There are no winning chances yet: original has 5,760,000 positions, which take too long to solve "
        "in a browser; hints and bot:turn go by expected points."
    )
