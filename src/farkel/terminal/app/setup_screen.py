"""The set-up: rules, players and dice, as they were the last time. Enter starts the game."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from farkel.errors import FarkelError, RulesError
from farkel.play.match import Setup
from farkel.players import PLAYERS
from farkel.records import DiceKind, Seating, check_seats, naming
from farkel.rules import Rules, Variation, load, named, names, parse, search, variations
from farkel.rules.sheets.starting import first_entered
from farkel.support.words import counted, counted_dice, sentence
from farkel.terminal.app.dialogs import AskName, Marking, Question, rule_sheet
from farkel.terminal.app.fields_screen import FieldsScreen
from farkel.terminal.app.games_screen import GamesScreen
from farkel.terminal.app.preferences import MOST_FILES
from farkel.terminal.app.screens import CARD, RULES, FarkelScreen
from farkel.terminal.app.widgets import Keys, Picker
from farkel.terminal.saved_games import SavedGame, newest, unfinished
from farkel.terminal.setup import bot, games_folder, parse_players, you

KINDS: dict[DiceKind, str] = {
    "system": "rolled by the program",
    "committed": "committed: can be verified",
    "manual": "real dice: you type rolls",
}


LISTS = {"vary": "rules", "change_rules": "rules", "add_word": "kinds"} | dict.fromkeys(
    ("team", "rename", "remove", "reorder"), "seats"
)
"""The list that an action is for: it must have the focus."""
MOVE = "Move the player up or down in the order of play; < and > do the same."


class SetupScreen(FarkelScreen[None]):
    """Asks for the players, rules and dice of a game."""

    AUTO_FOCUS = "#rules"
    ABOUT = (
        "A new game. Choose the rules, the players in the order of play, and the dice; then press Enter. "
        "Space, E and X are for the list with the heavy border: Tab goes to the next one."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "Start", key_display="Enter", tooltip="Start the game."),
        Binding("tab", "app.focus_next", "Next list", key_display="Tab", tooltip="To the next of the three lists."),
        Binding("n,N", "new_player", "New player", key_display="N", tooltip="Add a person, a team or a bot."),
        Binding("space", "vary", "Variations", key_display="Space", tooltip="Tick variations of the rules."),
        Binding("space", "team", "Team", key_display="Space", tooltip="Join people into a team, or split it."),
        Binding("space", "add_word", "Add a word", key_display="Space", tooltip="Add a word of yours to the dice."),
        Binding("e,E", "change_rules", "Edit", key_display="E", tooltip="Edit the rules, field by field."),
        Binding("e,E", "rename", "Edit", key_display="E", tooltip="Edit the player's name."),
        Binding("x,X,delete", "remove", "Remove", key_display="X", tooltip="Remove the player from the game."),
        Binding("shift+up,less_than_sign", "reorder(-1)", "Move", key_display="Shift+↑↓", tooltip=MOVE),
        Binding("shift+down,greater_than_sign", "reorder(1)", show=False, tooltip=MOVE),
        Binding("slash", "find", "Find", key_display="/", tooltip="Find rules, or type them: standard(target=5000)."),
        Binding("o,O", "open", "Open", key_display="O", tooltip="Open a file of house rules."),
        RULES,
        CARD,
        Binding("g,G", "games", "My games", key_display="G", tooltip="Your saved games: resume, watch, review."),
        Binding("q,Q", "app.exit", "Leave", key_display="Q", tooltip="Leave Farkel."),
        Binding("escape", "app.exit", show=False, tooltip="Leave Farkel."),
    ]

    def __init__(self, problem: str = "") -> None:
        super().__init__()
        self.problem = problem
        self.seats: list[Seating] = []
        self.files: list[str] = []
        """Files of house rules, the last one first."""
        self.house: list[Rules] = []
        """The rules in them."""
        self.own: list[Rules] = []
        """Rules that were typed or changed here, the last ones first."""
        self.sets: list[Rules] = []
        self.varied: dict[str, tuple[str, ...]] = {}
        """Variations that are switched on, of sets that were looked at."""
        self.kinds: list[DiceKind] = []
        self.words: tuple[str, ...] = ()
        self.saved: tuple[SavedGame, ...] = ()
        self.any_games = False

    @property
    def rules(self) -> Rules:
        """The rules that are chosen, with their variations."""
        chosen = self.chosen
        marked = self.varied.get(chosen.name, ()) if str(chosen) == chosen.name else ()
        return parse(_notation(chosen.name, marked)) if marked else chosen

    @property
    def chosen(self) -> Rules:
        """The rule set that is chosen, as it is in the list."""
        return self.sets[self.query_one("#rules", Picker).index]

    @property
    def kind(self) -> DiceKind:
        """The dice that are chosen."""
        return self.kinds[self.query_one("#kinds", Picker).index]

    def compose(self) -> ComposeResult:
        app = self.farkel
        self.words = app.words
        self.seats = list(app.preferences.seats) or default_seats()
        self._read_files(app.preferences.files)
        self.sets, rules = self._all_sets(), app.rules
        if asked := _asked_for(rules):
            rules, self.varied[asked[0]] = named(asked[0]), asked[1]
        seeded: list[DiceKind] = ["seeded"] if app.dice == "seeded" else []
        self.kinds = [*seeded, *KINDS]
        lines = [KINDS.get(kind, f"repeatable, from seed {app.seed}") for kind in self.kinds]
        yield Static("Farkel: new game    Ctrl+P: themes, bell and more", classes="title", markup=False)
        with Horizontal(id="asked"):
            yield Picker(
                "Rules",
                list(map(labelled, self.sets)),
                self.sets.index(rules),
                id="rules",
            )
            with Vertical():
                yield Picker("Players, in order", [], id="seats")
                yield Picker("Dice", lines, self.kinds.index(app.dice), id="kinds")
        yield Static(id="about", markup=False)
        yield Static(id="problem", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#kinds").styles.height = len(self.kinds) + 2  # the border
        self._look_for_games()
        self.show()
        if self.problem:
            self.say(self.problem)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in LISTS and self.focused is not None and self.focused.id != LISTS[action]:
            return False
        if action == "add_word":
            return self.kind == "committed"
        if action == "team":
            return (self.rules.team_size > 1 and sum(seat.human for seat in self.seats) > 1) or self._team() is not None
        if action == "vary":
            return bool(self._variations())
        return self.any_games if action == "games" else True

    def show(self, at: int | None = None) -> None:
        """Draw the seats, with the mark at one of them, and a description of the rules."""
        seats = self.query_one("#seats", Picker)
        seats.show([described(seat) for seat in self.seats], seats.index if at is None else at)
        first = first_entered(self.rules)
        heading = f"{self.chosen.called}: {special(self.rules)}"
        about = [heading, self.chosen.about or str(self.rules), first, self._varied_in_words()]
        self.write("about", "\n".join(filter(None, about)))
        self.refresh_bindings()

    def on_picker_changed(self, event: Picker.Changed) -> None:
        self.say("")
        self.show()

    def action_start(self) -> None:
        kind, seats = self.kind, tuple(self.seats)
        seed = self.farkel.seed if kind == "seeded" else ""
        self.farkel.remember(files=tuple(self.files))
        self.farkel.start(Setup(self.rules, seats, kind, seed, self.words), self.say)

    def action_games(self) -> None:
        """Show all saved games, with the mark at the one to resume first."""

        def chosen(path: Path | None) -> None:
            self._look_for_games()
            if path is not None:
                self.attempt(lambda: self.farkel.resume(path))

        first = self.saved[0].path if self.saved else None
        self.app.push_screen(GamesScreen(self.farkel.folder or games_folder(), first), chosen)

    def _look_for_games(self) -> None:
        folder = self.farkel.folder or games_folder()
        self.any_games = bool(newest(folder))
        self.saved = unfinished(folder, most=1)
        self.say(f"Press G to resume your last game: {self.saved[0]}." if self.saved else "")
        self.refresh_bindings()

    def _add_person(self) -> None:
        team = " (a team: Reds=Ann+Ben)" if self.rules.team_size > 1 else ""
        self.app.push_screen(AskName(f"Name of the new player:{team}"), self._seated)

    def _seated(self, text: str | None) -> None:
        if text:
            self.attempt(lambda: self._change([*self.seats, *seats_of(text)], len(self.seats)))

    def action_new_player(self) -> None:
        points = str(10 * (self.rules.scoring.worth((5,)) or 50))
        kinds = [kind.replace("N", points) for kind in PLAYERS][:9]
        answers = [
            (str(number), f"{kind:<15}{about.replace('N', points)}")
            for number, (kind, about) in enumerate(zip(kinds, PLAYERS.values(), strict=False), 1)
        ]

        def chosen(key: str | None) -> None:
            if key == "n":
                self._add_person()
            elif key and key.isdigit():
                kind = kinds[int(key) - 1]
                self.attempt(lambda: self._change([*self.seats, bot(kind, self.seats)], len(self.seats)))

        people = ("n", "A person, or a team" if self.rules.team_size > 1 else "A person")
        self.app.push_screen(Question("Who joins?", [people, *answers, ("escape", "Nobody")]), chosen)

    def action_rename(self) -> None:
        at = self.query_one("#seats", Picker).index
        if not self.seats:
            return
        seat = self.seats[at]

        def renamed(text: str | None) -> None:
            if not text:
                return
            self.attempt(lambda: self._change([*self.seats[:at], *_renamed(seat, text), *self.seats[at + 1 :]], at))

        people = "+".join(map(naming.typed, seat.people))
        value = f"{naming.typed(seat.name)}={people}" if len(seat.people) > 1 else naming.typed(seat.name)
        self.app.push_screen(AskName(f"New name for {seat.name}:", value, enter="rename"), renamed)

    def action_add_word(self) -> None:
        def added(word: str | None) -> None:
            if word:
                self.words = (*self.words, word)
                self.say(
                    f"These words go into the dice, so the program can't choose the rolls: {', '.join(self.words)}."
                )

        self.app.push_screen(AskName("A word of your own that goes into the dice:"), added)

    def action_remove(self) -> None:
        at = self.query_one("#seats", Picker).index
        del self.seats[at : at + 1]
        self.say("")
        self.show()

    def action_reorder(self, lines: int) -> None:
        """Move the player at the mark up or down."""
        at = self.query_one("#seats", Picker).index
        to = at + lines
        if 0 <= at < len(self.seats) and 0 <= to < len(self.seats):
            self.seats[at], self.seats[to] = self.seats[to], self.seats[at]
            self.say("")
            self.show(to)

    def _team(self) -> Seating | None:
        """Return the team at the mark, if there is one."""
        at = self.query_one("#seats", Picker).index
        seat = self.seats[at] if at < len(self.seats) else None
        return seat if seat and len(seat.people) > 1 else None

    def action_team(self) -> None:
        """Join people into a team, or split the team at the mark."""
        team, at = self._team(), self.query_one("#seats", Picker).index
        if team is not None:
            people = [Seating(person, (person,)) for person in team.people]
            self.attempt(lambda: self._change([*self.seats[:at], *people, *self.seats[at + 1 :]], at))
            return
        singles = [seat.name for seat in self.seats if seat.human and len(seat.people) == 1][:9]
        size = self.rules.team_size
        if size < 2 or len(singles) < 2:
            return

        def chosen(marked: tuple[str, ...] | None) -> None:
            if not marked:
                return
            if not 2 <= len(marked) <= size:
                self.say(f"Mark {'2' if size == 2 else f'2 to {size}'} people for a team.")
                return
            self.attempt(lambda: self._change(joined(self.seats, marked), 0))

        lines = [(name, name) for name in singles]
        marked = [self.seats[at].name] if self.seats[at].name in singles else []
        self.app.push_screen(Marking("Who plays as a team?", lines, marked), chosen)

    def action_open(self) -> None:
        last = self.files[0] if self.files else ""
        self.app.push_screen(
            AskName("Open a file of house rules (.toml or .json):", last, enter="open"),
            lambda text: self.attempt(lambda: self._open(text)) if text else None,
        )

    def _open(self, text: str) -> None:
        """Choose the rules of a file. Raises `RulesError`."""
        path = Path(text).expanduser().absolute()
        rules = load(path)
        self.files = [str(path), *(file for file in self.files if file != str(path))][:MOST_FILES]
        self._read_files(self.files)
        self.farkel.remember(files=tuple(self.files))
        self.sets = self._all_sets()
        self.query_one("#rules", Picker).show(list(map(labelled, self.sets)), self.sets.index(rules))
        self.say(f"Opened {path}.")
        self.show()

    def _read_files(self, files: Sequence[str]) -> None:
        """Read files of house rules; those that have gone, or have mistakes now, are left out."""
        self.files, self.house = [], []
        for file in files:
            with suppress(FarkelError):
                rules = load(Path(file))
                self.files.append(file)
                self.house += [rules] if rules not in self.house else []

    def action_vary(self) -> None:
        found = self._variations()
        if not found:
            return
        name = self.chosen.name
        lines = [(each.name, each.about) for each in found]

        def chosen(marked: tuple[str, ...] | None) -> None:
            if marked is None:
                return
            try:
                parse(_notation(name, marked))
            except RulesError as error:
                self.say(sentence(error.message))
            else:
                self.varied[name] = marked
                self.say("")
            self.show()

        self.app.push_screen(Marking(f"Variations of {name}", lines, self.varied.get(name, ())), chosen)

    def action_find(self) -> None:
        self.app.push_screen(
            AskName(
                "Find rules by name, game, language or rule (empty: all),\nor type them: standard(target=5000)",
                enter="find",
            ),
            self._found,
        )

    def _found(self, text: str | None) -> None:
        if text is None:
            return
        if "(" in text or ":" in text:
            self.attempt(lambda: self._take(parse(text)))
            return
        try:
            found = [named(one.name) for one in search(text)] if text else self._all_sets()
        except RulesError as error:
            self.say(sentence(error.message))
            return
        chosen = self.chosen
        self.sets = found
        self.query_one("#rules", Picker).show(list(map(labelled, found)), 0 if text else found.index(chosen))
        several = f"{len(found)} rule sets fit" if len(found) > 1 else "One rule set fits"
        self.say(f"{several}; press / and Enter to see all." if text else "")
        self.show()

    def action_change_rules(self) -> None:
        """Change fields of the rules that are chosen."""

        def done(rules: Rules | None) -> None:
            if rules is not None:
                self._take(rules)

        self.app.push_screen(FieldsScreen(self.rules), done)

    def _take(self, rules: Rules) -> None:
        """Choose these rules: a set with variations, or house rules, which come first in the list."""
        asked = _asked_for(rules)
        if asked:
            rules, self.varied[asked[0]] = named(asked[0]), asked[1]
        else:
            self.own.insert(0, rules)
        self.sets = self._all_sets()
        self.query_one("#rules", Picker).show(list(map(labelled, self.sets)), self.sets.index(rules))
        self.say(f"Chosen: {self.rules}.")
        self.show()

    def _all_sets(self) -> list[Rules]:
        """Return the catalogue; before it rules of one's own, those the game was started with if it lacks them, and
        those from files.
        """
        sets = [named(name) for name in names()]
        first = [] if _asked_for(self.farkel.rules) else [self.farkel.rules]
        return list(dict.fromkeys([*self.own, *first, *self.house, *sets]))

    def _variations(self) -> tuple[Variation, ...]:
        """Return the variations of the set that is chosen; none of rules of one's own."""
        return variations(self.chosen.name) if str(self.chosen) == self.chosen.name else ()

    def _varied_in_words(self) -> str:
        """Return the variations that are on, or how to come by them."""
        marked = self.varied.get(self.chosen.name, ())
        on = [each.about for each in self._variations() if each.name in marked]
        if on:
            return f"Variations: {'; '.join(on)}."
        count = len(self._variations())
        return f"{counted(count, 'variation', 'variations')} to tick: press Space on the rules." if count else ""

    def action_rules(self) -> None:
        self.app.push_screen(rule_sheet(self.rules, self.app.size.width))

    def action_card(self) -> None:
        self.farkel.card(self.rules, self.say)

    def _change(self, seats: list[Seating], at: int) -> None:
        check_seats(seats)
        self.seats = seats
        self.say("")
        self.show(at)


