"""Builds the modules that are shipped with Farkel, of its kernels as WebAssembly: ``make kernels``.

Which arguments a kernel has is found by running it: sample calculations cover all kinds of rules, and each kind of
arguments that a kernel met becomes a door. A text beside each module lists them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from inspect import signature
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any

import samples
from farkel.kernels.kept import sources_digest
from farkel.kernels.registry import GAMES, SOLVE, STEPS
from farkel.kernels.texts import FOLDER, Door, Text, is_stale, read_text, write_text

SAMPLES = samples.solve, samples.games, samples.steps
GROUPS = SOLVE, GAMES, STEPS
TOOLS = "numba", "llvmlite", "ziglang"
PINNED = Path(__file__).parents[1] / "constraints.txt"

Kinds = dict[str, tuple[Any, ...]]
"""By the kinds of a kernel's arguments: their types as Numba has them."""


def noted(sample: Callable[[], None]) -> dict[str, Kinds]:
    """Return what kernels are given in a sample calculation, by their names."""
    from farkel.kernels import spaces
    from farkel.kernels.images import kinds
    from farkel.kernels.native import NativeSpace, types_of

    met: dict[str, Kinds] = {}

    class Noting(NativeSpace):
        """Runs kernels of this computer, and notes what they are given."""

        def run(self, kernel: Any, *given: Any, **named: Any) -> Any:
            known = met.setdefault(kernel.name, {})
            kind = kinds(given)
            if kind not in known:
                known[kind] = types_of(given)
            return super().run(kernel, *given, **named)

    spaces.MAKE.append(Noting)
    sample()
    return met


def build(name: str, met: dict[str, Kinds], folder: Path) -> str:
    """Build a module, with a door for each kind of arguments that one of its kernels has met. Return what to tell."""
    from portable import Lowered, linked, lowered

    begin = process_time()
    for kernel in met:
        import_module(f"farkel.{kernel.rpartition('.')[0]}")
    (group,) = (group for group in GROUPS if group.name == name)
    kernels = {kernel.name: kernel for kernel in group.kernels}
    made, doors = dict[str, Lowered](), dict[str, dict[str, Door]]()
    for each in sorted(kernels.keys() & met.keys()):
        for kind, types in sorted(met[each].items()):
            door = f"{each.rpartition('.')[2]}_{len(made)}"
            made[door] = lowered(kernels[each], types)
            doors.setdefault(each, {})[kind] = Door(door, made[door].result)
    digest = sources_digest(group)
    content, data = linked(made, digest)
    arguments = {each: list(signature(kernels[each].plain).parameters) for each in doors}
    text = Text(digest, sha256(content).hexdigest(), data, {tool: version(tool) for tool in TOOLS}, arguments, doors)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.wasm").write_bytes(content)
    write_text(folder, name, text)
    return f"{name}: {len(made)} doors, {len(content):,} bytes, {process_time() - begin:.0f} s"


def tools_differ() -> list[str]:
    """Return what is installed in another version than the modules are built with."""
    pinned = dict(line.split("==") for line in PINNED.read_text().split() if "==" in line)
    return [
        f"{tool} {version(tool)} instead of {pinned[tool]}" for tool in TOOLS if pinned.get(tool, "") != version(tool)
    ]


def main() -> int:
    """Build modules, or say whether they are older than their sources."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("modules", nargs="*", help="solve, games, env: all if none is named")
    asked.add_argument("--into", type=Path, default=FOLDER, help="the folder for the modules")
    asked.add_argument("--is-stale", action="store_true", help="only say which are older than their sources")
    given = asked.parse_args()
    groups = [group for group in GROUPS if not given.modules or group.name in given.modules]
    if given.is_stale:
        stale = [group.name for group in groups if is_stale(group, read_text(group.name))]
        if stale:
            print(f"The modules of kernels were built from other sources ({', '.join(stale)}). Type: make kernels")
        return bool(stale)
    if differ := tools_differ():
        print(f"These modules will differ from those of others: {', '.join(differ)} (constraints.txt).")
    # Each in a process of its own: what Numba has made for this computer would get into the modules.
    with ProcessPoolExecutor(mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        print("Running samples, to see what kernels are given ...", flush=True)
        met: dict[str, Kinds] = {}
        for found in pool.map(noted, SAMPLES):
            for name, kinds in found.items():
                met[name] = kinds | met.get(name, {})
        print("Building modules ...", flush=True)
        for told in pool.map(build, [group.name for group in groups], repeat(met), repeat(given.into)):
            print(told, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
