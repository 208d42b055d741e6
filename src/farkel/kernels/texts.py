"""The modules that are shipped, and the texts beside them: what a module was made from, and what its doors take.

Whoever runs a module hands it memory, and says where in it there is room for its own data and its stack.
"""

from __future__ import annotations

import json
import logging
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from farkel.kernels.kept import has_sources, sources_digest
from farkel.kernels.registry import Group, Kernel

log = logging.getLogger(__name__)

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
    data: int
    """Bytes of its own data."""
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
    found = {name: each for name, each in text._asdict().items() if name not in ("arguments", "doors")}
    found["kernels"] = kernels
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def is_stale(group: Group, text: Text | None) -> bool:
    """Return whether the module of a group is missing, or was made from other sources than those that are here."""
    return text is None or (has_sources() and text.sources != sources_digest(group))


class Module(NamedTuple):
    """A module of kernels."""

    content: bytes
    text: Text


@lru_cache
def read_module(group: Group) -> Module:
    """Return the module of a group.

    Raises `ValueError` if it is damaged, or was made from other sources than those that are here.
    """
    text = read_text(group.name)
    if text is None or is_stale(group, text):
        raise ValueError(f"the module {group.name} does not belong to these sources")
    path = FOLDER / f"{group.name}.wasm"
    content = path.read_bytes()
    if sha256(content).hexdigest() != text.module:
        raise ValueError(f"{path} is damaged")
    return Module(content, text)


def door_of(kernel: Kernel[..., Any], kinds: str) -> Door | None:
    """Return the door of a kernel for arguments of these kinds, if there is one here."""
    return _doors(kernel.group).get((kernel.name, kinds))


@lru_cache
def _doors(group: Group) -> dict[tuple[str, str], Door]:
    try:
        known = read_module(group).text.doors
    except (OSError, ValueError):  # the module of a group may be older than its sources
        return {}
    return {(kernel, kinds): door for kernel, each in known.items() for kinds, door in each.items()}


@lru_cache
def miss(name: str) -> None:
    """Say once that a kernel has no door for its arguments."""
    log.warning("Farkel works slowly here, as %s is not shipped for such rules.", name)
