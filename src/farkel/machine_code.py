"""Machine code that Numba keeps on the disk: forgotten where it was made of other sources."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path


def forget_old(folder: Path, sources: Sequence[str]) -> None:
    """Forget the machine code in a folder that was made of other sources: files named from there, without ".py".

    Numba itself looks at the one file that a function is written in, not at what that takes from others.
    """
    with suppress(OSError):
        content = b"".join((folder / f"{name}.py").read_bytes() for name in sources)
        digest, kept = sha256(content).hexdigest(), folder / "__pycache__" / "sources"
        if not kept.exists() or kept.read_text() != digest:
            for old in kept.parent.glob("*.nbi"):
                old.unlink(missing_ok=True)
            kept.write_text(digest)
