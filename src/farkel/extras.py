"""Parts of the package that are installed only if they are wanted."""

from __future__ import annotations

from importlib.util import find_spec

from farkel.errors import FarkelError


def needs(extra: str, *modules: str, who: str = "this", error: type[FarkelError] = FarkelError) -> None:
    """Raise the error with code ``not_installed`` if one of the modules of an extra is missing."""
    for module in modules:
        if find_spec(module) is None:
            raise error("not_installed", f'{who} needs {module}: pip install "farkel[{extra}]"')
