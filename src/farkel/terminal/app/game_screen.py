"""The table: dice, their points, the choices, and the score sheet.

Everything shown is derived from the match. The screen itself holds only state outside the game: which dice are
selected, the last remark, and dice that are still tumbling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Input, Static

from farkel.coach.noted_turns import doubts
from farkel.dice import KEYS, Roll, parse_roll, roll_of
from farkel.errors import CannotUndo, DiceError, PlayerError, PositionError, RecordError
from farkel.game import Event, Fresh, IllegalEvent, Keep, Leave, Phase, TakeOver, Then, Throw
from farkel.play import hints
from farkel.play.match import Match, fallen
from farkel.support.progress import Progress
from farkel.support.words import counted_dice, sentence
from farkel.terminal.app import table_text
from farkel.terminal.app.dialogs import (
    HintScreen,
    Reading,
    give_up_question,
    leave_question,
    line_dropped,
    rule_sheet,
    scores_page,
    write_failed,
)
from farkel.terminal.app.screens import CARD, LOG, RULES, SCORES, TableScreen
from farkel.terminal.app.widgets import ChoiceBar, ChoiceButton, DiceRow, Die, RollInput
from farkel.terminal.sentences import NOTHING_TO_BANK, log_lines, take_overs, title
from farkel.terminal.typed_turns import TypedTurn, turn_may_be_typed, typed_turn

BOT_PAUSE = 0.9
FARKLE_PAUSE = 1.8
"""Seconds to see a bot's move, and longer to see a farkle before the next seat plays."""

NUMBER = "Keep this die of the roll, or put it back."

TUMBLES = 8
TUMBLE = 0.06


