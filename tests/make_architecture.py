"""Draws `docs/images/architecture.svg` from the imports of the code: ``python tests/make_architecture.py``.

Rows are the layers that import-linter checks; an arrow leads from a part to one that it imports. Imports that follow
from two others are left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
WIDTH, BOX, STEP, TOP = 960, 34, 76, 20
SIDE = 130
"""Width of a box."""

ASIDE = 75
"""Single boxes stand to the left and right of the middle in turns, so that long arrows pass between them."""


def layers() -> list[list[str]]:
    """Return the parts of the program, from the top layer down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return [[name.strip() for name in row.split("|")] for row in contract["layers"]]


def imports(parts: list[str]) -> dict[str, set[str]]:
    """Return which other parts each part imports, read from the code itself."""
    graph = grimp.build_graph("farkel", exclude_type_checking_imports=True)
    found: dict[str, set[str]] = {part: set() for part in parts}
    for module in graph.modules:
        importer = _part(module)
        if importer in found:
            imported = {_part(each) for each in graph.find_modules_directly_imported_by(module)}
            found[importer] |= imported & found.keys() - {importer}
    return found


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def direct(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports that do not follow from others."""
    reached: dict[str, set[str]] = {}

    def below(part: str) -> set[str]:
        if part not in reached:
            reached[part] = found[part].union(*(below(each) for each in found[part]))
        return reached[part]

    return {
        part: {one for one in below_it if not any(one in below(other) for other in below_it)}
        for part, below_it in found.items()
    }


def picture() -> str:
    """Return the whole drawing."""
    rows = layers()
    arrows = direct(imports([part for row in rows for part in row]))
    places = {
        part: (WIDTH * (index + 1) / (len(row) + 1) + _aside(rows, level), float(TOP + STEP * level))
        for level, row in enumerate(rows)
        for index, part in enumerate(row)
    }
    height = TOP + STEP * len(rows) - STEP + BOX + TOP
    return "\n".join([*_head(height), *_lines(arrows, places), *_boxes(places), "</svg>", ""])


def _aside(rows: list[list[str]], level: int) -> int:
    alone = sum(len(row) == 1 for row in rows[:level])
    return ASIDE * (-1) ** alone if len(rows[level]) == 1 and level else 0


def _head(height: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="The parts of Farkel and what each imports" font-family="sans-serif" font-size="15">'
    )
    yield (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#5b6b63"/></marker></defs>'
    )
    yield f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#fbfaf5"/>'


def _lines(arrows: dict[str, set[str]], places: dict[str, tuple[float, float]]) -> Iterator[str]:
    yield '<g fill="none" stroke="#5b6b63" stroke-width="1.2" marker-end="url(#tip)">'
    for part in sorted(arrows):
        for imported in sorted(arrows[part]):
            (x, y), (to_x, to_y) = places[part], places[imported]
            start, bend = y + BOX, (to_y - y - BOX) / 2
            yield (
                f'<path d="M{x:.0f} {start:.0f}C{x:.0f} {start + bend:.0f} {to_x:.0f} {to_y - bend:.0f} '
                f'{to_x:.0f} {to_y:.0f}"/>'
            )
    yield "</g>"


def _boxes(places: dict[str, tuple[float, float]]) -> Iterator[str]:
    yield '<g text-anchor="middle" fill="#10241a">'
    for part, (x, y) in places.items():
        yield (
            f'<rect x="{x - SIDE / 2:.0f}" y="{y:.0f}" width="{SIDE}" height="{BOX}" rx="6" '
            'fill="#dcebe1" stroke="#2e6b4a"/>'
        )
        yield f'<text x="{x:.0f}" y="{y + 22:.0f}">{part}</text>'
    yield "</g>"


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
