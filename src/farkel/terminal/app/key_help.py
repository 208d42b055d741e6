"""The help of a screen: what can be done there, and each of its keys in words."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from farkel.terminal.app.screens import FarkelScreen

NAMES = {
    "question_mark": "?",
    "slash": "/",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "ctrl+p": "Ctrl+P",
    "shift+up": "Shift+↑",
    "shift+down": "Shift+↓",
}
"""Keys that are not called by their own name."""
EVERYWHERE = {
    "F1": "This help.",
    "Ctrl+P": "Colours, and a bell when it is your turn.",
    "Ctrl+Q": "Leave Farkel at once; a game is saved as it is played.",
}
FEW = 4
"""More keys than this for one thing are named as a range."""


def key_help(screen: FarkelScreen[Any]) -> str:
    """Return what can be done on a screen now, wrapped to the width of the terminal."""
    width = screen.app.size.width - 4
    keys: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        if active.tooltip and not (len(key) == 1 and key.isupper()):
            keys.setdefault(active.tooltip, []).append(NAMES.get(key, key.capitalize()))
    rows = {_together(named): does for does, named in keys.items()} | EVERYWHERE
    widest = max(map(len, rows))
    lines = [*wrap(screen.ABOUT, width), ""]
    for named, does in rows.items():
        lines += wrap(f"{named:<{widest}}  {does}", width, subsequent_indent=" " * (widest + 2))
    return "\n".join(lines)


def _together(keys: list[str]) -> str:
    return " ".join(keys) if len(keys) <= FEW else f"{keys[0]} to {keys[-1]}"
