"""Kernels in the best form that there is: as machine code of this computer where that is kept, else as WebAssembly.

Arrays lie where both forms read them, and each kernel changes its form in the middle of the work. What has taken
seconds so far will take more of them: for that Numba is loaded, or another process compiles what is missing.
"""

from __future__ import annotations

import base64
import pickle
import subprocess
import sys
import threading
from collections import defaultdict
from functools import lru_cache
from importlib import import_module
from time import perf_counter
from typing import Any

from farkel.kernels.kept import has_code
from farkel.kernels.registry import Arguments, Kernel, Result
from farkel.kernels.shipped import ShippedSpace
from farkel.kernels.texts import door_of

Key = tuple[str, str]
"""A kernel, and the kinds of its arguments."""
LOADS, COMPILES = 1.0, 5.0
"""Seconds of work in a kernel after which it pays to load its machine code, and to compile it."""


class Use:
    """What is known in this process of a kernel with arguments of certain kinds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """What it has taken so far as it is shipped."""
        self.kept: bool | None = None
        """Whether its machine code is kept; None while nobody looked."""


_uses = defaultdict[Key, Use](Use)
_looking = threading.RLock()
"""Held while it is looked up what is kept."""


class ChoosingSpace(ShippedSpace):
    """Kernels as machine code where that is kept, else as WebAssembly."""

    threads = True

    def __init__(self) -> None:
        super().__init__()
        self._machine: Any = None
        """Runs machine code."""

    def run(self, kernel: Kernel[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
        key = kernel.name, self.kinds(given)
        use = _uses[key]
        if use.kept or door_of(kernel, key[1]) is None or _is_there(use, key, kernel, given):
            found: Result = self._machine_space(given).run(kernel, *given, **named)
            return found
        began = perf_counter()
        found = super().run(kernel, *given, **named)
        use.seconds += perf_counter() - began
        return found

    def drop(self, value: Any) -> None:
        super().drop(value)
        if self._machine is not None:
            self._machine.drop(value)

    def _machine_space(self, given: tuple[Any, ...]) -> Any:
        if self._machine is None:
            from farkel.kernels.native import NativeSpace

            self._machine = NativeSpace()
        for value in given:
            if self.is_placed(value):
                self._machine.know(value)
        return self._machine


def _is_there(use: Use, key: Key, kernel: Kernel[..., Any], given: tuple[Any, ...]) -> bool:
    """Return whether the machine code of a kernel is worth using and there by now; have it made if that pays."""
    if use.kept is None and has_code(kernel) and (use.seconds > LOADS or "numba" in sys.modules):
        with _looking:
            use.kept = _is_kept(kernel, given)
    elif use.seconds > COMPILES:
        with _looking:
            if key in background().made:
                background().made.discard(key)
                use.kept = _is_kept(kernel, given)
            elif not use.kept:
                background().ask(key, kernel, given)
    return bool(use.kept)


def _is_kept(kernel: Kernel[..., Any], given: tuple[Any, ...]) -> bool:
    from farkel.kernels.native import is_kept

    return is_kept(kernel, given)


class Background:
    """Another process that compiles kernels, one after the other, while this one works."""

    def __init__(self) -> None:
        self.made = set[Key]()
        """What has been compiled, and is kept."""
        self._asked: list[Key] = []
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, key: Key, kernel: Kernel[..., Any], given: tuple[Any, ...]) -> None:
        """Have a kernel compiled for arguments of these kinds, unless that was asked before."""
        if key in self._asked or not sys.executable:
            return
        from farkel.kernels.native import types_of

        self._asked.append(key)
        if self._process is None:
            command = [sys.executable, "-P", "-m", __name__]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self._process = subprocess.Popen(command, **pipes)  # type: ignore[call-overload]  # noqa: S603
            threading.Thread(target=self._listen, daemon=True).start()
        assert self._process is not None and self._process.stdin is not None  # noqa: S101, PT018  it was just begun
        try:
            self._process.stdin.write(base64.b64encode(pickle.dumps((kernel.name, types_of(given)))) + b"\n")
            self._process.stdin.flush()
        except OSError:  # it has ended: kernels are run as they are shipped
            return

    def _listen(self) -> None:
        assert self._process is not None and self._process.stdout is not None  # noqa: S101, PT018
        for line in self._process.stdout:
            self.made.add(self._asked[int(line)])


@lru_cache
def background() -> Background:
    """Return what compiles for this process."""
    return Background()


def main() -> None:
    """Compile kernels that are named on standard input, and tell the number of each when it is kept."""
    from farkel.kernels.native import made

    for number, line in enumerate(sys.stdin.buffer):
        name, types = pickle.loads(base64.b64decode(line))  # noqa: S301  from the process that began this one
        place, _, function = name.rpartition(".")
        made(getattr(import_module(f"farkel.{place}"), function)).compile(types)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
