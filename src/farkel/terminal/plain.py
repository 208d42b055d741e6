"""The game as plain lines: for screen readers, pipes and scripts. One question at a time, one sentence a fact."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from farkel.dice import parse_roll
from farkel.errors import CannotUndo, DiceError, FarkelError, PlayerError, RecordError
from farkel.game import (
    Action,
    Fresh,
    IllegalEvent,
    Keep,
    Leave,
    Phase,
    TakeOver,
    Throw,
)
from farkel.game.scoring import score_table
from farkel.game.story import Fact, ending, tell
from farkel.play import hints
from farkel.play.match import Bots, Match, Setup, own_players
from farkel.players import player_names
from farkel.records import DiceKind
from farkel.records.figures import summarise
from farkel.rules import DEFAULT, Rules, farkle_word, load, names, sheet
from farkel.support.progress import Progress
from farkel.support.words import counted, counted_dice, sentence
from farkel.terminal.drawing import whole_sheet
from farkel.terminal.sentences import keep_text, lives_left, roll_asked, scores_line
from farkel.terminal.setup import DICE, new_record_path, parse_players, you
from farkel.terminal.streams import STOPPED, if_stopped

if TYPE_CHECKING:
    from farkel.terminal.saved_games import SavedGame

T = TypeVar("T")

HELP = """\
  r                 roll, or take the most points and roll on
  b                 take the most points and bank
  11 r    11 b      keep these dice, then roll on or bank
  f    t    t 2     start fresh, take over, take over with two dice
  u                 undo the last decision, if no dice have been rolled since
  fell              a die fell off the table: roll again, or farkle if the rules say so (real dice)
  hint              the best action, and why; solve calculates winning chances for it if that takes seconds
  s                 the score sheet            ?  the rules           h  this help
  leave             leave the game for good    q  stop; your game is saved, so you can resume it"""


PLAIN_WIDTH = 79
"""Width of the score sheet: plain lines may go to a file, or to a screen of unknown width."""
TOLD_EVERY = 5.0
"""Seconds between two lines that show progress."""


class EndOfInput(Exception):
    """The input has ended."""


class Quit(Exception):
    """A player wants to stop."""


def play_plain(match: Match, others: Sequence[SavedGame] = ()) -> int:
    """Play the game to its end on standard input and output. Returns the exit status: 1 if the input ended early.

    ``others`` are games that could be resumed instead.
    """
    path = match.path
    saved = f"Your game is saved; resume it with: farkel play --plain --resume {path}"
    try:
        with if_stopped(lambda: say(saved)):
            _opening(match, others)
            if match.state.over:
                say(ending(match.state, match.names))
            elif not match.bots.ready:
                _work("The bots are calculating their strategy for these rules.", match.bots.prepare)
            while not match.state.over:
                _step(match)
    except EndOfInput:
        say(f"The input has ended. {saved}")
        return 1
    except RecordError as error:
        say(f"The game has stopped: {error.message}. Everything shown before is saved in {path}.")
        return 1
    except PlayerError as error:
        say(f"The game has stopped: {error.message}. It is saved; resume it with: farkel play --plain --resume {path}")
        return 1
    except Quit:
        say(saved)
        return 0
    except KeyboardInterrupt:
        say(f"\n{saved}")
        return STOPPED
    finally:
        match.close()
    say(scores_line(match.names, match.state))
    for line in summary_lines(match):
        say(line)
    if match.record.secret is not None:
        say(f"The secret of the dice is revealed; verify them with: farkel verify {path}")
    return 0


def _opening(match: Match, others: Sequence[SavedGame]) -> None:
    """Show the game, its file, and earlier events."""
    say(f"{match.rules}. Your game is saved in {match.path}. Type h for help, ? for the rules.")
    dice = match.record.header.dice
    if dice.kind == "committed":
        say(f"The dice come from a secret with the fingerprint {dice.value}: you can verify them after the game.")
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
        lines.append(
            f"{name}: {counted(seat.turns, 'turn', 'turns')}, {counted(seat.farkles, 'farkle', 'farkles')}, "
            f"best turn {seat.best:,}, {seat.mean:,.0f} points per turn."
        )
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
            say("Rule sets: " + ", ".join(names()) + ".")
            rules = _asked(f"Which rules? [{DEFAULT}] ", DEFAULT, load)
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


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def ask(prompt: str) -> str:
    """Return one line of input, without its ends. Raises `EndOfInput`."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    stream: TextIO | None = sys.stdin  # None if it was closed
    line = stream.readline() if stream is not None else ""
    if stream is None or not stream.isatty():
        sys.stdout.write("\n")
    if not line:
        raise EndOfInput
    return line.strip()


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
    elif answer is not None:
        say("Press Enter to roll, or h for help.")


