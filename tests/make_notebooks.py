"""Executes the notebooks of the docs and keeps their results: ``python tests/make_notebooks.py``, or ``... NAME``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONGEST = 600
"""Seconds that a cell may take."""


def read(path: Path) -> Any:
    """Return a notebook as it is kept."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: Path, folder: Path) -> Any:
    """Return the notebook with the results of running it in a folder. Raises what a cell raises."""
    notebook = read(path)
    NotebookClient(notebook, timeout=LONGEST, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran is of no use to readers
        if cell.cell_type == "code":
            # Progress of compiling goes to standard error, once for each machine.
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


def main() -> None:
    """Execute the notebooks that are named, or all."""
    for path in NOTEBOOKS:
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            path.write_text(nbformat.writes(executed(path, FOLDER)) + "\n", "utf-8")  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