def default_seats() -> list[Seating]:
    """Return the player at the keyboard, and a bot."""
    seats = [Seating(you(), (you(),))]
    return [*seats, bot("cautious", seats)]


def joined(seats: Sequence[Seating], people: Sequence[str]) -> list[Seating]:
    """Return the seats with these people as one team, where the first of them is."""
    name = " & ".join(people)
    if naming.fault(name):
        numbered = (f"Team {number}" for number in range(1, len(seats) + 2))
        name = naming.unused(numbered, [seat.name for seat in seats])
    team = Seating(name, tuple(people))
    inside = [seat.name in people for seat in seats]
    first = inside.index(True)
    return [team if at == first else seat for at, seat in enumerate(seats) if at == first or not inside[at]]


def labelled(rules: Rules) -> str:
    """Return rules as the list shows them: a set of the catalogue that was changed is marked."""
    return f"{rules.name} (changed)" if rules.name in names() and str(rules) != rules.name else rules.name


def special(rules: Rules) -> str:
    """Return the fields that make a game different, in a few words."""
    rolled = counted_dice(rules.dice) if rules.dice != 6 else ""
    exactly = "exactly " if rules.exact else ""
    parts = [
        f"{exactly}{rules.target:,} points" if rules.target else f"{rules.rounds} rounds",
        rolled,
        f"entry {rules.entry:,}" if rules.entry else "",
        f"minimum {rules.minimum:,}" if rules.minimum else "",
        f"{rules.lives.each} lives" if rules.lives.each else "",
        "take-overs" if rules.take_over.allowed else "",
        "partners" if rules.teams == "partners" else "",
    ]
    return ", ".join(filter(None, parts))


def _notation(name: str, marked: Sequence[str]) -> str:
    """Return a set of the catalogue with some of its variations."""
    return f"{name}:{','.join(marked)}" if marked else name


def _asked_for(rules: Rules) -> tuple[str, tuple[str, ...]] | None:
    """Return the set and the variations that rules are; none of rules that differ in other ways."""
    name, _, marked = str(rules).partition(":")
    return (name, tuple(filter(None, marked.split(",")))) if name in names() and "(" not in marked else None


def seats_of(text: str) -> tuple[Seating, ...]:
    """Return the seats in a typed text: a name, several, or a team ``Reds=Ann+Ben``."""
    return parse_players("", text) if len(naming.parts(text, "+")) > 1 else parse_players(text)


def _renamed(seat: Seating, text: str) -> tuple[Seating, ...]:
    name = naming.unquoted(text)
    return seats_of(text) if seat.human else (Seating(name, (name,), seat.player),)


def described(seat: Seating) -> str:
    """Return a seat in a line: its name, and who decides or who is in the team."""
    if not seat.human:
        return f"{seat.name} ({seat.player})"
    return f"{seat.name}: {' and '.join(seat.people)}" if len(seat.people) > 1 else seat.name
