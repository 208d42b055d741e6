"""The game as plain lines: for screen readers, pipes and scripts. One question at a time, one sentence a fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from farkel.coach.noted_turns import doubts
from farkel.dice import parse_roll
from farkel.errors import CannotUndo, DiceError, FarkelError, PlayerError, PositionError, RecordError
from farkel.game import (
    Event,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Phase,
    State,
    TakeOver,
    Then,
    Throw,
    apply,
    is_legal,
)
from farkel.game.scoring import score_table
from farkel.game.story import Fact, ending, tell
from farkel.play import hints
from farkel.play.match import Bots, Match, Setup, own_players
from farkel.players import player_names
from farkel.records import DiceKind
from farkel.records.figures import summarise
from farkel.rules import DEFAULT, Rules, farkle_word, load, names, sheet
from farkel.support.bounds import clipped
from farkel.support.progress import Progress
from farkel.support.words import counted, counted_dice, sentence
from farkel.terminal.coach_pages import card_page, review_page
from farkel.terminal.drawing import whole_sheet
from farkel.terminal.fitting import prose, room
from farkel.terminal.lines import EndOfInput, ask, say, typing, work
from farkel.terminal.sentences import (
    NOTHING_TO_BANK,
    keep_text,
    lives_left,
    log_lines,
    opening,
    roll_asked,
    scores_line,
)
from farkel.terminal.setup import DICE, called, new_record_path, parse_players, saved, you
from farkel.terminal.streams import STOPPED, if_stopped
from farkel.terminal.typed_turns import turn_may_be_typed, typed_turn
from farkel.terminal.watch_lines import watch_lines

if TYPE_CHECKING:
    from farkel.terminal.saved_games import SavedGame

T = TypeVar("T")

TYPED = """\
  r                 roll, or take the most points and roll on
  b, bank           take the most points that may be banked, and bank
  11 r    11 b      keep these dice, then roll on or bank"""
TYPED_AT_AN_OFFER = "  f    t    t 2     start fresh, take over, take over with two dice"
TYPED_AT_ANY_TIME = """\
  Enter             roll, or hear again what you may keep
  u                 undo the last decision, if no dice have been rolled since"""
TYPED_OF_REAL_DICE = """\
  112345            what you rolled
  350    350 2      a whole turn: its points, and dice left if the rules ask
  farkle            your whole turn, or this roll; farkle 2: with two dice
  fell              a die fell off the table: roll again, or as the rules say"""
TYPED_TO_SEE = """\
  hint    solve     the best action, and why; solve: by winning chances too
  card              the card to play by
  s                 the score sheet
  ?                 the rules
  log               everything that has happened
  review            mistakes and luck so far, in winning chance
  watch             the game so far again, move by move
  leave             leave the game for good
  q                 stop; your game is saved, so you can resume it
  h                 this help"""


BANKS = ("b", "bank")
PLAIN_WIDTH = 79
"""Width of the score sheet, if the screen is not narrower: plain lines may go to a file."""


class Quit(Exception):
    """A player wants to stop."""


def play_plain(match: Match, others: Sequence[SavedGame] = ()) -> int:
    """Play the game to its end on standard input and output. Returns the exit status: 1 if the input ended early.

    ``others`` are games that could be resumed instead.
    """
    path = match.path
    try:
        with if_stopped(lambda: say(_saved(match))):
            _opening(match, others)
            if match.state.over:
                say(ending(match.state, match.names))
            elif not match.bots.ready:
                work(
                    "The bots are calculating their strategy for these rules. This happens only once.",
                    match.bots.prepare,
                )
            _play_on(match)
    except EndOfInput:
        say(f"The input has ended. {_saved(match)}")
        return 1
    except RecordError as error:
        say(f"The game has stopped: {error.message}. Everything shown before is saved in:\n{path}")
        return 1
    except PlayerError as error:
        say(f"The game has stopped: {error.message}. {_saved(match)}")
        return 1
    except Quit:
        say(_saved(match))
        return 0
    except KeyboardInterrupt:
        say(f"\n{_saved(match)}")
        return STOPPED
    finally:
        match.close()
    return 0


def _saved(match: Match) -> str:
    return saved(match.path, over=match.state.over, plain=True)


def _play_on(match: Match) -> None:
    """Play to the end of the game, and tell how it went; a person may look back then, or undo the end."""
    while not match.state.over:
        _step(match)
    for line in (scores_line(match.names, match.state), *summary_lines(match)):
        say(line)
    if match.record.secret is not None:
        say(f"The secret of the dice is revealed. Verify them with: farkel verify {called(match.path)}")
    say(_saved(match))
    if typing() and _looked_back(match):
        _play_on(match)


def _looked_back(match: Match) -> bool:
    """Let a person look back on a game that is over. True if they have undone its end."""
    try:
        while match.state.over:
            answer = _command(match, "Type review, watch, log or card; Enter ends: ")
            if answer == "":
                return False
            if answer is not None:
                say(f'The game is over, so "{clipped(answer)}" does nothing; u undoes the last decision.')
    except (EndOfInput, Quit):
        return False
    return True


def _opening(match: Match, others: Sequence[SavedGame]) -> None:
    """Show the game, its file, and earlier events."""
    for line in opening(match.record.header):
        say(line)
    say("Type h for help, ? for the rules. Your game is saved as you play, in:")
    say(str(match.path))
    if others:
        say("Other unfinished games (farkel play --plain --resume FILE):")
        for other in others:
            say(f"  {other}  {other.path}")
    if match.record.dropped:
        say(
            f"The last line of the record was cut off, so it was removed: {match.record.dropped}\n"
            "Everything before it is saved."
        )
    if match.moves:
        say(f"Resuming after event {match.moves[-1].number}. {scores_line(match.names, match.state)}")


def summary_lines(match: Match) -> list[str]:
    """Return the game in a few lines, one a seat, and the points by round."""
    lines = []
    for name, seat in zip(match.names, summarise(match.moves, len(match.names)), strict=True):
        lines.append(f"{name}: {seat}.")
        lines.append(f"  {name} after each turn: {' '.join(f'{score:,}' for score in seat.scores)}")
    return lines


def start_plain(
    rules: Rules | None,
    dice: str | None,
    seed: str,
    words: tuple[str, ...],
    record: Path | None,
    folder: Path | None = None,
) -> Match:
    """Start a game after asking for missing answers, each with a default that Enter takes."""
    try:
        if rules is None:
            rules = _asked(f"Which rules? A name, or ? for all names. [{DEFAULT}] ", DEFAULT, _rule_set)
        say("Players are names and bots: " + ", ".join(f"bot:{name}" for name in player_names()) + ".")
        while True:
            default = f"{you()},bot:cautious"
            seats = _asked(f"Who plays? [{default}] ", default, parse_players)
            if len(seats) > rules.most_seats:
                say(f"{rules.name} is for at most {rules.most_seats} players.")
                continue
            try:
                Bots(rules, seats, own_players(seats)).check()
                break
            except FarkelError as error:
                say(error.message)
        kind = "seeded" if seed else dice
        if kind is None:
            kind = _asked("Dice: system, committed or manual (real dice)? [system] ", "system", _dice_kind)
    except EndOfInput:
        raise FarkelError(
            "no_input", "the input has ended: give --players, such as --players human:Ann,bot:cautious"
        ) from None
    setup = Setup(rules, seats, kind, seed, words)  # type: ignore[arg-type]
    return Match.start(setup, record or new_record_path(rules, folder))


def _step(match: Match) -> None:
    """Take one step: let dice fall, let a player decide, or ask."""
    state = match.state
    if state.dice_due:
        if match.manual:
            _typed_throw(match)
        elif match.player is not None or (state.phase is Phase.ROLL and state.points and not state.taking):
            _tell(match, match.throw())
        else:
            _first_throw(match)
    elif (action := match.decide()) is not None:
        _tell(match, match.act(action))
    elif state.phase is Phase.OFFER:
        _offer(match)
    else:
        _decision(match)


def _first_throw(match: Match) -> None:
    who, dice = match.person, counted_dice(match.state.dice_due)
    purpose = " for the start" if match.state.phase is Phase.START else ""
    answer = _command(match, f"{who}, Enter to roll {dice}{purpose}: ")
    if answer in ("", "r", "roll"):
        _tell(match, match.throw())
    elif answer in BANKS:
        say(NOTHING_TO_BANK)
    elif answer is not None:
        say(f'"{clipped(answer)}" does nothing now: press Enter to roll, or h for help.')


def _typed_throw(match: Match) -> None:
    whole = f", or the whole turn (350, {farkle_word(match.rules.name)})" if turn_may_be_typed(match) else ""
    answer = _command(match, f"{roll_asked(match)}{whole}: ")
    if answer is None or _typed_turn(match, answer):
        return
    if answer in BANKS and whole:
        say("Type the points of the whole turn to bank them, such as 350.")
        return
    if answer == "fell":
        happened = match.dice_fell()
        if happened:
            _tell(match, happened)
        else:
            say(f"Roll all {counted_dice(match.state.dice_due)} again.")
        return
    try:
        _tell(match, match.act(Throw(parse_roll(answer, match.rules.dice))))
    except DiceError as error:
        say(sentence(error.message))
    except IllegalEvent as error:
        meant = (
            f" A turn of {answer} points is typed as +{answer}."
            if whole and typed_turn(f"+{answer}", match.state)
            else ""
        )
        say(sentence(error.reason) + meant)


def _typed_turn(match: Match, answer: str) -> bool:
    """Enter a whole turn of real dice; return False if the answer is none, or a bot decides."""
    turn = typed_turn(answer, match.state) if turn_may_be_typed(match) else None
    if turn is None:
        return False
    try:
        note = turn.note(match.state)
        found = doubts(match.state, note)
    except (IllegalEvent, PositionError) as error:
        say(sentence(error.reason if isinstance(error, IllegalEvent) else error.message))
        return True
    for doubt in found:
        say(sentence(doubt.sentence))
    if not found or ask("Enter it anyway? Type yes to confirm: ").lower() in ("y", "yes"):
        _play(match, note)
    return True


def _offer(match: Match) -> None:
    """Tell once what is on offer, and ask until something has happened."""
    state = match.state
    _tell_offer(match)
    how_many = " and how many" if match.rules.take_over.choose_dice else ""
    while match.state is state:
        answer = _command(match, f"{match.person}, start fresh (f) or take over (t{how_many})? ")
        if answer == "":
            _tell_offer(match)
        elif answer is not None and not _typed_turn(match, answer):
            _start(match, answer)


def _tell_offer(match: Match) -> None:
    state, offer, take = match.state, match.state.offer, match.rules.take_over
    if offer is None:
        return
    price = {"lives": "one life per die", "stake": f"a stake of {take.stake:,} points"}.get(take.price, "free")
    risk = ", ".join(
        f"{counted_dice(dice)} {float(score_table(match.rules).farkles(dice)):.1%}"
        for dice in (range(1, offer.dice + 1) if take.choose_dice else [offer.dice])
    )
    dice = counted_dice(offer.dice)
    say(f"On offer: {offer.points:,} points and {dice}, {price}. Chance of a {farkle_word(match.rules.name)}: {risk}.")
    if take.costs_lives and (lives := lives_left(state)):
        say(lives)


def _start(match: Match, answer: str) -> None:
    """Start the turn as it was typed, or say what may be typed."""
    offer = match.state.offer
    taking = re.fullmatch(r"t(?:ake(?: over)?)? *(\d{0,3})", answer)
    if answer in ("f", "fresh", "start fresh"):
        _play(match, Fresh())
    elif taking:
        _play(match, TakeOver(int(taking[1] or (offer.dice if offer else 0))))
    else:
        say(f'"{clipped(answer)}" does nothing now: type f to start fresh or t to take over, or h for help.')


def _decision(match: Match) -> None:
    """Tell once what may be kept, and ask until something has happened."""
    state = match.state
    _tell_keeps(match)
    while match.state is state:
        answer = _command(match, f"{match.person}, keep and roll or bank (11 r, 11 b; r or b takes the most points): ")
        if answer == "":
            _tell_keeps(match)
        elif answer is not None and not _typed_turn(match, answer):
            _decide(match, answer)


def _tell_keeps(match: Match) -> None:
    state, table = match.state, score_table(match.rules, match.state.sets)
    keeps = state.scored.keeps if state.scored else {}
    say(f"You may keep (turn total so far {state.points:,}):")
    for dice, kept in keeps.items():
        say(f"  {keep_text(table, kept, state.turn_total(dice) - state.points, state.scored)}")
    needs = state.bank_needs
    if state.turn_total(next(iter(keeps))) < needs:
        say(f"You need {needs:,} in this turn to bank.")
    if state.owing > 1:
        say(f"Keep dice for {state.owing:,} more points before you bank.")


def _decide(match: Match, answer: str) -> None:
    """Play the keep that was typed, or say why it is impossible."""
    parsed = re.fullmatch(r"(?:keep )?([\d\s,-]*?)[\s,]*(?:and )?(r|roll|roll on|b|bank)", answer)
    if parsed is None:
        say(f'"{clipped(answer)}" is no keep. Type the dice to keep, then r or b: 115 r. Or h for help.')
        return
    then: Then = "bank" if parsed[2] in BANKS else "roll"
    try:
        action = Keep(parse_roll(parsed[1]), then) if parsed[1].strip() else _best(match.state, then)
    except DiceError as error:
        say(sentence(error.message))
        return
    if _play(match, action) and then == "roll" and not match.manual:
        _tell(match, match.throw())


def _best(state: State, then: Then) -> Keep:
    """Return the keep with the most points that may be followed like that; banked, the one that scores most."""
    keeps = [Keep(dice, then) for dice in (state.scored.keeps if state.scored else ())]
    allowed = [keep for keep in keeps if is_legal(state, keep)]
    if then == "bank" and allowed:
        return max(allowed, key=lambda keep: apply(state, keep).seats[state.seat].score)
    return (allowed or keeps)[0]


def _play(match: Match, action: Event) -> bool:
    """Play the game asked for, or say why it is impossible."""
    try:
        _tell(match, match.act(action))
    except IllegalEvent as error:
        say(sentence(error.reason))
        return False
    return True


def _tell(match: Match, happened: Iterable[Fact]) -> None:
    for fact in happened:
        say(tell(fact, match.names, match.state))
    if match.moves[-1].ends_turn and not match.state.over:
        say(scores_line(match.names, match.state))


def _command(match: Match, prompt: str) -> str | None:
    """Return an answer that is for the game, in small letters; None after a command that was carried out here."""
    answer = ask(prompt).lower()
    if answer in ("q", "quit"):
        raise Quit
    if answer not in COMMANDS:
        return answer
    COMMANDS[answer](match)
    return None


def _help(match: Match) -> None:
    """Say what may be typed in this game: without real dice, for example, nobody types what was rolled."""
    offers = [TYPED_AT_AN_OFFER] if match.rules.take_over.allowed else []
    real = [TYPED_OF_REAL_DICE] if match.manual else []
    say("\n".join([TYPED, *offers, TYPED_AT_ANY_TIME, *real, TYPED_TO_SEE]))


def _scores(match: Match) -> None:
    say("\n".join(whole_sheet(match, min(PLAIN_WIDTH, room() or PLAIN_WIDTH))))
    say(scores_line(match.names, match.state))


def _undo(match: Match) -> None:
    try:
        gone = match.undo()
        what = counted(len(gone), "event", "events") if gone else "the die that fell off"
        say(f"Undone: {what}. {scores_line(match.names, match.state)}")
    except CannotUndo as error:
        say(error.message)


def _leave(match: Match) -> None:
    """Let the player whose turn it is leave for good, once they have confirmed it."""
    name = match.seating.name
    if ask(f"{name} leaves this game for good? Type yes to confirm: ").lower() in ("y", "yes"):
        _play(match, Leave(match.state.seat))
    else:
        say(f"{name} plays on.")


def _card(match: Match) -> None:
    _read("Calculating the card for these rules, only once.", match.rules, card_page)


def _review(match: Match) -> None:
    _read("Calculating winning chances for every move.", match.record, review_page)


def _read(what: str, of: T, page: Callable[[T, Progress], str]) -> None:
    """Say a page that takes time to make, or why there is none."""
    pages: list[str] = []
    try:
        work(what, lambda progress: pages.append(page(of, progress)))
    except FarkelError as error:
        say(sentence(error.message))
    for made in pages:
        say(made)


def _hint(match: Match) -> None:
    """Say the best action, and why."""
    if not (match.seating.human and hints.decision_due(match.state)):
        say(hints.no_decision(match.state))
        return
    hint, knowledge = hints.forced(match.state), None
    if hint is None:
        if not hints.at_once(match.rules):
            say("One moment: the first hint for these rules has to be calculated.")
        try:
            knowledge = hints.consult(match.rules, match.people)
        except FarkelError as error:
            say(sentence(error.message))
            return
        hint = hints.hint(knowledge, match.state)
    say(f"Hint: {hint.what}")
    say(hint.why)
    for row in hint.rows:
        say(f"  {row}")
    if knowledge and knowledge.missing:
        say(f"{knowledge.missing}{' Type solve to do it.' if knowledge.solvable else ''}")


def _solve(match: Match) -> None:
    """Calculate winning chances, so that hints have them."""
    try:
        knowledge = hints.consult(match.rules, match.people)
        if knowledge.solvable:
            work(
                "Calculating winning chances, only once.",
                lambda progress: hints.solve(match.rules, match.people, progress),
            )
        else:
            say(knowledge.missing or "There is nothing to calculate. Type hint.")
    except FarkelError as error:
        say(sentence(error.message))


def _rule_set(text: str) -> Rules:
    if text == "?":
        raise FarkelError("asked", f"Rule sets: {', '.join(names())}. farkel rules describes them.")
    return load(text)


COMMANDS: dict[str, Callable[[Match], None]] = {
    **dict.fromkeys(("h", "help"), _help),
    **dict.fromkeys(("?", "rules"), lambda match: say(sheet(match.rules).text(prose()))),
    **dict.fromkeys(("s", "scores"), _scores),
    **dict.fromkeys(("u", "undo"), _undo),
    **dict.fromkeys(("l", "log"), lambda match: say("\n".join(log_lines(match)))),
    "hint": _hint,
    "solve": _solve,
    "card": _card,
    "review": _review,
    "watch": lambda match: watch_lines(match.record),
    "leave": _leave,
}
"""What may be typed at every question of a game."""


def _asked(prompt: str, default: str, parse: Callable[[str], T]) -> T:
    """Ask until the answer can be used."""
    while True:
        try:
            return parse(ask(prompt) or default)
        except FarkelError as error:
            say(error.message)


def _dice_kind(text: str) -> DiceKind:
    for kind in DICE:
        if kind.startswith(text.lower()):
            return kind
    raise FarkelError("bad_dice", f'"{text}" is not a kind of dice; choose system, committed or manual')
