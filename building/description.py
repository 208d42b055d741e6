"""The description of the package on an index: the README, whose links lead to the project's address there.

Hatchling calls this when it builds. A relative link cannot work on an index, so without an address a link becomes the
path of its file, and a picture is left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"\[([^]]+)]\((?!https?:|#)([^)]+)\)")
PICTURE = re.compile(r'<img src="(?!https?:)([^"]+)"([^>]*)>\n*')


class Description(MetadataHookInterface):  # type: ignore[misc]
    """Adds the description to what `pyproject.toml` says."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme, from the address `Source` of the project, if it has one."""
        text = Path(self.root, "README.md").read_text("utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": described(text, source)}


def described(text: str, source: str | None) -> str:
    """Return the README with links that work elsewhere."""
    if source is None:
        return LINK.sub(r"\1 (`\2`)", PICTURE.sub("", text))
    return LINK.sub(rf"[\1]({source}/blob/main/\2)", PICTURE.sub(rf'<img src="{source}/raw/main/\1"\2>\n\n', text))
