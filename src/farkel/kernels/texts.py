"""The texts beside the modules that are shipped: what a module was made from, and the arguments of all its doors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from farkel.kernels.kept import sources_digest
from farkel.kernels.registry import Group

FOLDER = Path(__file__).parent / "modules"


class Door(NamedTuple):
    """A kernel of a module, for arguments of certain kinds."""

    name: str
    """What the module calls it."""
    result: str
    """What it returns: ``i``, ``d``, ``b``, or ``n`` for nothing."""


class Text(NamedTuple):
    """What is known of a module."""

    sources: str
    """The digest of what it was made from."""
    module: str
    """The digest of the module itself."""
    made_with: dict[str, str]
    """Versions of the programs that made it."""
    arguments: dict[str, list[str]]
    """The names of a kernel's arguments, by the kernel's name."""
    doors: dict[str, dict[str, Door]]
    """By the kernel's name and the kinds of its arguments, as `farkel.kernels.images` has them."""


def read_text(name: str) -> Text | None:
    """Return the text of a module; None if it is missing or cannot be read."""
    try:
        found = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        kernels = found.pop("kernels")
        return Text(
            **found,
            arguments={kernel: each["arguments"] for kernel, each in kernels.items()},
            doors={
                kernel: {kinds: Door(*door) for kinds, door in each["doors"].items()}
                for kernel, each in kernels.items()
            },
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_text(folder: Path, name: str, text: Text) -> None:
    """Write the text of a module into a folder."""
    kernels = {
        kernel: {"arguments": text.arguments[kernel], "doors": {kinds: list(door) for kinds, door in doors.items()}}
        for kernel, doors in text.doors.items()
    }
    found = {"sources": text.sources, "module": text.module, "made_with": text.made_with, "kernels": kernels}
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def is_stale(group: Group, text: Text | None) -> bool:
    """Return whether the module of a group is missing, or was made from other sources than those that are here."""
    return text is None or text.sources != sources_digest(group)