class GameScreen(TableScreen[None]):
    """A game being played."""

    AUTO_FOCUS = ""  # the line for real dice has the focus only while there are dice to type
    ABOUT = (
        "The game. Keep scoring dice of your roll, then roll the rest or bank. With the mouse, click dice and choices."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"number({number})", show=False, tooltip=NUMBER) for number, key in enumerate(KEYS, 1)),
        Binding("r,R,space", "roll", "Roll", show=False, tooltip="Roll, or roll on with the dice left."),
        Binding("b,B", "bank", "Bank", show=False, tooltip="Bank your turn total and end your turn."),
        Binding("a,A", "most", "Most points", show=False, tooltip="Keep the dice that score most."),
        Binding("t,T", "take_over", "Take over", show=False, tooltip="Take over the points and dice on offer."),
        Binding("f,F", "fresh", "Fresh", show=False, tooltip="Start fresh with all dice."),
        Binding("enter", "enter", show=False, tooltip="Roll, or keep the dice that score most."),
        Binding("escape,backspace", "clear", show=False, tooltip="Put all kept dice of this roll back."),
        RULES,
        Binding("h,H", "hint", "Hint", key_display="H", tooltip="The best play, and why."),
        Binding("u,U", "undo", "Undo", key_display="U", tooltip="Undo your last decision, if nobody has rolled since."),
        SCORES,
        LOG,
        CARD,
        Binding("m,M", "motion", "Motion", key_display="M", tooltip="Let dice roll and bots pause, or not."),
        Binding("d,D", "dice_fell", "A die fell off", key_display="D", tooltip="A die fell off the table."),
        Binding("q,Q", "leave", "Leave", key_display="Q", tooltip="Leave the game; it is saved."),
    ]

    def __init__(self, match: Match, message: str = "") -> None:
        super().__init__()
        self.match = match
        self.selected: set[int] = set()
        self.message = message
        self._asking = False
        self._doubted = ""
        """A whole turn that was typed and questioned."""
        self._rung = -1
        """Turns that were over when the bell could ring last."""
        self._knowledge: hints.Knowledge | None = None
        self._next_step: Timer | None = None
        self._tumbling: Timer | None = None
        self._tumbles = 0

    # Showing ----------------------------------------------------------------------------------------------------------

    def below_dice(self) -> ComposeResult:
        yield Static(id="panel", markup=False)
        yield ChoiceBar()
        with Horizontal(id="typing"):
            yield Static("Your roll:", markup=False)
            yield RollInput()
            yield Static("Enter: done", markup=False)
        yield Static(id="hint", markup=False)

    def on_mount(self) -> None:
        self.write("title", title(self.match))
        self.show()
        if self.match.record.dropped:
            self.app.push_screen(line_dropped(self.match.record.dropped))
            self.match.record.dropped = ""

    def on_screen_resume(self) -> None:
        self.go_on()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "number":
            return int(str(parameters[0])) <= self.match.rules.dice
        return self.match.manual if action == "dice_fell" else True

    def show(self) -> None:
        """Draw everything from the match."""
        if self._tumbling is not None or not self.on_stack:
            return
        match, state, dice = self.match, self.match.state, self.dice
        typing = match.manual and state.dice_due > 0
        deciding = state.phase is Phase.KEEP and match.seating.human
        asked = table_text.how_many(match) if self._asking else table_text.hint(match, dice)
        self.draw_table(match)
        self.write("panel", "\n".join(table_text.panel(match, dice)))
        self.write("hint", self.message or asked)
        self.query_one(DiceRow).draw(
            table_text.table_faces(match), self.selected, table_text.scoring_faces(match), deciding
        )
        self.query_one(ChoiceBar).display = not typing
        self.query_one(ChoiceBar).draw(() if typing else table_text.choices(match, dice))
        self.query_one("#typing").display = typing
        if not typing:
            self.set_focus(None)
        elif self.focused is None:
            self.query_one(RollInput).focus()

    def remark(self, text: str) -> None:
        """Say something below the choices until the next key."""
        self.message = text
        self.show()

    @property
    def dice(self) -> Roll:
        """The faces that are selected."""
        roll = self.match.state.roll
        return roll_of(roll[number - 1] for number in self.selected if number <= len(roll))

    # Going on ---------------------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Let bots play, or the game end; otherwise wait for people."""
        self.show()
        if self._next_step is not None or self._tumbling is not None or not self.is_active:
            return
        if self.farkel.motion:
            if self._goes_on_alone():
                pause = FARKLE_PAUSE if table_text.just_farkled(self.match) else BOT_PAUSE
                self._next_step = self.set_timer(pause * self.farkel.pace, self._step)
            else:
                self._ring()
            return
        while not self.match.state.over and self._goes_on_alone() and self._try(self._play_bot, self.go_on):
            pass
        if self.match.state.over:
            self.farkel.end(self.match)
        else:
            self.show()
            self._ring()

    def _ring(self) -> None:
        """Ring when a person's turn begins, if the bell is on."""
        turn = sum(move.ends_turn for move in self.match.moves)
        if self.match.seating.human and turn != self._rung:
            self._rung = turn
            if self.farkel.preferences.bell:
                self.app.bell()

    def _goes_on_alone(self) -> bool:
        """Return whether no person at the table is asked: a bot plays with the dice of the machine, or the
        game is over.
        """
        match = self.match
        return match.state.over or (match.player is not None and not (match.manual and match.state.dice_due))

    def _step(self) -> None:
        """Take one step after a pause. When a screen that covers the table goes away, `on_screen_resume` continues."""
        self._next_step = None
        if not self.is_active:
            return
        if self.match.state.over:
            self.farkel.end(self.match)
        elif self._try(self._play_bot, self.go_on):
            self._fell() if table_text.just_thrown(self.match) else self.go_on()

    def _play_bot(self) -> None:
        action = self.match.decide()
        if action is None:
            self.match.throw()
        else:
            self.match.act(action)

    def play(self, event: Event, then: Callable[[], None] | None = None) -> None:
        """Play an event of people, then do ``then``; bots and the end of the game follow by themselves."""
        if self._try(lambda: self.match.act(event), lambda: self.play(event, then)) and then is not None:
            then()
        self.go_on()

    def throw(self) -> None:
        """Let the dice fall that are due, and tumble before they show."""
        if self._try(self.match.throw, self.throw):
            self._fell()
        else:
            self.show()

    def _fell(self) -> None:
        if self.farkel.motion:
            self._tumbling = self.set_interval(TUMBLE, self._tumble)
            self._tumbles = TUMBLES
            self._tumble()
        else:
            self.go_on()

    def _try(self, change: Callable[[], object], again: Callable[[], None]) -> bool:
        """Change the match, or say why not. If storing fails, ask, and do ``again`` on "Try again"."""
        try:
            change()
        except IllegalEvent as error:
            self.message = table_text.friendly(error, self.match.names)
            return False
        except CannotUndo as error:
            self.message = error.message
            return False
        except PlayerError as error:
            self.message = f"{error.message}. The game is saved: you can leave it and resume it later."
            self.show()
            return False
        except RecordError as error:
            self._not_written(error, again)
            return False
        self.selected.clear()
        self.message, self._asking = "", False
        return True

    def _not_written(self, error: RecordError, again: Callable[[], None]) -> None:
        def answered(key: str | None) -> None:
            if key == "q":
                self.app.exit(0)
            else:
                again()

        self.app.push_screen(write_failed(error.message), answered)

    def _tumble(self) -> None:
        faces = table_text.table_faces(self.match)
        if not self._tumbles:
            self.settle()
            return
        self._tumbles -= 1
        self.query_one(DiceRow).draw([(face + 5 * self._tumbles + 2 * at) % 6 + 1 for at, face in enumerate(faces)])

    def settle(self) -> bool:
        """Stop tumbling dice at once and show what fell. False if none tumble."""
        if self._tumbling is None:
            return False
        self._tumbling.stop()
        self._tumbling = None
        self.go_on()
        return True

    # Keys -------------------------------------------------------------------------------------------------------------

    def _ready(self) -> bool:
        """Return whether a key counts: not while dice tumble (it stops them), and not while a bot plays."""
        if self.settle():
            return False
        self.message = ""
        if self.match.state.over:
            return False
        if self.match.seating.human:
            return True
        self.remark(f"{self.match.person} is playing.")
        return False

    def action_number(self, number: int) -> None:
        if not self._ready():
            return
        state = self.match.state
        if state.phase is Phase.OFFER and self._asking:
            self._start_turn(TakeOver(number))
        elif state.phase is Phase.OFFER:
            self.remark("Press T to take over, or F to start fresh.")
        elif state.phase is not Phase.KEEP:
            self.remark(table_text.ROLL_FIRST)
        elif number > len(state.roll):
            self.remark(f"There is no die {number}: only {counted_dice(len(state.roll))} were rolled.")
        else:
            self.selected ^= {number}
            self.show()

    def action_roll(self) -> None:
        if not self._ready():
            return
        match = self.match
        if match.state.phase is Phase.OFFER:
            self.remark("Press F to start fresh with all dice, or T to take over what is on offer.")
        elif match.state.dice_due and match.manual:
            self.remark(table_text.hint(match, ()))
        elif match.state.dice_due:
            self.throw()
        else:
            self._keep("roll")

    def action_bank(self) -> None:
        if not self._ready():
            return
        if self.match.state.phase is Phase.KEEP:
            self._keep("bank")
        else:
            self.remark(NOTHING_TO_BANK)

    def _keep(self, then: Then) -> None:
        if self.dice:
            self.play(Keep(self.dice, then), self._roll_on if then == "roll" else None)
        else:
            self.remark(table_text.keep_first(self.match, then))

    def _roll_on(self) -> None:
        """Let the dice fall that follow a decision; real dice are typed in."""
        if not self.match.manual:
            self.throw()

    def action_take_over(self) -> None:
        if not self._ready():
            return
        takes = take_overs(self.match.state)
        if len(takes) > 1:
            self._asking = True
            self.show()
        else:
            offer = self.match.state.offer
            self._start_turn(takes[0] if takes else TakeOver(offer.dice if offer else 1))

    def action_fresh(self) -> None:
        if self._ready():
            self._start_turn(Fresh())

    def _start_turn(self, event: Fresh | TakeOver) -> None:
        self.play(event, self._roll_on)

    def action_most(self) -> None:
        if not self._ready():
            return
        state = self.match.state
        most = state.scored.best if state.scored else None
        if most is None:
            self.remark(
                "There is nothing to keep now." if self.match.state.phase is Phase.OFFER else table_text.ROLL_FIRST
            )
            return
        self.selected = table_text.numbers_of(most.dice, state.roll)
        self.show()

    def action_enter(self) -> None:
        if self.match.state.phase is Phase.KEEP:
            self.action_most()
        else:
            self.action_roll()

    def action_clear(self) -> None:
        self.settle()
        self.selected.clear()
        self.message, self._asking = "", False
        self.show()

    def action_undo(self) -> None:
        self.settle()
        self._stop()
        if self._try(self.match.undo, self.action_undo):
            self.query_one(RollInput).clear()
            self.message = "Undone."
        self.go_on()

    def action_dice_fell(self) -> None:
        if not self.match.state.dice_due:
            self.remark("You've already entered this roll. Press U to undo it.")
            return
        farkle = fallen(self.match.state) is not None
        if not self._try(self.match.dice_fell, self.action_dice_fell):
            return
        self.query_one(RollInput).clear()
        if farkle:
            self.go_on()
        else:
            self.remark(f"Noted. Roll all {counted_dice(self.match.state.dice_due)} of this roll again.")

    def action_motion(self) -> None:
        self.farkel.motion = not self.farkel.motion
        self.settle()
        self._stop()
        self.message = "Dice roll and bots pause." if self.farkel.motion else "Dice stay still and bots play at once."
        self.go_on()

    def _stop(self) -> None:
        """Forget the next step of a bot; `go_on` finds it again."""
        if self._next_step is not None:
            self._next_step.stop()
            self._next_step = None

    # Screens over the table -------------------------------------------------------------------------------------------

    def action_rules(self) -> None:
        self.app.push_screen(rule_sheet(self.match.rules, self.app.size.width))

    def action_hint(self) -> None:
        if not self._ready():
            return
        if not (self.match.seating.human and hints.decision_due(self.match.state)):
            roll = "roll the dice and type the result" if self.match.manual else "roll: press R"
            self.remark(hints.no_decision(self.match.state, roll))
        elif hints.forced(self.match.state) or (hints.at_once(self.match.rules) and self._knowledge):
            self._show_hint()
        else:
            self.farkel.work(table_text.LOOKING, lambda progress: self._consult(), self._show_hint, self.remark)

    def _consult(self) -> None:
        self._knowledge = hints.consult(self.match.rules, self.match.people)

    def _show_hint(self) -> None:
        state = self.match.state
        if not (self.match.seating.human and hints.decision_due(state)):
            return
        forced = hints.forced(state)
        knowledge = None if forced else self._knowledge
        hint = forced or (hints.hint(knowledge, state) if knowledge else None)
        if hint is None:
            return

        def answered(key: str | None) -> None:
            if key == "solve":
                self.farkel.work(table_text.SOLVING, self._solve, self._show_hint, self.remark)
            elif key == "take" and isinstance(hint.action, Keep):
                self.selected = table_text.numbers_of(hint.action.dice, self.match.state.roll)
                self.show()

        self.app.push_screen(HintScreen(hint, knowledge), answered)

    def _solve(self, progress: Progress) -> None:
        hints.solve(self.match.rules, self.match.people, progress)
        self._consult()

    def action_card(self) -> None:
        self.settle()
        self.farkel.card(self.match.rules, self.remark)

    def action_log(self) -> None:
        self.app.push_screen(Reading("The game so far", "\n".join(log_lines(self.match)), at_end=True))

    def action_scores(self) -> None:
        self.app.push_screen(scores_page(self.match, self.app.size.width))

    def action_leave(self) -> None:
        match = self.match
        seats = [
            number
            for number, (seat, seating) in enumerate(zip(match.state.seats, match.record.header.seats, strict=True))
            if seating.human and seat.status == "in"
        ]

        def answered(key: str | None) -> None:
            if key == "q":
                self.app.exit(0)
            elif key and key.isdigit():
                self._ask_to_give_up(seats[int(key) - 1])

        self.app.push_screen(leave_question(match.path, [match.names[seat] for seat in seats]), answered)

    def _ask_to_give_up(self, seat: int) -> None:
        def answered(key: str | None) -> None:
            if key == "y":
                self._stop()
                self.play(Leave(seat))

        self.app.push_screen(give_up_question(self.match.names[seat]), answered)

    # Clicks and typing ------------------------------------------------------------------------------------------------

    def on_die_clicked(self, event: Die.Clicked) -> None:
        self.action_number(event.number)

    def on_choice_button_pressed(self, event: ChoiceButton.Pressed) -> None:
        actions = {"R": self.action_roll, "B": self.action_bank, "T": self.action_take_over, "F": self.action_fresh}
        actions[event.key]()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._doubted = ""
        if event.value:
            self.remark(table_text.typed_so_far(self.match, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = event.value
        if typed != event.input.value:
            return  # it has been entered already, or more has been typed since
        if not typed.strip():
            self.remark(table_text.hint(self.match, ()))
            return
        turn = typed_turn(typed, self.match.state) if turn_may_be_typed(self.match) else None
        if turn is not None:
            self._enter_turn(turn, typed, event.input.clear)
            return
        try:
            faces = parse_roll(typed, self.match.rules.dice)
        except DiceError as error:
            self.remark(sentence(error.message))
            return
        self.play(Throw(faces), event.input.clear)

    def _enter_turn(self, turn: TypedTurn, typed: str, then: Callable[[], None]) -> None:
        """Enter a whole turn; one that dice can hardly have led to only with a second Enter."""
        state = self.match.state
        try:
            note = turn.note(state)
            found = () if typed == self._doubted else doubts(state, note)
        except (IllegalEvent, PositionError) as error:
            reason = error.reason if isinstance(error, IllegalEvent) else error.message
            self.remark(sentence(reason))
            return
        if found:
            self._doubted = typed
            self.remark(f"Enter again takes it anyway. {sentence(found[0].sentence)}")
        else:
            self.play(note, then)
