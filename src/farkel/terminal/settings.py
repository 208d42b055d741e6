"""What people set each time, written down once: a file of settings, the environment before it, options before both."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from farkel.errors import FarkelError
from farkel.support.bounds import clipped, not_utf_8, toml_excess
from farkel.support.words import listed

MOST_BYTES = 20_000
SPEEDS = {"slow": 2.0, "normal": 1.0, "fast": 0.3, "still": 0.0}
"""How long bots pause, as a multiple of what is usual; still: nothing moves."""
FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Setting(NamedTuple):
    """A line of the file."""

    name: str
    about: str
    example: str | bool
    check: Callable[[Any], object]
    """Raises `FarkelError` for a value of the right kind that is not valid."""

    @property
    def variable(self) -> str:
        """The variable of the environment that goes before the file."""
        return f"FARKEL_{self.name.upper()}"

    @property
    def line(self) -> str:
        """The line as it may be written."""
        value = f'"{self.example}"' if isinstance(self.example, str) else str(self.example).lower()
        return f"{self.name} = {value}"


class Settings(NamedTuple):
    """What is set; None for what is not."""

    rules: str | None = None
    players: str | None = None
    dice: str | None = None
    plain: bool | None = None
    speed: str | None = None
    colours: str | None = None
    bell: bool | None = None
    origins: Mapping[str, str] = {}
    """Where each value comes from: a variable, or the line of a file."""


def _rules(value: str) -> None:
    from farkel.rules import load

    load(value)


def _players(value: str) -> None:
    from farkel.terminal.setup import parse_players

    parse_players(value)


def _one_of(names: Callable[[], tuple[str, ...]]) -> Callable[[str], None]:
    def check(value: str) -> None:
        if value not in names():
            raise FarkelError("bad_settings", f'"{clipped(value)}" is not one of them: write {listed(names(), "or")}')

    return check


def _themes() -> tuple[str, ...]:
    from textual.theme import BUILTIN_THEMES

    return tuple(BUILTIN_THEMES)


def _dice() -> tuple[str, ...]:
    from farkel.terminal.setup import DICE

    return DICE


SETTINGS = (
    Setting("rules", "The rule set of every command, by name or file; farkel rules lists them.", "kcd", _rules),
    Setting("players", "Who plays. Then farkel play begins without asking.", "Ann,bot:bold", _players),
    Setting("dice", "system, committed or manual.", "manual", _one_of(_dice)),
    Setting("plain", "Plain lines in place of a screen.", True, bool),
    Setting("speed", "How fast bots play: slow, normal, fast or still.", "fast", _one_of(lambda: tuple(SPEEDS))),
    Setting("colours", "A theme of the screen, as Ctrl+P lists them.", "textual-light", _one_of(_themes)),
    Setting("bell", "A bell when it is your turn.", True, bool),
)


def settings_file() -> Path:
    """Return where the file is: beside the folder of games."""
    from farkel.terminal.setup import games_folder

    return games_folder().parent / "settings.toml"


def template() -> str:
    """Return the file to begin with, in which nothing is set yet."""
    lines = [
        "# What Farkel does unless you say otherwise. Remove the # before a line to set it.",
        "# Options of a command go before this file, and so do variables such as FARKEL_RULES.",
    ]
    for one in SETTINGS:
        lines += ["", f"# {one.about}", f"#{one.line}"]
    return "\n".join(lines) + "\n"


def read_settings(path: Path | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """Return what is set. Raises `FarkelError` ``bad_settings`` that names file, line and remedy."""
    values, origins = dict[str, Any](), dict[str, str]()
    for name, value, where in (*_from_file(path or settings_file()), *_from_environment(environment)):
        values[name], origins[name] = value, where
    return Settings(**values, origins=origins)


def _from_environment(environment: Mapping[str, str]) -> list[tuple[str, Any, str]]:
    found = []
    for one in SETTINGS:
        if text := environment.get(one.variable):
            value = text if isinstance(one.example, str) else FLAGS.get(text.lower(), text)
            found.append((one.name, _checked(one, value, one.variable), one.variable))
    return found


def _from_file(path: Path) -> list[tuple[str, Any, str]]:
    text = _text(path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r" \(at line (\d+), column \d+\)", str(error))
        at = f"line {line[1]}" if line else "the last line"
        raise _wrong(f"{path}, {at}", f"this is not TOML; write a line such as {SETTINGS[0].line}") from None
    known = {one.name: one for one in SETTINGS}
    found = []
    for name, value in content.items():
        where = f"{path}, line {_line(text, name)}"
        if name not in known:
            raise _wrong(where, f'there is no setting "{clipped(name)}": write {listed(list(known), "or")}')
        found.append((name, _checked(known[name], value, where), where))
    return found


def _text(path: Path) -> str:
    """Return the text of the file, within bounds; nothing if there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _wrong(str(path), f"it cannot be read ({error.strerror or error}); mend or remove it") from None
    if len(data) > MOST_BYTES:
        raise _wrong(
            str(path), f"it is too long: at most {MOST_BYTES:,} bytes are allowed; leave out what is not needed"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise _wrong(str(path), not_utf_8(data)) from None
    if excess := toml_excess(text):
        raise _wrong(str(path), f"it {excess.clause}; a line such as {SETTINGS[0].line} is all it takes")
    return text


def _checked(setting: Setting, value: Any, where: str) -> Any:
    if not isinstance(value, type(setting.example)):
        kind = "text in quotation marks" if isinstance(setting.example, str) else "true or false"
        raise _wrong(where, f"{setting.name} is {kind}, such as {setting.line}")
    try:
        setting.check(value)
    except FarkelError as error:
        raise _wrong(where, f"{setting.name}: {error.message}") from None
    return value


def _line(text: str, name: str) -> int:
    """Return the line on which a setting is; the first if it cannot be found."""
    begins = re.compile(rf"""\s*\[*\s*["']?{re.escape(name)}["']?\s*[=.\]]""")
    return next((number for number, line in enumerate(text.splitlines(), 1) if begins.match(line)), 1)


def _wrong(where: str, what: str) -> FarkelError:
    return FarkelError("bad_settings", f"{where}: {what}")
