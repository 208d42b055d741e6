"""What is played, by whom and with which dice: asked once, with defaults that Enter takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Static

from farkel.errors import FarkelError, RulesError
from farkel.match import Setup
from farkel.players import PLAYERS
from farkel.record import DiceKind, Seating, check_seats
from farkel.rules import Rules, Variation, named, names, parse, search, variations
from farkel.rules.sheet import first_entered
from farkel.terminal.app.dialogs import AskName, Marking, Question, rule_sheet
from farkel.terminal.app.main import MainScreen
from farkel.terminal.app.picker import Picker
from farkel.terminal.saved import Saved, saved_games
from farkel.terminal.setup import bot, parse_players, you

KINDS: dict[DiceKind, str] = {
    "system": "thrown by the machine",
    "committed": "committed, so that they can be checked afterwards",
    "manual": "real dice, typed in",
}


class SetupScreen(MainScreen):
    """Asks for what a game needs."""

    AUTO_FOCUS = "#rules"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,s,S", "start", "Start", key_display="Enter"),
        Binding("p,P,n,N", "add_person", "Person", key_display="P"),
        Binding("b,B", "add_bot", "Bot", key_display="B"),
        Binding("e,E", "rename", "Rename", key_display="E"),
        Binding("x,X,delete", "remove", "Remove", key_display="X"),
        Binding("w,W", "add_word", "Word", key_display="W"),
        Binding("v,V", "vary", "Variations", show=False),
        Binding("slash,f,F", "find", "Find", show=False),
        Binding("question_mark,h,H", "rules", "Rules", key_display="?"),
        Binding("g,G", "go_on", "Resume", key_display="G"),
        Binding("q,Q,escape", "quit", "Quit", key_display="Q"),
    ]

    def __init__(self, problem: str = "") -> None:
        super().__init__()
        self.problem = problem
        self.seats: list[Seating] = [Seating(you(), (you(),))]
        self.seats.append(bot("cautious", self.seats))
        self.sets: list[Rules] = []
        self.varied: dict[str, tuple[str, ...]] = {}
        """Variations that are switched on, of sets that were looked at."""
        self.kinds: list[DiceKind] = []
        self.words: tuple[str, ...] = ()
        self.saved: tuple[Saved, ...] = ()

    @property
    def rules(self) -> Rules:
        """The rules that are chosen, with their variations."""
        return self._with_variations(self.chosen)

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
        self.sets, rules = self._all_sets(), app.rules
        if asked := _asked_for(rules):
            rules, self.varied[asked[0]] = named(asked[0]), asked[1]
        seeded: list[DiceKind] = ["seeded"] if app.dice == "seeded" else []
        self.kinds = [*seeded, *KINDS]
        lines = [KINDS.get(kind, f"repeatable, from the seed {app.seed}") for kind in self.kinds]
        yield Static("Farkel: a new game", classes="title", markup=False)
        with Horizontal(id="asked"):
            yield Picker("Rules", [each.name for each in self.sets], self.sets.index(rules), id="rules")
            with Vertical():
                yield Picker("Who plays, in order", [], id="seats")
                yield Picker("Dice", lines, self.kinds.index(app.dice), id="kinds")
        yield Static(id="about", markup=False)
        yield Static(id="problem", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.saved = saved_games(self.farkel.folder)
        self.show()
        if self.problem:
            self.say(self.problem)
        elif self.saved:
            others = f" or one of {len(self.saved) - 1} others" if len(self.saved) > 1 else ""
            self.say(f"Press G to resume your last game{others}: {self.saved[0]}.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "add_word":
            return self.kind == "committed"
        if action == "vary":
            return bool(self._variations())
        return bool(self.saved) if action == "go_on" else True

    def show(self, at: int | None = None) -> None:
        """Draw the seats, with the mark at one of them, and what the rules are about."""
        seats = self.query_one("#seats", Picker)
        seats.show([described(seat) for seat in self.seats], seats.index if at is None else at)
        first = first_entered(self.rules)
        about = [self.chosen.title, self.chosen.about, *([first] if first else []), self._varied_in_words()]
        self.query_one("#about", Static).update("\n".join(about))
        self.refresh_bindings()

    def say(self, text: str) -> None:
        """Say what is wrong, or what else can be done."""
        self.query_one("#problem", Static).update(text)

    def on_picker_changed(self, event: Picker.Changed) -> None:
        self.say("")
        self.show()

    def action_start(self) -> None:
        kind, seats = self.kind, tuple(self.seats)
        seed = self.farkel.seed if kind == "seeded" else ""
        self.farkel.start(Setup(self.rules, seats, kind, seed, self.words), self.say)

    def action_go_on(self) -> None:
        if len(self.saved) == 1:
            self._resume(self.saved[0])
            return
        answers = [(str(number), str(saved)) for number, saved in enumerate(self.saved, 1)]

        def chosen(key: str | None) -> None:
            if key and key.isdigit():
                self._resume(self.saved[int(key) - 1])

        self.app.push_screen(Question("Resume which game?", [*answers, ("escape", "None")]), chosen)

    def _resume(self, saved: Saved) -> None:
        self._try(lambda: self.farkel.resume(saved.path))

    def action_add_person(self) -> None:
        team = " A team is written Reds=Ann+Ben." if self.rules.team_size > 1 else ""
        self.app.push_screen(AskName(f"Who else plays?{team}"), self._seated)

    def _seated(self, text: str | None) -> None:
        if text:
            self._try(lambda: self._change([*self.seats, *seats_of(text)], len(self.seats)))

    def action_add_bot(self) -> None:
        points = str(10 * (self.rules.scoring.worth((5,)) or 50))
        kinds = [kind.replace("N", points) for kind in PLAYERS][:9]
        answers = [
            (str(number), f"{kind:<15}{about.replace('N', points)}")
            for number, (kind, about) in enumerate(zip(kinds, PLAYERS.values(), strict=False), 1)
        ]

        def chosen(key: str | None) -> None:
            if key and key.isdigit():
                kind = kinds[int(key) - 1]
                self._try(lambda: self._change([*self.seats, bot(kind, self.seats)], len(self.seats)))

        self.app.push_screen(Question("Which bot?", [*answers, ("escape", "None")]), chosen)

    def action_rename(self) -> None:
        at = self.query_one("#seats", Picker).index
        if not self.seats:
            return
        seat = self.seats[at]

        def renamed(text: str | None) -> None:
            if not text:
                return
            self._try(lambda: self._change([*self.seats[:at], *_renamed(seat, text), *self.seats[at + 1 :]], at))

        value = f"{seat.name}={'+'.join(seat.people)}" if len(seat.people) > 1 else seat.name
        self.app.push_screen(AskName(f"What is {seat.name} called?", value), renamed)

    def action_add_word(self) -> None:
        def added(word: str | None) -> None:
            if word:
                self.words = (*self.words, word)
                self.say(f"Mixed into the dice, so that nobody can know them before: {', '.join(self.words)}.")

        self.app.push_screen(AskName("A word of your own, to be mixed into the dice:"), added)

    def action_remove(self) -> None:
        at = self.query_one("#seats", Picker).index
        del self.seats[at : at + 1]
        self.say("")
        self.show()

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
                self.say(error.message)
            else:
                self.varied[name] = marked
                self.say("")
            self.show()

        self.app.push_screen(Marking(f"Variations of {name}", lines, self.varied.get(name, ())), chosen)

    def action_find(self) -> None:
        self.app.push_screen(
            AskName("Find rules by name, game, language or rule (empty: all)", enter="find"), self._found
        )

    def _found(self, text: str | None) -> None:
        if text is None:
            return
        try:
            found = [named(one.name) for one in search(text)] if text else self._all_sets()
        except RulesError as error:
            self.say(f"{error.message}.")
            return
        chosen = self.chosen
        self.sets = found
        self.query_one("#rules", Picker).show([each.name for each in found], 0 if text else found.index(chosen))
        several = f"{len(found)} rule sets fit" if len(found) > 1 else "One rule set fits"
        self.say(f"{several}; press / and Enter to see all." if text else "")
        self.show()

    def _all_sets(self) -> list[Rules]:
        """The catalogue; in front of it the rules that the game was started with, if it lacks them."""
        sets = [named(name) for name in names()]
        return sets if _asked_for(self.farkel.rules) else [self.farkel.rules, *sets]

    def _variations(self) -> tuple[Variation, ...]:
        """The variations of the set that is chosen; none of rules of one's own."""
        return variations(self.chosen.name) if str(self.chosen) == self.chosen.name else ()

    def _with_variations(self, rules: Rules) -> Rules:
        marked = self.varied.get(rules.name, ()) if str(rules) == rules.name else ()
        return parse(_notation(rules.name, marked)) if marked else rules

    def _varied_in_words(self) -> str:
        """The variations that are on, or how to come by them."""
        marked = self.varied.get(self.chosen.name, ())
        if self._variations() and marked:
            return f"With {', '.join(marked)}. V changes that, ? shows the rules."
        more = "V for its variations, " if self._variations() else ""
        return f"Press {more}? to read the rules, / to find others."

    def action_rules(self) -> None:
        self.app.push_screen(rule_sheet(self.rules))

    def action_quit(self) -> None:
        self.app.exit(0)

    def _change(self, seats: list[Seating], at: int) -> None:
        check_seats(seats)
        self.seats = seats
        self.say("")
        self.show(at)

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except FarkelError as error:
            self.say(f"{error.message}.")


def _notation(name: str, marked: Sequence[str]) -> str:
    """A set of the catalogue with some of its variations."""
    return f"{name}:{','.join(marked)}" if marked else name


def _asked_for(rules: Rules) -> tuple[str, tuple[str, ...]] | None:
    """The set and the variations that rules are; none of rules that differ in other ways."""
    name, _, marked = str(rules).partition(":")
    return (name, tuple(filter(None, marked.split(",")))) if name in names() and "(" not in marked else None


def seats_of(text: str) -> tuple[Seating, ...]:
    """The seats of what was typed: a name, several, or a team ``Reds=Ann+Ben``."""
    return parse_players("", text) if "+" in text else parse_players(text)


def _renamed(seat: Seating, text: str) -> tuple[Seating, ...]:
    return seats_of(text) if seat.human else (Seating(text, (text,), seat.player),)


def described(seat: Seating) -> str:
    """A seat in a line: its name, and who decides or who is in the team."""
    if not seat.human:
        return f"{seat.name} ({seat.player})"
    return f"{seat.name}: {' and '.join(seat.people)}" if len(seat.people) > 1 else seat.name
