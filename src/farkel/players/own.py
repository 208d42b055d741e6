"""Players of one's own: classes in Python files, written ``./mine.py:Greedy``."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from farkel.errors import FarkelError, PlayerError
from farkel.players.protocol import Player, check_player, make_player
from farkel.support.bounds import clipped


def load_player(spec: str | Player) -> Player:
    """Return the player of that name, such as ``turn`` or ``threshold:500``, or of a class in a file:
    ``./mine.py:Greedy``; an object as it is.

    Raises `PlayerError`: ``unknown_player`` and others of `farkel.players.make_player`; ``no_such_file``,
    ``no_such_class``, ``bad_file`` or ``not_a_player`` for a player from a file, the last also for an object.
    """
    if not isinstance(spec, str):
        return check_player(spec)
    found = player_file(spec)
    if found is None:
        if spec.endswith(".py"):
            raise PlayerError("no_such_class", f'"{spec}" names no class; write it after the file: {spec}:NAME')
        return make_player(spec)
    path, name = found
    return check_player(_made(spec, _class(path, name)), name, spec)


def player_file(spec: str) -> tuple[Path, str] | None:
    """Return the file and the class of ``./mine.py:Greedy``; None for a player by name."""
    path, colon, name = spec.rpartition(":")
    return (Path(path), name) if colon and (path.endswith(".py") or "/" in path or "\\" in path) else None


def listed_players(players: Iterable[str | Player]) -> tuple[str | Player, ...]:
    """Return the players of a table. Raises `PlayerError` ``bad_players`` if they are not several."""
    given: Any = players
    if isinstance(given, str) or not isinstance(given, Iterable):
        one = f'"{clipped(given)}"' if isinstance(given, str) else "a single one"
        raise PlayerError("bad_players", f'players are given in a list, not as {one}: write ["turn", "bold"]')
    return tuple(players)


def failure(error: BaseException) -> str:
    """Return a player's exception, and its place: ``ValueError: no dice (mine.py, line 12)``."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}" if str(error) else f"{type(error).__name__}{where}"


def _class(path: Path, name: str) -> Any:
    if not path.is_file():
        raise PlayerError("no_such_file", f"there is no file {path} to take the player {name} from")
    module = _module(path)
    found = getattr(module, name, None)
    if found is None:
        classes = [key for key, one in vars(module).items() if inspect.isclass(one) and hasattr(one, "decide")]
        there = f"there are: {', '.join(classes)}" if classes else "no class in it has a method decide"
        raise PlayerError("no_such_class", f"{path} has no {name or 'class without a name'}; {there}")
    return found


def _module(path: Path) -> Any:
    """Return the file as a module, read once for each of its contents."""
    name = ""
    try:
        content = path.read_bytes()
        name = f"farkel_player_{sha256(str(path.resolve()).encode() + content).hexdigest()[:16]}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise PlayerError("bad_file", f"{path} is not a Python file: its name must end in .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except FarkelError:
        raise
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)
        raise PlayerError("bad_file", f"{path} cannot be imported: {failure(error)}") from error
    return module


def _made(spec: str, maker: Any) -> Any:
    if inspect.isfunction(maker) and inspect.signature(maker).parameters:
        return maker  # no function that makes a player
    try:
        return maker() if callable(maker) else maker
    except (Exception, SystemExit) as error:
        raise PlayerError("not_a_player", f"{spec} cannot be made: {failure(error)}") from error
