"""Parts of the package that are installed only where they are wanted."""

from __future__ import annotations

from importlib.util import find_spec

from farkel.arena.job import ArenaError


def needs(extra: str, *modules: str) -> None:
    """Raise `ArenaError` ``not_installed`` where one of the modules is missing, with the extra that has it."""
    for module in modules:
        if find_spec(module) is None:
            raise ArenaError("not_installed", f'this needs {module}: pip install "farkel[{extra}]"')
