"""The notebooks of the docs run from their first cell to their last, and show results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from make_notebooks import NOTEBOOKS, executed, read

NAMES = [path.stem for path in NOTEBOOKS]


def test_there_are_notebooks() -> None:
    assert set(NAMES) >= {"house-rules", "my-games", "train-an-agent", "who-wins"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_notebook_is_kept_with_its_results(path: Path) -> None:
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert cells[-1].outputs


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_notebook_gives_its_results_again(path: Path, tmp_path: Path) -> None:
    """Compare tables; printed words may change, and learning rounds differently on other processors."""
    again = executed(path, tmp_path)
    assert not [one for cell in again.cells for one in cell.get("outputs", ()) if one.output_type == "error"]
    if path.stem == "train-an-agent":
        return
    assert [_tables(cell) for cell in again.cells] == [_tables(cell) for cell in read(path).cells]


def _tables(cell: Any) -> list[str]:
    return [one.data["text/plain"] for one in cell.get("outputs", ()) if one.output_type == "execute_result"]
