"""Writes down a game played by ear: ``python tests/make_by_ear.py``. Read what changed before keeping it.

It is played with the keyboard by accessible names, roles and live messages alone, as with a screen reader. Names that
were pressed are followed by what was said then, and by the control on which the keyboard stood.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

import seeded
from browser_helpers import DESKTOP, Visitor, browsing, serving
from serving import patiently

TRANSCRIPT = Path(__file__).parent / "browser" / "by_ear.txt"
SEED = "ear 2"
SETTLED = "#board:not(:has([data-settling], [aria-busy=true]))"
"""A board that takes presses: no answer is under way."""
ENOUGH = 250
"""Points that this player banks."""


class Listener:
    """A player who hears what a screen reader says, presses keys, and writes all of it down."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.lines = list[str]()
        self._heard = list[str]()

    def button(self, name: str) -> Any:
        """A button whose name begins so, if it is there and does something."""
        return self.page.get_by_role("button", name=re.compile(f"^{name}"), disabled=False)

    def messages(self) -> list[str]:
        """What live regions say."""
        found = [self.page.get_by_role(role) for role in ("alert", "status")]
        texts = [" ".join(text.split()) for one in found for text in one.all_inner_texts()]
        return [text for text in texts if text]

    def listen(self) -> None:
        """Write down what was not said before, and where the keyboard stands."""
        told, self._heard = self._heard, self.messages()
        self.lines += [f"  says: {text}" for text in self._heard if text not in told]
        focus = self.page.locator(":focus")
        assert focus.count() == 1, "the keyboard stands nowhere"
        self.lines.append(f"  on {named(focus)}")

    def press(self, control: Any, key: str = "Enter") -> None:
        """Press a control, and listen to what follows."""
        self.page.locator(SETTLED).wait_for()
        before, pressed = self.messages(), control.element_handle()
        self.lines.append(named(control))
        control.press(key)
        for _ in patiently():
            if self.messages() != before or not pressed.is_visible():
                break
        self.page.locator(SETTLED).wait_for()
        self.listen()

    def decide(self) -> bool:
        """Do what comes next, for whoever is on turn; False once the game is over."""
        alone = self.page.get_by_role("checkbox", name=re.compile("^[15]$"))  # dice that can be kept alone
        if self.button("Pass to ").count():
            self.press(self.button("Pass to "))
        elif self.button("Take all ").count():
            if alone.count() == 1:
                self.press(alone, "Space")
            else:
                self.press(self.button("Take all "))
            bank = self.button("Bank ")
            worth = int(named(bank).split()[2].replace(",", "")) if bank.count() else 0
            self.press(bank if worth >= ENOUGH else self.button("Roll "))
        elif self.button("Roll ").count():
            self.press(self.button("Roll "))
        return not self.button("Play again").count()


def named(control: Any) -> str:
    """The role and name of a control, as they are announced."""
    return str(control.aria_snapshot()).partition("\n")[0].removeprefix("- ").removesuffix(":")


def played(visitor: Visitor) -> str:
    """A short game of two at one device."""
    held = list[Any]()  # what is calculated comes when it comes
    visitor.page.route("**/story", lambda route: held.append(route))
    visitor.start("minimal(target=1500,start=first_seat)", dice="system")
    visitor.ready()
    visitor.page.wait_for_load_state()
    ann = Listener(visitor.page)
    ann.lines.append(named(ann.button("Score sheet")))
    ann.button("Roll ").focus()
    ann.listen()
    for _ in patiently():
        if not ann.decide():
            break
    for route in held:
        route.fulfill(body="")
    return "".join(f"{line}\n" for line in ann.lines)


def main() -> None:
    """Play it, with the same chance as in the test."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        seeded.begin(SEED, patch)
        with serving(Path(folder)) as address, browsing() as browser:
            TRANSCRIPT.write_text(played(Visitor(browser, address, DESKTOP, service_workers="block")), "utf-8")


if __name__ == "__main__":
    main()
