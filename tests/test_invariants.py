"""Generated play against a score sheet kept by hand: a second, naive account of what every event does."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import Phase as HypothesisPhase
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from farkel.dice import FACES, Roll, roll_of
from farkel.game import (
    Event,
    Fresh,
    Keep,
    Leave,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    chance_outcomes,
    dice_due,
    legal_actions,
    new_game,
    refusal,
    replay,
)
from farkel.rules import Rules, changed
from helpers import (
    CATALOGUE,
    Naive,
    NaiveScorer,
    examples,
    random_event,
    random_people,
    rule_sets,
    rules_of,
    tables,
    words,
)


@dataclasses.dataclass
class Column:
    """One column of the score sheet."""

    lives: int
    people: int
    score: int = 0
    status: str = "in"
    person: int = 0
    farkles: int = 0
    turns: int = 0
    """Turns that it has ended."""
    last: int = 0
    """Those of them after somebody reached the target."""
    entered: set[int] = dataclasses.field(default_factory=set)
    """People who have made the entry score."""


class Sheet:
    """The score sheet and the dice on the table, kept as a person would who knows the rules and sees each event."""

    def __init__(self, rules: Rules, people: tuple[int, ...]) -> None:
        self.rules = rules
        self.scorer = NaiveScorer(rules)
        self.columns = [Column(rules.lives.each, size) for size in people]
        self.now = 0
        self.banker = -1
        """Who banked last."""
        self.closer = -1
        """Who first banked the target, where the others play on."""
        self.offer: tuple[int, int] | None = None
        self.begin(None)

    @property
    def column(self) -> Column:
        return self.columns[self.now]

    def begin(self, offer: tuple[int, int] | None) -> None:
        """A turn begins, with all the dice in hand or a decision about the offer."""
        self.offer = offer
        self.total = self.aside = self.idle = 0
        self.hand: int = self.rules.dice
        self.times, self.taking = 1, False
        self.rolled = Naive({}, 0)

    def throw(self, faces: Roll) -> None:
        self.rolled = self.scorer.score(faces)
        self.fine(self.column, self.rolled.fine)
        if not self.rolled.keeps:
            self.farkle()
            return
        if self.taking:
            self.column.score += self.rules.take_over.stake
            self.taking = False

    def farkle(self) -> None:
        column, all_dice = self.column, self.hand == self.rules.dice
        if self.rules.lives.each:
            more = self.rules.lives.farkle_all_dice
            column.lives -= more if all_dice and more else self.rules.lives.farkle
            column.lives = max(0, column.lives)
            if not column.lives:
                column.status = "out"
        if all_dice:
            self.fine(column, self.rules.penalties.farkle_all_dice)
        if self.rules.penalties.farkles_in_row:
            column.farkles += 1
            if column.farkles == self.rules.penalties.farkles_in_row:
                self.fine(column, self.rules.penalties.farkles_in_row_points)
                column.farkles = 0
        lost = (self.total, self.hand + self.idle)
        self.end_turn(lost if self.rules.take_over.after_farkle and self.total and not self.taking else None)

    def fine(self, column: Column, points: int) -> None:
        if points and (self.rules.penalties.below_zero or column.score > 0):
            column.score -= points
            if not self.rules.penalties.below_zero:
                column.score = max(0, column.score)

    def keep(self, dice: Roll) -> bool:
        """Set dice aside; whether no die is left in hand."""
        self.total += self.rolled.keeps[dice] * self.times
        self.hand -= len(dice)
        self.aside += len(dice)
        return self.hand == 0

    def roll_on(self, dice: Roll) -> None:
        if self.keep(dice):
            self.times += self.rules.hot_dice_multiplier and self.idle == 0
            self.hand, self.aside, self.idle = self.rules.dice, 0, 0

    def bank(self, dice: Roll) -> None:
        rules, column = self.rules, self.column
        self.keep(dice)
        column.farkles = 0
        score = column.score + self.total
        if rules.finish in ("exact", "welfare") and score > rules.target:
            if rules.finish == "welfare":
                self.give(score - rules.target)
            self.end_turn(None)
            return
        column.score = score
        self.banker = self.now
        column.entered |= {column.person} if rules.entry_each else set(range(column.people))
        if rules.target and score >= rules.target and rules.finish in ("last_turns", "equal_turns") and self.closer < 0:
            self.closer = self.now
            column.last -= 1  # the turn that ends now is none of the last ones
        left = self.hand + self.idle or (rules.dice if rules.take_over.after_hot_dice else 0)
        self.end_turn((self.total, left) if left and rules.take_over.price != "none" else None)

    def give(self, points: int) -> None:
        """To the lowest other score, the first to the left of those, unless it would pass the target (D13)."""
        seats = len(self.columns)
        others = [self.columns[(self.now + step) % seats] for step in range(1, seats)]
        others = [column for column in others if column.status == "in"]
        if others:
            lowest = min(others, key=lambda column: column.score)
            if lowest.score + points <= self.rules.target:
                lowest.score += points

    def take_over(self, dice: int) -> None:
        assert self.offer is not None
        points, left = self.offer
        if self.rules.take_over.price == "lives":
            self.column.lives -= dice
        self.column.score -= self.rules.take_over.stake
        self.begin(None)
        self.total, self.hand, self.idle, self.aside = points, dice, left - dice, self.rules.dice - left
        self.taking = True

    def leave(self, seat: int, playing: bool) -> None:
        self.columns[seat].status = "left"
        if seat == self.now and playing:
            self.end_turn(None)

    def end_turn(self, offer: tuple[int, int] | None) -> None:
        column, seats = self.column, len(self.columns)
        column.turns += 1
        column.last += self.closer >= 0
        if self.rules.teams == "partners":
            column.person = (column.person + 1) % column.people
        following = [(self.now + step) % seats for step in range(1, seats + 1)]
        before = self.now
        self.now = next((seat for seat in following if self.columns[seat].status == "in"), before)
        self.begin(None if self.now == before else offer)

    def apply(self, event: Event, state: State) -> None:
        """Write down an event that happened in ``state``."""
        if isinstance(event, Leave):
            self.leave(event.seat, playing=state.phase is not Phase.START)
        elif isinstance(event, TakeOver):
            self.take_over(event.dice)
        elif isinstance(event, Fresh):
            self.begin(None)
        elif isinstance(event, Keep):
            (self.roll_on if event.then == "roll" else self.bank)(event.dice)
        elif isinstance(event, Throw) and state.phase is Phase.ROLL:
            self.throw(event.faces)

    def may_bank(self) -> bool:
        """Whether the person whose turn it is has made the entry score."""
        return self.rules.entry == 0 or self.column.person in self.column.entered


def shortened(rules: Rules) -> Rules:
    """The same rules with a target that a few turns reach, and few lives."""
    return changed(rules, f"target={20 * rules.unit}", *(["lives.each=3"] if rules.lives.each else []))


UNSHRUNK = [phase for phase in HypothesisPhase if phase is not HypothesisPhase.shrink]
"""To shrink rules and a game together takes minutes; a game that fails is printed as it was played."""


class Play(RuleBasedStateMachine):
    """Any legal events, one after another, in one game after another."""

    rule_sets = rule_sets()
    """Where the rules of a game are drawn from."""

    @initialize(data=st.data())
    def sit_down(self, data: st.DataObject) -> None:
        rules = data.draw(self.rule_sets)
        self.start(rules, data.draw(tables(rules)))

    def start(self, rules: Rules, people: tuple[int, ...]) -> None:
        self.house, self.people = rules, people
        self.state = new_game(rules, people)
        self.sheet = Sheet(rules, people)
        self.events: list[Event] = []
        self.sheet.now = self.state.seat

    @rule(data=st.data())
    @precondition(lambda self: self.state.over)
    def play_again(self, data: st.DataObject) -> None:
        self.teardown()
        self.sit_down(data)

    @rule(data=st.data())
    @precondition(lambda self: dice_due(self.state) > 0)
    def throw(self, data: st.DataObject) -> None:
        due = dice_due(self.state)
        faces = data.draw(st.lists(st.sampled_from(FACES), min_size=due, max_size=due))
        self.happen(Throw(roll_of(faces)))

    @rule(data=st.data())
    @precondition(lambda self: self.state.phase in (Phase.OFFER, Phase.KEEP))
    def decide(self, data: st.DataObject) -> None:
        self.happen(data.draw(st.sampled_from(legal_actions(self.state))))

    @rule(data=st.data())
    @precondition(lambda self: not self.state.over and len(self.events) % 10 == 9)
    def leave(self, data: st.DataObject) -> None:
        seats = [seat for seat, column in enumerate(self.sheet.columns) if column.status == "in"]
        self.happen(Leave(data.draw(st.sampled_from(seats))))

    def happen(self, event: Event) -> None:
        note(words(event))
        before = self.state
        self.sheet.apply(event, before)
        self.state = apply(before, event)
        self.events.append(event)
        if before.phase is Phase.START and self.state.phase is Phase.ROLL:
            self.sheet.now = self.state.seat
        self.check_scores_change_for_a_reason(before, event)

    def check_scores_change_for_a_reason(self, before: State, event: Event) -> None:
        """Points move by a bank, a stake, a gift or a fine, and lives only fall: for a farkle or a price."""
        for index, (old, new) in enumerate(zip(before.seats, self.state.seats, strict=True)):
            mine, change = index == before.seat, new.score - old.score
            if change > 0:
                banked = isinstance(event, Keep) and event.then == "bank"
                returned = isinstance(event, Throw) and mine and change <= self.house.take_over.stake
                assert (banked and (mine or self.house.finish == "welfare")) or returned
            if change < 0:
                staked = isinstance(event, TakeOver) and -change == self.house.take_over.stake
                assert mine
                assert staked or isinstance(event, Throw)
            assert new.lives <= old.lives
            if new.lives < old.lives:
                assert mine
                assert isinstance(event, Throw | TakeOver)

    @invariant()
    def the_sheet_agrees(self) -> None:
        for column, seat in zip(self.sheet.columns, self.state.seats, strict=True):
            assert (seat.score, seat.lives, seat.status) == (column.score, column.lives, column.status)
            assert (seat.people, seat.farkles) == (column.people, column.farkles)
            assert seat.person == column.person or self.state.over
        if self.state.phase in (Phase.ROLL, Phase.KEEP):
            on_table = (self.state.points, self.state.dice, self.state.idle)
            assert on_table == (self.sheet.total, self.sheet.hand, self.sheet.idle)
        if self.state.phase not in (Phase.START, Phase.OVER):
            assert self.state.seat == self.sheet.now
            assert self.state.offer == self.sheet.offer
            assert self.state.seats[self.state.seat].on_board == self.sheet.may_bank()

    @invariant()
    def dice_are_conserved(self) -> None:
        sheet = self.sheet
        assert sheet.aside + sheet.hand + sheet.idle == self.house.dice
        assert 0 <= self.state.idle < self.house.dice
        assert len(self.state.roll) == (self.state.dice if self.state.phase is Phase.KEEP else 0)

    @invariant()
    def somebody_can_act_until_the_end_and_nobody_after_it(self) -> None:
        state = self.state
        assert bool(legal_actions(state)) == (state.phase in (Phase.OFFER, Phase.KEEP))
        assert bool(chance_outcomes(state)) == (state.phase in (Phase.START, Phase.ROLL))
        assert (state.result is not None) == state.over
        if state.over:
            events: list[Event] = [Fresh(), TakeOver(1), Keep((1,), "roll"), Keep((1,), "bank"), Throw((1,)), Leave(0)]
            assert {refusal(state, event) for event in events} == {"game_over"}
        else:
            assert state.seats[state.seat].status == "in"

    @invariant()
    def the_game_is_not_too_long(self) -> None:
        columns = self.sheet.columns
        if self.house.rounds and self.sheet.closer < 0:
            assert all(column.turns <= self.house.rounds for column in columns)
        assert all(column.last <= 1 for column in columns)
        if self.house.finish not in ("last_turns", "equal_turns") and self.house.target and not self.state.over:
            assert all(column.score < self.house.target for column in columns)

    @invariant()
    def winners_are_consistent(self) -> None:
        if self.state.result is None:
            return
        winners, reason = self.state.result
        rules, columns, closer = self.house, self.sheet.columns, self.sheet.closer
        still_in = [seat for seat, column in enumerate(columns) if column.status == "in"]
        highest = max((columns[seat].score for seat in still_in), default=0)
        leaders = tuple(seat for seat in still_in if columns[seat].score == highest)
        assert set(winners) <= set(still_in)
        assert bool(winners) == (reason != "nobody")
        if reason == "target":
            assert winners == (self.sheet.banker,)
            assert columns[winners[0]].score >= rules.target
            assert rules.finish == "at_once" or len(columns) == 1
        elif reason == "exact":
            assert [columns[seat].score for seat in winners] == [rules.target]
        elif reason == "last_turns":
            order = [(closer + step) % len(columns) for step in range(len(columns))]
            assert winners == tuple(seat for seat in order if seat in leaders)[:1]
            assert all(columns[seat].last == (seat != closer) for seat in still_in)
        elif reason in ("equal_turns", "rounds"):
            assert winners == leaders
            assert len({columns[seat].turns for seat in still_in}) == 1
            assert (closer >= 0) == (reason == "equal_turns")
            assert reason == "equal_turns" or columns[winners[0]].turns == rules.rounds
        elif reason in ("standing", "left"):
            assert winners == tuple(still_in)
            assert len(winners) == 1
        else:
            assert reason == "nobody"
            assert len(still_in) <= 1
            assert all(column.score < rules.target or column.status != "in" for column in columns)

    def teardown(self) -> None:
        if not hasattr(self, "events"):
            return
        again = replay(self.house, self.people, self.events)
        assert again == self.state
        assert hash(again) == hash(self.state)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_sheet_agrees_in_every_rule_set_of_the_catalogue(name: str) -> None:
    rules = rules_of(name)

    class PlayNamed(Play):
        rule_sets = st.sampled_from([rules, shortened(rules)])

    run_state_machine_as_test(PlayNamed, settings=settings(max_examples=examples(15), stateful_step_count=60))


def test_the_sheet_agrees_under_any_rules() -> None:
    run_state_machine_as_test(
        Play, settings=settings(max_examples=examples(30), stateful_step_count=60, phases=UNSHRUNK)
    )


@given(rule_sets(), st.integers(0, 2**32))
@settings(max_examples=examples(100), phases=UNSHRUNK)
def test_the_sheet_agrees_through_random_games_under_any_rules(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    play = Play()
    play.start(rules, random_people(rules, chance))
    for _ in range(200):
        if play.state.over:
            break
        leaver = chance.randrange(len(play.people)) if chance.random() < 0.01 else -1
        if leaver >= 0 and play.state.seats[leaver].status == "in":
            play.happen(Leave(leaver))
        else:
            play.happen(random_event(play.state, chance))
        play.the_sheet_agrees()
        play.dice_are_conserved()
        play.somebody_can_act_until_the_end_and_nobody_after_it()
        play.the_game_is_not_too_long()
        play.winners_are_consistent()
    play.teardown()
