"""A table as the fold of its rows: it agrees with the record, whatever is played, taken back or corrected."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farkel.coach.noted_turns import Doubt, doubts
from farkel.dice import commitment, derive
from farkel.errors import CannotUndo, FarkelError
from farkel.game import (
    Event,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Note,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    is_legal,
    legal_actions,
)
from farkel.records import verify
from farkel.rules import load
from farkel.web.game.pages.board import ranked, sheet_kept, sheet_rows
from farkel.web.game.setup import Allowed
from farkel.web.game.submissions import Corrects, Notes, Undoes, drafted
from farkel.web.game.table import Draft, Table, TableError, shown, turn_spans
from farkel.web.game.views import sheet, table_view
from farkel.web.store.values import Game
from farkel.web.tokens import Key
from games_in_words import dice, kept
from named_rules import SPAN
from random_play import random_event
from random_rules import examples
from web_helpers import EVERYTHING, FIRST, STARTED, Sheet, plan_of, random_step, short

WATCHER = Key()


def code(work: Callable[..., object], *given: Any) -> str:
    """The code with which it is refused."""
    with pytest.raises(FarkelError) as caught:
        work(*given)
    return caught.value.code


def read_again(sheet: Sheet) -> Table:
    """The table as another process reads it."""
    table = sheet.table
    plan = table.plan.model_dump_json()
    return Table.of(Game(table.game, plan, table.secret, table.host, dict(table.tokens), tuple(sheet.rows)))


# Folded state ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPAN)
@settings(max_examples=examples(5))
@given(seed=st.integers(0, 10**9))
def test_a_game_agrees_with_its_record_under_all_rules(name: str, seed: int) -> None:
    chance = random.Random(seed)
    rules = short(load(name))
    who = ["far", "here", "bot:cautious"][: min(rules.most_seats, chance.randint(1, 3))]
    game = Sheet(plan_of(rules, *who, dice=chance.choice(["committed", "system", "manual"])))
    for seat in range(len(who)):
        if game.table.plays(seat) == "human":
            game.store(game.table.word(EVERYTHING, seat, f"word {chance.random()}"))
    game.store(game.table.start(EVERYTHING, STARTED))
    for _ in range(300):
        if game.table.over:
            break
        random_step(game, chance)
        if chance.random() < 0.05:
            _now_and_then(game, chance)

    record = game.record()
    assert record.problem is None
    assert record.state == game.state
    assert record.moves == game.table.playing.moves
    assert read_again(game) == game.table
    said = verify(record)
    if game.table.over and game.table.plan.dice == "committed":
        assert record.secret == game.table.secret
        assert "follow from the secret" in said[1]
    else:
        assert record.secret is None


def _now_and_then(game: Sheet, chance: random.Random) -> None:
    """Something beside the dice, if it can be done."""
    table = game.table
    seat = chance.randrange(len(table.plan.seats))
    drafts: list[Callable[[], Draft]] = [
        lambda: table.undo(EVERYTHING),
        lambda: table.fell(EVERYTHING),
        lambda: table.sits_in(seat, "bot:bold"),
        lambda: table.returns(seat),
        lambda: table.allow(EVERYTHING, Allowed(hints=True)),
        lambda: table.link(EVERYTHING, seat, "hash"),
        lambda: table.play(EVERYTHING, Note(chance.randrange(0, 20) * 50, chance.randrange(6))),
    ]
    for draft in drafts:
        if chance.random() < 0.4:
            try:
                made = draft()
            except FarkelError:
                continue
            game.store(made)


def test_rows_are_taken_in_order_and_once() -> None:
    game = Sheet.begun(plan_of(FIRST, "here", "here"))
    game.store(game.table.roll(EVERYTHING))
    before = game.state
    game.table.take(game.rows)
    assert game.state == before
    with pytest.raises(FarkelError, match=r"event 9 of aaaaaaaaaaaa follows event 2"):
        game.table.take([game.rows[-1]._replace(number=9)])


def test_the_words_of_all_seats_are_mixed_into_the_dice() -> None:
    game = Sheet(plan_of(FIRST, "here", "here"))
    for seat, word in ((1, "  two   words "), (0, "one")):
        game.store(game.table.word(EVERYTHING, seat, word))
    game.store(game.table.start(EVERYTHING, STARTED))
    game.store(game.table.roll(EVERYTHING))
    throw = game.table.playing.moves[0].event
    assert throw == Throw(derive(game.table.secret, ("one", "two words"), 0, 6))
    assert game.record().header.dice.words == ("one", "two words")
    assert game.record().header.dice.value == commitment(game.table.secret)


def test_words_are_secret_before_the_game_starts() -> None:
    game = Sheet(plan_of(FIRST, "far", "far"))
    game.store(game.table.word(Key(seats=frozenset({0})), 0, "hush"))
    assert "hush" not in str([dict(shown(row)) for row in game.rows])
    assert table_view(game.table, EVERYTHING).seats[0].word == "given"
    game.store(game.table.start(EVERYTHING, STARTED))
    assert table_view(game.table, WATCHER).seats[0].word == "hush"


@pytest.mark.parametrize("word", ["", "   ", "x" * 41, "a\x00b", "a\u200fb"])
def test_an_unprintable_word_is_refused(word: str) -> None:
    table = Sheet(plan_of(FIRST, "here")).table
    assert code(lambda: table.word(EVERYTHING, 0, word)) == "bad_word"


def test_words_and_starts_come_before_the_game() -> None:
    game = Sheet(plan_of(FIRST, "here"))
    assert code(lambda: game.table.roll(EVERYTHING)) == "not_started"
    game.store(game.table.start(EVERYTHING, STARTED))
    assert code(lambda: game.table.start(EVERYTHING, STARTED)) == "started"
    assert code(lambda: game.table.word(EVERYTHING, 0, "late")) == "started"


# Whose turn it is ----------------------------------------------------------------------------------------------------


def test_seats_cannot_act_for_each_other() -> None:
    game = Sheet.begun(plan_of(FIRST, "far", "far"))
    ann, bob = Key(seats=frozenset({0})), Key(seats=frozenset({1}))
    host = Key(host=True)
    table = game.table
    for key in (bob, host, WATCHER):
        assert code(table.roll, key) == "not_yours"
        assert code(table.play, key, Leave(0)) == "not_yours"
        assert code(table.undo, key) in ("not_yours", "nothing_played")
    game.store(table.roll(ann))
    assert code(lambda: table.play(bob, Keep((1,), "bank"))) == "not_yours"
    for key in (ann, bob, WATCHER):
        assert code(table.start, key, STARTED) == "not_the_host"
        assert code(lambda key=key: table.allow(key, Allowed())) == "not_the_host"
        assert code(table.link, key, 0, "hash") == "not_the_host"
    for seat in (-1, 2, 10**9):
        assert code(table.play, EVERYTHING, Leave(seat)) == "no_such_seat"


def test_a_key_from_before_a_new_link_holds_its_seat_no_more() -> None:
    game = Sheet.begun(plan_of(FIRST, "far", "far"))
    old = Key(seats=frozenset({0, 1}), at=game.table.number)
    game.store(game.table.link(EVERYTHING, 0, "hash"))
    assert code(game.table.roll, old) == "not_yours"
    game.store(game.table.roll(Key(seats=frozenset({0}), at=game.table.number)))
    assert game.table.play(old, Leave(1)).rows  # the other seat of the same key


@pytest.mark.parametrize("event", [Throw((1, 1, 1, 1, 1, 1)), Note(5_000, 0), Note(0, 0)])
def test_dice_of_the_server_cannot_be_chosen(event: Event) -> None:
    for kind in ("committed", "system"):
        table = Sheet.begun(plan_of(FIRST, "here", "here", dice=kind)).table
        assert code(table.play, EVERYTHING, event) == "not_your_dice"
        assert code(table.fell, EVERYTHING) == "not_your_dice"
        assert code(partial(table.correct, EVERYTHING, 1, Note(0, 0), dropping=True)) == "not_your_dice"


def test_no_move_after_the_end() -> None:
    game = Sheet.begun(plan_of("standard(target=500, start=first_seat)", "here", "here"))
    chance = random.Random(4)
    while not game.table.over:
        random_step(game, chance)
    for event in (Keep((1,), "bank"), Fresh(), TakeOver(1), Leave(0)):
        assert code(game.table.play, EVERYTHING, event) == "game_over"
    assert code(lambda: game.table.roll(EVERYTHING)) in ("game_over", "no_throw_due")
    assert code(lambda: game.table.undo(EVERYTHING)) == "game_over"


def test_leaving_does_not_make_others_roll() -> None:
    """Dice fall for the player who asks for them, not because another one leaves."""
    game = Sheet.begun(plan_of(FIRST, "here", "here", "here"))
    game.play(Leave(2))
    assert game.state.phase is Phase.ROLL
    assert len(game.table.playing.moves) == 1


def test_dice_fall_with_the_decision_that_asks_for_them() -> None:
    game = Sheet.begun(plan_of("build-on(entry=0, start=first_seat)", "here", "here", dice="system"))
    chance = random.Random(7)
    asked = 0
    for _ in range(400):
        if game.table.over:
            break
        before = game.table.number
        if game.state.phase is Phase.OFFER:
            game.play(TakeOver(1) if is_legal(game.state, TakeOver(1)) and chance.random() < 0.7 else Fresh())
            assert game.table.number == before + 2
            asked += 1
        else:
            random_step(game, chance)
    assert asked > 3


def test_a_moving_owner_is_back() -> None:
    game = Sheet.begun(plan_of(FIRST, "far", "far"))
    game.store(game.table.sits_in(0, "bot:bold"))
    assert game.table.plays(0) == "bot:bold"
    key = Key(seats=frozenset({0}))
    game.store(game.table.returning(key, game.table.roll(key)))
    assert game.table.plays(0) == "human"
    assert [row.kind for row in game.rows[-2:]] == ["back", "move"]


def test_a_game_with_all_seats_skipped_rests() -> None:
    game = Sheet.begun(plan_of(FIRST, "far", "far"))
    game.store(game.table.sits_in(0, "pass"))
    assert game.table.goes_on
    game.store(game.table.serve(Note(0, 0)))
    game.store(game.table.sits_in(1, "pass"))
    assert not game.table.goes_on


def test_no_seat_is_skipped_in_the_rolls_for_the_start_of_a_real_table() -> None:
    game = Sheet.begun(plan_of("standard(start=highest_die)", "far", "here", dice="manual"))
    game.store(game.table.sits_in(0, "pass"))
    assert not game.table.goes_on
    game.play(Throw((6,)), Throw((2,)))
    assert game.table.goes_on


# Real dice -----------------------------------------------------------------------------------------------------------


def real(rules: str = FIRST, *who: str) -> Sheet:
    return Sheet.begun(plan_of(rules, *(who or ("here", "here")), dice="manual"))


def test_turns_are_noted_and_dice_typed() -> None:
    game = real()
    game.play(Note(500, 2), Throw(dice("112234")), kept("11", "bank"), Note(0, 6, farkle=True))
    assert [seat.score for seat in game.state.seats] == [500, 200]
    assert [(turn.seat, turn.points, turn.farkle) for turn in sheet(game.table.playing)] == [
        (0, 500, False),
        (1, 200, False),
        (0, 0, True),
    ]
    assert game.record().state == game.state


def lines(game: Sheet) -> list[list[str]]:
    """The score sheet as it is shown: what each seat has in each round."""
    return [
        ["" if one is None else "-" if one.passed else str(one.score) for one in row]
        for row in sheet_rows(table_view(game.table, Key()))
    ]


def test_a_seat_that_is_passed_over_has_its_place_in_the_round() -> None:
    game = real(FIRST, "here", "here", "here")
    assert lines(game) == []
    game.play(Note(0, 0), Note(400, 2), Note(500, 2), Note(300, 2), Note(0, 0), Note(550, 2), Note(350, 2))
    assert lines(game) == [["-", "400", "500"], ["300", "-", "1050"], ["650", "", ""]]
    passed = game.table.playing.moves[4]
    game.store(game.table.correct(EVERYTHING, passed.number, Note(600, 1), dropping=False))
    assert lines(game) == [["-", "400", "500"], ["300", "1000", "1050"], ["650", "", ""]]


def test_rounds_begin_with_the_seat_that_started_the_game_even_when_it_has_left() -> None:
    game = real("standard(start=highest_die)", "here", "here", "here", "here")
    game.play(Throw((2,)), Throw((6,)), Throw((4,)), Throw((1,)))
    assert game.state.seat == 1
    game.play(*(Note(points, 2) for points in (500, 600, 700, 800)), Leave(1), *[Note(300, 2)] * 4)
    assert lines(game) == [["800", "500", "600", "700"], ["1100", "", "900", "1000"], ["", "", "1200", ""]]


def test_turns_in_a_row_have_a_line_each_and_are_one_round() -> None:
    game = real("standard(turns_in_row=2, start=first_seat)")
    game.play(Note(500, 2), Note(300, 2), Note(600, 2), Note(0, 6, farkle=True), Note(100, 2))
    assert lines(game) == [["500", "600"], ["800", "600"], ["900", ""]]
    assert [turn.round for turn in sheet(game.table.playing)] == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(("spec", "opens"), [(FIRST, True), ("standard(turns_in_row=2, start=first_seat)", False)])
def test_a_sheet_is_kept_offline_if_the_next_turn_is_the_next_seats(spec: str, opens: bool) -> None:
    game = real(spec)
    kept_sheet = sheet_kept(table_view(game.table, EVERYTHING), game.state.rules, [])
    assert kept_sheet is not None
    assert kept_sheet["open"] is opens


def test_dice_that_fell_are_thrown_again() -> None:
    game = real()
    game.store(game.table.fell(EVERYTHING))
    game.play(Throw(dice("112234")))
    assert game.record().fallen == 1
    assert code(lambda: game.table.fell(EVERYTHING)) == "no_throw_due"
    assert code(lambda: game.table.roll(EVERYTHING)) == "manual_dice"


def test_undo_of_dice_that_fell_keeps_the_roll_before() -> None:
    game = real()
    game.play(Throw(dice("112234")), kept("11", "roll"))
    before = game.state
    game.store(game.table.fell(EVERYTHING))
    game.store(game.table.undo(EVERYTHING))
    assert (game.state, game.record().fallen) == (before, 0)


def test_the_host_keeps_the_sheet_of_a_real_table() -> None:
    game = real(FIRST, "far", "bot:bold")
    host = Key(host=True)
    game.store(game.table.play(host, Note(350, 3)))
    game.store(game.table.play(host, Throw(dice("111234"))))
    decides = game.table.goes_on
    game.store(game.table.serve(kept("111", "bank")))
    assert (decides, game.table.goes_on) == (True, False)
    assert code(lambda: game.table.play(Key(seats=frozenset({1})), Note(1_000, 0))) == "not_yours"


def test_undo_removes_the_last_entry() -> None:
    game = real()
    game.play(Note(500, 2))
    game.play(Note(250, 2))
    game.store(game.table.undo(EVERYTHING))
    assert [seat.score for seat in game.state.seats] == [500, 0]
    game.store(game.table.undo(EVERYTHING))
    assert game.state == game.table.plan.header((), "").new_game()
    with pytest.raises(CannotUndo):
        game.table.undo(EVERYTHING)
    assert game.record().state == game.state


def test_undo_stops_at_dice_that_the_server_threw() -> None:
    game = Sheet.begun(plan_of(FIRST, "here", "here", dice="system"))
    game.store(game.table.roll(EVERYTHING))
    assert code(lambda: game.table.undo(EVERYTHING)) == "dice_have_fallen"
    chance = random.Random(1)
    while game.state.phase is not Phase.KEEP:
        random_step(game, chance)
    before = game.state
    keep = next(event for event in _keeps(before) if event.then == "bank")
    game.play(keep)
    game.store(game.table.undo(EVERYTHING))
    assert game.state == before


def _keeps(state: State) -> list[Keep]:
    return [action for action in legal_actions(state) if isinstance(action, Keep)]


# Corrections ---------------------------------------------------------------------------------------------------------

Entry = tuple[int, tuple[Event, ...]]
"""A turn as it was entered: its seat, and its moves."""


def _enter_at_random(game: Sheet, chance: random.Random, turns: int) -> list[Entry]:
    """Turns noted, thrown and kept at random."""
    entries: list[Entry] = []
    while len(entries) < turns and not game.table.over:
        seat = game.state.seat
        if game.state.phase is Phase.START:
            game.play(random_event(game.state, chance))
            entries.append((seat, (game.table.playing.moves[-1].event,)))
            continue
        made: list[Event] = []
        if game.state.phase is Phase.OFFER and chance.random() < 0.7:
            made.append(random_event(game.state, chance))
            game.play(made[-1])
        if chance.random() < 0.5 and game.state.phase is not Phase.OFFER:
            while not made or not game.table.playing.moves[-1].ends_turn:
                made.append(random_event(game.state, chance))
                game.play(made[-1])
        else:
            made.append(random_note(chance))
            game.play(made[-1])
        entries.append((seat, tuple(made)))
    return entries


def random_note(chance: random.Random) -> Note:
    if chance.random() < 0.3:
        return Note(chance.randrange(10) * 50, chance.randrange(1, 6), farkle=True)
    return Note(chance.randrange(1, 15) * 50, chance.randrange(5))


def _entered(plan: Any, entries: Sequence[Entry]) -> tuple[State, int]:
    """A fresh game with these entries: its state, and the number of events that no longer fit."""
    state = plan.header((), "").new_game()
    events = [(seat, event) for seat, made in entries for event in made]
    for place, (seat, event) in enumerate(events):
        if isinstance(event, Fresh) and state.phase is Phase.ROLL and state.seat == seat:
            continue  # nothing is on offer any longer, so it goes without saying
        if isinstance(event, Throw) and state.phase is Phase.OFFER and state.seat == seat:
            state = apply(state, Fresh())
        if state.seat != seat or not is_legal(state, event):
            return state, len(events) - place
        state = apply(state, event)
    return state, 0


@pytest.mark.parametrize("name", SPAN)
@settings(max_examples=examples(8))
@given(seed=st.integers(0, 10**9))
def test_a_correction_is_as_if_it_had_been_entered_so(name: str, seed: int) -> None:
    chance = random.Random(seed)
    rules = load(name)
    game = Sheet.begun(plan_of(rules, *["here"] * min(3, rules.most_seats), dice="manual"))
    entries = _enter_at_random(game, chance, 12)
    spans = list(turn_spans(game.table.playing.moves))
    assert len(spans) == len(entries)
    place = chance.randrange(len(entries))
    first, after = spans[place]
    moves = game.table.playing.moves
    number = moves[chance.randrange(first, after)].number
    entry = random_note(chance)
    if moves[first].before.phase is Phase.START:
        assert code(lambda: game.table.correct(EVERYTHING, number, entry, dropping=True)) == "no_such_turn"
        return
    seat, made = entries[place]
    decided = tuple(event for event in made if isinstance(event, Fresh | TakeOver))
    corrected = [*entries[:place], (seat, (*decided, entry)), *entries[place + 1 :]]
    state, lost = _entered(game.table.plan, corrected)

    if lost:
        with pytest.raises(TableError, match=f"this entry {lost} of the later entries"):
            game.table.correct(EVERYTHING, number, entry, dropping=False)
    game.store(game.table.correct(EVERYTHING, number, entry, dropping=bool(lost)))
    assert game.state == state
    assert game.record().state == state
    assert read_again(game) == game.table


def test_dice_left_are_asked_for_only_if_the_next_player_may_take_them() -> None:
    note = Notes(do="note", points=350)
    plain = Sheet.begun(plan_of("standard(entry=0, minimum=0, start=first_seat)", "here", "here", dice="manual"))
    plain.store(drafted(EVERYTHING, note, lambda: STARTED)(plain.table))
    noted = plain.record().moves[-1]
    assert noted.event == Note(350, 1)  # two 1s and three 5s
    assert doubts(noted.before, Note(350, 1)) == ()
    taken = Sheet.begun(plan_of("build-on(start=first_seat)", "here", "here", dice="manual"))
    with pytest.raises(TableError, match="how many dice were left") as refused:
        drafted(EVERYTHING, note, lambda: STARTED)(taken.table)
    assert refused.value.code == "no_dice"


def test_the_ranking_has_the_winner_first_and_shared_places() -> None:
    game = Sheet.begun(
        plan_of("standard(entry=0, target=1000, finish=at_once, start=first_seat)", *["here"] * 4, dice="manual")
    )
    game.play(Note(500, 2), Note(700, 2), Leave(2), Note(500, 2), Note(500, 2))
    assert game.state.over
    assert ranked(table_view(game.table, EVERYTHING)) == [(1, 0, 1000), (2, 1, 700), (3, 3, 500), (4, 2, 0)]


def test_a_note_on_an_offer_is_corrected_itself() -> None:
    """With something on offer a turn may be noted without deciding first: the note is the whole turn."""
    game = real("build-on(entry=0, start=first_seat)")
    game.play(Note(500, 2))
    assert game.state.phase is Phase.OFFER
    game.play(Note(300, 3))
    number = game.table.playing.moves[-1].number
    game.store(game.table.correct(EVERYTHING, number, Note(350, 1), dropping=False))
    assert [seat.score for seat in game.state.seats] == [500, 350]
    assert len(sheet(game.table.playing)) == 2


def test_correcting_a_turn_keeps_departures() -> None:
    game = real(FIRST, "here", "here", "here")
    game.play(Throw(dice("112234")), Leave(2), kept("11", "bank"))
    number = game.table.playing.moves[-1].number
    game.store(game.table.correct(EVERYTHING, number, Note(150, 4), dropping=False))
    assert [seat.score for seat in game.state.seats] == [150, 0, 0]
    assert game.state.seats[2].status == "left"
    assert len(sheet(game.table.playing)) == 1


def test_a_correction_gives_no_turn_to_another_seat() -> None:
    """Where a seat is out of lives now, what it entered later is not given to the next one."""
    game = real("original(lives.each=3, lives.farkle=3, lives.farkle_all_dice=3)", "here", "here", "here")
    while game.state.phase is Phase.START:
        game.play(Throw((6,)) if game.state.seat == 0 else Throw((1,)))
    game.play(*(Note(50 * points, 2) for points in range(1, 7)))
    first = next(move.number for move in game.table.playing.moves if isinstance(move.event, Note))
    out = Note(0, 6, farkle=True)
    assert code(lambda: game.table.correct(EVERYTHING, first, out, dropping=False)) == "would_drop"
    game.store(game.table.correct(EVERYTHING, first, out, dropping=True))
    assert [seat.score for seat in game.state.seats] == [0, 100, 150]
    assert game.state.seats[0].status == "out"


@pytest.mark.parametrize("number", [0, 2, 99])
def test_only_an_entered_turn_is_corrected(number: int) -> None:
    game = real()
    game.play(Note(500, 2), Note(100, 2))
    game.store(game.table.undo(EVERYTHING))
    assert code(lambda: game.table.correct(EVERYTHING, number, Note(0, 0), dropping=False)) == "no_such_turn"


def test_a_correction_that_the_rules_cannot_read_is_refused() -> None:
    game = real()
    game.play(Note(500, 2))
    with pytest.raises(IllegalEvent):
        game.table.correct(EVERYTHING, 1, Note(10, 6), dropping=True)


def test_a_doubtful_entry_is_taken_when_it_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[State] = []

    def doubts(state: State, note: Note) -> tuple[Doubt, ...]:
        asked.append(state)
        return (Doubt("turn_total", "No rolls make that."),) if note.points == 9_999 else ()

    monkeypatch.setattr("farkel.web.game.submissions.doubts", doubts)
    game = real("build-on(entry=0, start=first_seat)")
    note = Notes(do="note", points=9_999, dice=2)
    with pytest.raises(FarkelError, match=r"No rolls make that\.") as caught:
        drafted(EVERYTHING, note, lambda: STARTED)(game.table)
    assert caught.value.code == "doubtful"
    game.store(drafted(EVERYTHING, note.model_copy(update={"sure": True}), lambda: STARTED)(game.table))
    assert game.state.seats[0].score == 9_999

    game.play(TakeOver(2), Note(10_500, 1))
    correction = Corrects(do="correct", turn=game.table.playing.moves[-1].number, points=9_999, dice=1)
    assert code(lambda: drafted(EVERYTHING, correction, lambda: STARTED)(game.table)) == "doubtful"
    assert asked[-1].taking  # the doubted turn began with a take-over
    game.store(drafted(EVERYTHING, Undoes(do="undo"), lambda: STARTED)(game.table))
    assert game.state.taking
