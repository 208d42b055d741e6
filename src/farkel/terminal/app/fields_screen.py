"""House rules: the fields of a rule set with their values, changed by typing, such as ``target=5000``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from farkel.rules import Rules, allowed, changed, explained, fields, pattern_of
from farkel.rules.pattern_tables import NOTHING
from farkel.rules.settings import literal, settings
from farkel.support.words import sentence
from farkel.terminal.app.screens import SCROLL, Overlay
from farkel.terminal.app.widgets import Line

ALWAYS = ("dice", "target", "entry", "minimum")
"""Fields that are shown even if they have their defaults."""
TEXTS = ("name", "title", "source", "about")
TABLES = ("scoring", "rolled")


class FieldsScreen(Overlay[Rules]):
    """Changes fields of a rule set; the answer is the rules, or None if they were left as they are."""

    ABOUT = (
        "House rules: the fields of a rule set. Type a field with its value, such as target=5000, and press Enter. "
        "The name of a field alone explains it. Enter on an empty line takes the rules."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Back", priority=True, tooltip="Go back; the rules stay as they were before."),
        Binding("up", "scroll(-1)", priority=True, show=False, tooltip=SCROLL),
        Binding("down", "scroll(1)", priority=True, show=False, tooltip=SCROLL),
        Binding("pageup", "scroll(-10)", priority=True, show=False, tooltip=SCROLL),
        Binding("pagedown", "scroll(10)", priority=True, show=False, tooltip=SCROLL),
    ]

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self.rules = rules

    def compose(self) -> ComposeResult:
        yield Static(f"House rules from {self.rules.called}", classes="title", markup=False)
        yield VerticalScroll(Static(id="text", markup=False), id="page", can_focus=False)
        yield Line(id="name", placeholder="target=5000, scoring.111=300, or the name of a field")
        yield Static("Enter: change it; empty: done    Esc: undo all    F1: help", markup=False)
        yield Static(id="problem", markup=False)

    def on_mount(self) -> None:
        self.show()

    def on_resize(self) -> None:
        self.show()

    def show(self) -> None:
        """Draw the fields with their values."""
        width = max(40, self.size.width - 4)
        lines = [textwrap.wrap(line, width, subsequent_indent="    ") for line in in_words(self.rules)]
        self.write("text", "\n".join(part for line in lines for part in line))

    def action_scroll(self, lines: int) -> None:
        self.query_one("#page").scroll_relative(y=lines, animate=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if not text:
            self.dismiss(self.rules)
        elif text in fields():
            self.say(f"{text}: {explained(text)}. It is {allowed(text)}.")
        else:
            self.attempt(lambda: self._change(text))

    def _change(self, text: str) -> None:
        """Change a field, and say what is different now. Raises `RulesError`."""
        before = _values(self.rules)
        self.rules = changed(self.rules, text)
        after = _values(self.rules)
        self.query_one(Line).clear()
        self.show()
        new = [f"now {value}" for value in after if value not in before]
        gone = [f"no longer {value}" for value in before if value not in after]
        self.say(sentence("; ".join(new or gone) or f"it was so before: {text}"))


def _values(rules: Rules) -> list[str]:
    return [line.partition("  ")[0] for line in in_words(rules)]


def in_words(rules: Rules) -> Iterator[str]:
    """Yield the fields that these rules use, each with its value as it is typed and what it means."""
    for field in settings(rules):
        if field.name in TABLES:
            for pattern, pays in field.value.plain.items():
                named = "" if pattern == NOTHING else f"  {pattern_of(pattern).name}"
                yield f"{field.name}.{pattern} = {literal(pays)}{named}"
        elif field.name not in TEXTS and (field.name in ALWAYS or field.value != field.default):
            yield f"{field.written}  {explained(field.name)}"
