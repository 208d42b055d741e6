"""Packages that load what they offer when it is asked for, so that importing one loads nothing that is not used."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

NOTED = Path(__file__).with_name("offers.json")
"""What all packages offer, where modules come compiled and without their sources; whoever compiles them notes it."""


def offers(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose imports stand below ``if TYPE_CHECKING``.

    There they say, to people and to type checkers, where each name is defined; it is imported when it is first used.
    """

    def get(name: str) -> object:
        offered = homes(package)
        if name not in offered:
            raise AttributeError(f"module {package!r} has no attribute {name!r}; it has {', '.join(sorted(offered))}")
        module, defined = offered[name]
        found = getattr(importlib.import_module(module), defined)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted({*vars(sys.modules[package]), *homes(package)})


@cache
def homes(package: str) -> dict[str, tuple[str, str]]:
    """Return the module of each name that a package imports for type checkers, and what it is called there."""
    spec = find_spec(package)
    source = getattr(spec and spec.loader, "get_source", lambda name: "")(package)
    if source is None:
        return _noted()[package]
    checked = [node for node in ast.parse(source).body if isinstance(node, ast.If)]
    imports = [each for node in checked for each in node.body if isinstance(each, ast.ImportFrom) and each.module]
    return {one.asname or one.name: (str(each.module), one.name) for each in imports for one in each.names}


@cache
def _noted() -> dict[str, dict[str, tuple[str, str]]]:
    found: dict[str, dict[str, tuple[str, str]]] = json.loads(NOTED.read_text("utf-8"))
    return found
