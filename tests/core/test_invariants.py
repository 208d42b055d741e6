"""Random games held to the referee, event by event, and to laws of every game whatever its rules."""

from __future__ import annotations

import random

import pytest
from hypothesis import Phase as HypothesisPhase
from hypothesis import given, settings
from hypothesis import strategies as st

from farkel.game import (
    Event,
    Fresh,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
    chance_outcomes,
    ends_turn,
    legal_actions,
    refusal,
    replay,
)
from farkel.rules import CatchingUp, Rules, changed
from named_rules import CATALOGUE, rules_of
from random_play import random_people
from random_rules import examples, rule_sets
from referee import Referee, Step, followed

UNSHRUNK = [phase for phase in HypothesisPhase if phase is not HypothesisPhase.shrink]
"""To shrink rules and a game together takes minutes; a game that fails is printed as it was played."""
BOUND = 400


def shortened(rules: Rules) -> Rules:
    """The same rules with a target that a few turns reach, and few lives."""
    return changed(rules, f"target={20 * rules.unit}", *(["lives.each=3"] if rules.lives.each else []))


def assert_game_holds(rules: Rules, chance: random.Random) -> None:
    """Play a game that the referee follows, and look at every step of it."""
    people = random_people(rules, chance)
    events, state, ended = list[Event](), None, 0
    for step, referee in followed(rules, people, chance, BOUND):
        state = step.after
        events.append(step.event)
        assert ends_turn(*step) == (state.over or referee.turns_ended > ended)
        ended = referee.turns_ended
        scores_change_for_a_reason(step)
        dice_are_on_the_table(state)
        somebody_can_act_until_the_end_and_nobody_after_it(state)
        the_game_is_not_too_long(state, referee)
        winners_are_in_the_game(state)
    again = replay(rules, people, events)
    assert again == state
    assert hash(again) == hash(state)


def scores_change_for_a_reason(step: Step) -> None:
    """Points move by a bank, a stake, a gift or a fine, and lives only fall: for a farkle or a price."""
    before, event, after = step
    rules = before.rules
    banked = event.then == "bank" if isinstance(event, Keep) else isinstance(event, Note) and not event.farkle
    rolled = isinstance(event, Throw) or (isinstance(event, Note) and event.farkle)
    for index, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
        mine, change = index == before.seat, new.score - old.score
        keeps = rolled and rules.penalties.turn_total == "kept"
        if change > 0:
            returned = rolled and mine and change <= rules.take_over.stake
            bonus = isinstance(event, Throw) and bool(rules.rolled.bonuses)
            bonus |= isinstance(event, Keep) and change == rules.hot_dice_bonus
            waited = rules.cancel_win and index == before.closer and new.score in (rules.target, rules.missed_target)
            assert waited or ((banked or keeps) and (mine or rules.finish == "welfare")) or returned or (mine and bonus)
        if change < 0:
            staked = isinstance(event, TakeOver) and -change == rules.take_over.stake
            others = rules.catching_up != CatchingUp() or (rules.exact_hit == "round" and index == before.closer)
            caught_up = not mine and (banked or keeps) and others
            fatal = mine and banked and bool(rules.zones)  # a bank may land on a score that costs all
            assert (mine and (staked or rolled)) or fatal or caught_up
        assert new.lives <= old.lives
        if new.lives < old.lives:
            assert mine
            assert rolled or isinstance(event, TakeOver)


def dice_are_on_the_table(state: State) -> None:
    assert 0 <= state.idle < state.rules.dice
    assert len(state.roll) == (state.dice if state.phase is Phase.KEEP else 0)
    if state.phase in (Phase.ROLL, Phase.KEEP):
        assert 0 < state.dice <= state.rules.dice - state.idle


def somebody_can_act_until_the_end_and_nobody_after_it(state: State) -> None:
    assert bool(legal_actions(state)) == (state.phase in (Phase.OFFER, Phase.KEEP))
    assert bool(chance_outcomes(state)) == (state.phase in (Phase.START, Phase.ROLL))
    assert (state.result is not None) == state.over
    if state.over:
        events: list[Event] = [Fresh(), TakeOver(1), Keep((1,), "roll"), Keep((1,), "bank"), Throw((1,)), Leave(0)]
        assert {refusal(state, event) for event in events} == {"game_over"}
    else:
        assert state.mine.status == "in"


def the_game_is_not_too_long(state: State, referee: Referee) -> None:
    rules, players = state.rules, referee.players
    if rules.rounds and referee.closer < 0 and rules.ties == "shared":
        assert all(player.turns <= rules.rounds for player in players)
    assert rules.last_turns_again == "passed" or rules.ties == "play_off" or all(player.last <= 1 for player in players)
    if (
        rules.finish not in ("last_turns", "equal_turns", "fewest_rounds")
        and rules.target
        and not state.over
        and not rules.cancel_win
        and rules.exact_hit == "wins"
    ):
        assert all(player.score < referee.goal for player in players)


def winners_are_in_the_game(state: State) -> None:
    if state.result is None:
        return
    winners, reason = state.result
    assert bool(winners) == (reason != "nobody")
    assert all(state.seats[winner].status == "in" for winner in winners)
    shared = reason in ("equal_turns", "rounds", "fewest_rounds") or state.rules.last_turns_again == "tied"
    assert len(winners) <= 1 or (shared and state.rules.ties == "shared")


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_referee_agrees_in_every_rule_set_of_the_catalogue(name: str) -> None:
    rules = rules_of(name)
    for number in range(examples(15)):
        for played in (rules, shortened(rules)):
            assert_game_holds(played, random.Random(f"{name} {number}"))


@given(rule_sets(), st.integers(0, 2**32))
@settings(max_examples=examples(100), phases=UNSHRUNK)
def test_the_referee_agrees_under_any_rules(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(3):
        assert_game_holds(rules, chance)
