"""Every kind of fact comes up in play, and is told in words."""

from __future__ import annotations

import random
from itertools import product
from typing import get_args

import pytest

from farkel.errors import PlayerError
from farkel.game import (
    Keep,
    Leave,
    Note,
    Phase,
    Reason,
    State,
    TakeOver,
    Then,
    Throw,
    apply,
    chance_outcomes,
    legal_actions,
    new_game,
)
from farkel.game.story import Fact, Kind, ending, facts, tell
from farkel.rules import Rules, load

NAMES = ("Ann", "Ben", "Cy")

GAMES = {
    "original": load("original", ["target=20_000"]),
    "extended": load("extended", ["target=2_000"]),
    "stake": load("high-stakes", ["target=3_000", "take_over.price=stake", "take_over.stake=500", "entry=0",
                                  "take_over.toward_entry=true", "entry_each=false"]),
    "fines": load("renaissance", ["rolled.333=-300", "target=3_000", "penalties.farkle_all_dice=100",
                                  "penalties.farkles_in_row=2", "penalties.farkles_in_row_points=200"]),
    "fallen": load("standard", ["entry=500", "entry_again=below_entry", "target=3_000", "penalties.farkle=200"]),
    "costs": load("standard", ["rolled.333=-300", "target=3_000", "penalties.fines_from=turn"]),
    "equal": load("standard", ["finish=equal_turns", "target=2_000"]),
    "exact": load("kcd", ["finish=exact", "target=1_000"]),
    "missed": load("kcd", ["finish=exact", "target=500", "missed_target=800", "cancel_win=true", "rolled.22=again"]),
    "rows": load("standard", ["turns_in_row=2", "target=500"]),
    "hits": load("kcd", ["finish=exact", "target=500", "exact_hit=round"]),
    "welfare": load("kcd", ["finish=welfare", "target=1_000"]),
    "rounds": load("kcd", ["rounds=3", "target=0"]),
    "kept": load("kcd", ["penalties.turn_total=kept", "target=1_000", "last_die_tries=2",
                         "scoring.23456={points=750, missing=2}"]),
    "caught": load("kcd", ["catching_up.landed_on=to_zero", "catching_up.overtaken=50", "target=2_000"]),
    "passed": load("kcd", ["finish=last_turns", "last_turns_again=passed", "target=500"]),
    "beaten": load("kcd", ["finish=last_turns", "last_turns_again=beaten", "target=500"]),
    "play-off": load("kcd", ["rounds=2", "target=0", "ties=play_off"]),
    "fewest": load("kcd", ["finish=fewest_rounds", "target=500"]),
    "effects": load("kcd", ["rolled.2222=win", "rolled.333=lose", "rolled.444=zero", "rolled.55=100", "target=3_000",
                            "scoring.111=win", 'scoring.666={ points = 600, then = "roll" }']),
    "survivor": load("original", ["lives.last_standing=wins", "lives.each=2"]),
}  # fmt: skip


def played(rules: Rules, seed: int) -> list[tuple[Fact, State]]:
    """A game of random decisions as facts with the state after them.

    Now and then a seat leaves or is passed over, and a turn is only noted.
    """
    generator = random.Random(seed)
    state, found = new_game(rules, (1, 1, 1)), []
    while not state.over:
        outcomes = chance_outcomes(state)
        if generator.random() < (0.002 if state.closer < 0 else 0.02):
            still_in = [seat for seat, one in enumerate(state.seats) if one.status == "in"]
            event: Throw | Keep | TakeOver | Leave | Note | object = Leave(generator.choice(still_in))
        elif state.phase is not Phase.START and generator.random() < 0.02:
            event = Note(generator.randrange(10) * state.rules.unit, generator.randrange(5), generator.random() < 0.5)
        elif outcomes:
            event = generator.choices([throw for throw, _ in outcomes], [ways for _, ways in outcomes])[0]
        else:
            event = generator.choice(legal_actions(state))
        after = apply(state, event)  # type: ignore[arg-type]
        found += [(fact, after) for fact in facts(state, event, after)]  # type: ignore[arg-type]
        state = after
    return found


def test_every_kind_of_fact_occurs_and_has_a_sentence() -> None:
    told: dict[str, str] = {}
    for seed, rules in product(range(400), GAMES.values()):  # what the seeds draw differs from Python to Python
        for fact, state in played(rules, seed):
            told[fact.kind] = tell(fact, NAMES, state)
        if set(told) == set(get_args(Kind)):
            break
    assert set(told) == set(get_args(Kind))
    assert all((sentence[0].isupper() or sentence[0].isdigit()) and sentence[-1] == "." for sentence in told.values())


@pytest.mark.parametrize("name", GAMES)
def test_facts_add_up_to_the_scores(name: str) -> None:
    """Banks, gifts and stakes that come back, less fines, penalties and stakes, are the scores at the end."""
    for seed in range(25):
        scores, state = [0, 0, 0], None
        for fact, state in played(GAMES[name], seed):  # noqa: B007
            if fact.kind in ("banked", "gift", "stake_back", "rewarded"):
                scores[fact.seat] += fact.points
            elif fact.kind in ("fined", "penalty", "staked", "sent_back", "overtaken", "score_lost"):
                scores[fact.seat] -= fact.points
        assert state is not None
        assert scores == [seat.score for seat in state.seats]


def test_every_ending_has_a_sentence() -> None:
    reasons = set()
    for rules in GAMES.values():
        for seed in range(60):
            _, state = played(rules, seed)[-1]
            assert state.result is not None
            reasons.add(state.result.reason)
            sentence = ending(state, NAMES)
            assert all(NAMES[winner] in sentence for winner in state.result.winners)
            assert sentence.startswith("Nobody wins") == (not state.result.winners)
    assert reasons == set(get_args(Reason))


def test_a_farkle_and_hot_dice_are_called_as_the_text_of_the_rules_calls_them() -> None:
    for rules, dice, sentence in (
        ("original", 6, "Fanny Farkel! Ann scores nothing."),
        ("original", 2, "Farkel Out! Ann scores nothing."),
        ("zilch", 6, "Zilch! Ann scores nothing."),
        ("standard", 6, "Farkle! Ann scores nothing."),
    ):
        assert tell(Fact("farkle", 0, 0, dice), ["Ann"], new_game(load(rules), (1,))) == sentence
    heavy = tell(Fact("hot_dice", 0), ["Ann"], new_game(load("renaissance"), (1,)))
    assert heavy == "Heavy table: all dice are kept."


@pytest.mark.parametrize(("then", "told"), [("roll", True), ("bank", False)])
def test_hot_dice_are_called_only_if_they_are_rolled(then: Then, told: bool) -> None:
    before = apply(new_game(load("standard(entry=0,start=first_seat)"), (1, 1)), Throw((1, 1, 1, 5, 5, 5)))
    keep = Keep((1, 1, 1, 5, 5, 5), then)
    found = facts(before, keep, apply(before, keep))
    assert any(fact.kind == "hot_dice" for fact in found) == told


def test_too_many_players_and_none_are_said_as_a_person_would() -> None:
    for people, told in (((), "there are no players"), ((1,) * 21, "is for at most 20 players or teams, not 21")):
        with pytest.raises(PlayerError, match=told):
            new_game(load("renaissance"), people)