def _typed_throw(match: Match) -> None:
    answer = _command(match, f"{roll_asked(match)}: ")
    if answer is None:
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
        say(f"{error.message}.")
    except IllegalEvent as error:
        say(f"{error.reason}.")


def _offer(match: Match) -> None:
    state, offer = match.state, match.state.offer
    if offer is None:
        return
    take = match.rules.take_over
    price = {"lives": "one life per die", "stake": f"a stake of {take.stake:,} points"}.get(take.price, "free")
    risk = ", ".join(
        f"{counted_dice(dice)} {float(score_table(match.rules).farkles(dice)):.1%}"
        for dice in (range(1, offer.dice + 1) if take.choose_dice else [offer.dice])
    )
    dice = counted_dice(offer.dice)
    say(f"On offer: {offer.points:,} points and {dice}, {price}. Chance of a {farkle_word(match.rules.name)}: {risk}.")
    if take.costs_lives and (lives := lives_left(state)):
        say(lives)
    how_many = " and how many" if take.choose_dice else ""
    answer = _command(match, f"{match.person}, start fresh (f) or take over (t{how_many})? ")
    if answer is None:
        return
    taking = re.fullmatch(r"t(?:ake(?: over)?)? *(\d*)", answer)
    action: Action | None = None
    if answer in ("f", "fresh", "start fresh"):
        action = Fresh()
    elif taking:
        action = TakeOver(int(taking[1] or state.offer.dice if state.offer else 0))
    if action is None:
        say("Type f to start fresh or t to take over, or h for help.")
    else:
        _play(match, action)


def _decision(match: Match) -> None:
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
    answer = _command(match, f"{match.person}, keep and roll or bank (11 r, 11 b; r or b takes the most points): ")
    if answer is None:
        return
    parsed = re.fullmatch(r"([\d\s,-]*?)\s*(r|roll|roll on|b|bank)", answer)
    if parsed is None:
        say("Type the dice to keep, then r to roll on or b to bank: 115 r. Or h for help.")
        return
    try:
        dice = parse_roll(parsed[1]) if parsed[1].strip() else next(iter(keeps))
    except DiceError as error:
        say(f"{error.message}.")
        return
    action = Keep(dice, "bank" if parsed[2].startswith("b") else "roll")
    if _play(match, action) and action.then == "roll" and not match.manual:
        _tell(match, match.throw())


def _play(match: Match, action: Action) -> bool:
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
    if answer in ("h", "help"):
        say(HELP)
    elif answer == "?":
        say(sheet(match.rules).text())
    elif answer in ("s", "scores"):
        say("\n".join(whole_sheet(match, PLAIN_WIDTH)))
        say(scores_line(match.names, match.state))
    elif answer in ("u", "undo"):
        try:
            gone = match.undo()
            what = counted(len(gone), "event", "events") if gone else "the die that fell off"
            say(f"Undone: {what}. {scores_line(match.names, match.state)}")
        except CannotUndo as error:
            say(error.message)
    elif answer == "hint":
        _hint(match)
    elif answer == "solve":
        _solve(match)
    elif answer == "leave":
        _leave(match)
    else:
        return answer
    return None


def _leave(match: Match) -> None:
    """Let the player whose turn it is leave for good, once they have confirmed it."""
    name = match.seating.name
    if ask(f"{name} leaves this game for good? Type yes to confirm: ").lower() in ("y", "yes"):
        _tell(match, match.act(Leave(match.state.seat)))
    else:
        say(f"{name} plays on.")


def _hint(match: Match) -> None:
    """Say the best action, and why."""
    if not (match.seating.human and hints.decision_due(match.state)):
        say(hints.NO_DECISION)
        return
    hint, knowledge = hints.forced(match.state), None
    if hint is None:
        if not hints.at_once(match.rules):
            say("One moment: the first hint for these rules takes a second or two.")
        try:
            knowledge = hints.consult(match.rules, match.people)
        except FarkelError as error:
            say(f"{error.message}.")
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
            _work(
                "Calculating winning chances.",
                lambda progress: hints.solve(match.rules, match.people, progress),
            )
        else:
            say(knowledge.missing or "There is nothing to calculate. Type hint.")
    except FarkelError as error:
        say(f"{error.message}.")


def _work(what: str, work: Callable[[Progress], None]) -> None:
    """Do something slow, and say how far it is: not more than a line in some seconds."""
    began = told = time.monotonic()
    say(f"{what} This takes seconds.")

    def progress(done: float, of: float) -> None:
        nonlocal told
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            say(f"  {done / of:.0%}")

    work(progress)
    say(f"Done, in {counted(round(time.monotonic() - began), 'second', 'seconds')}.")


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
