"""The hint: the best action and why, over the table."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from farkel.game import Keep
from farkel.play.hints import Hint, Knowledge
from farkel.terminal.app.overlay import Overlay


class HintScreen(Overlay[str], ModalScreen[str]):
    """Shows a hint. Dismissed with "take" to have its dice selected, "solve" to have winning chances, or ""."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,a,A", "take", "Select these dice"),
        Binding("s,S", "solve", "Calculate winning chances"),
        Binding("escape,h,H,q,Q", "dismiss('')", "Back"),
    ]

    def __init__(self, hint: Hint, knowledge: Knowledge | None) -> None:
        super().__init__()
        self.hint = hint
        self.missing, self.solvable = (knowledge.missing, knowledge.solvable) if knowledge else ("", False)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(f"Hint: {self.hint.what}", classes="what", markup=False)
            yield Static(f"{self.hint.why}\n", markup=False)
            yield Static("\n".join(self.hint.rows), id="rows", markup=False)
            if self.missing:
                yield Static(f"\n{self.missing}", id="missing", markup=False)
            yield Static(f"\n{'    '.join(self._keys())}", id="keys", markup=False)

    def _keys(self) -> list[str]:
        keys = ["Enter: select these dice"] if isinstance(self.hint.action, Keep) else []
        keys += ["S: winning chances"] if self.solvable else []
        return [*keys, "Esc: back"]

    def action_take(self) -> None:
        self.dismiss("take")

    def action_solve(self) -> None:
        if self.solvable:
            self.dismiss("solve")
