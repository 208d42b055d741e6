"""The table in many states, on many screens: no text is cut, no control lies under another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from table_states import STATES, State, bring_up, named, tables

LOOK = (Path(__file__).parents[1] / "looked_over.js").read_text("utf-8")
ROBOTO = Path("/usr/share/fonts/truetype/roboto")
FACES = ("DejaVu Sans", "Roboto")


class Look(NamedTuple):
    """A screen on which the table is looked at."""

    width: int
    height: int
    scale: int = 1
    """How much larger than usual the text is."""


SIZES = (
    *(Look(320, 568), Look(360, 560), Look(360, 660), Look(390, 664), Look(360, 740), Look(740, 360)),
    *(Look(768, 1024), Look(1280, 800), Look(1920, 1080)),
)
LARGE = (Look(360, 740, 2), Look(390, 664, 2), Look(740, 360, 2), Look(1280, 800, 2), Look(320, 256))
"""Text at 200 %, and a page at 400 %."""
FEW = (Look(320, 568), Look(390, 664), Look(1280, 800))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with tables(tmp_path_factory.mktemp("states")) as found:
        yield found


def looked_over(page: Any, look: Look, face: str) -> list[str]:
    """What is cut or covered there."""
    page.set_viewport_size({"width": look.width, "height": look.height})
    page.evaluate(
        """([face, scale]) => {
          const sheet = document.getElementById("face") ?? document.head.appendChild(document.createElement("style"));
          sheet.id = "face";
          sheet.textContent = `:root { --face: "${face}" !important; } html { font-size: ${100 * scale}% !important; }`;
        }""",
        [face, look.scale],
    )
    found: list[str] = page.evaluate(LOOK, {"scale": look.scale, "still": look not in LARGE})
    return found


def findings(browser: Any, address: str, state: State, looks: Sequence[Look], faces: Sequence[str]) -> dict[str, Any]:
    visitor = bring_up(browser, address, state, {"width": 390, "height": 664}, bypass_csp=True)
    found: dict[str, list[str]] = defaultdict(list)
    try:
        for look in looks:
            for face in faces:
                for one in looked_over(visitor.page, look, face):
                    found[one].append(f"{'x'.join(map(str, look))} {face}")
        assert visitor.complaints == []
    finally:
        visitor.close()
    return dict(found)


@pytest.mark.parametrize("state", [state for state in STATES if state.quick], ids=lambda state: state.name)
def test_nothing_is_cut_or_covered(browser: Any, address: str, state: State) -> None:
    assert findings(browser, address, state, FEW, FACES[:1]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_nothing_is_cut_or_covered_on_any_screen(browser: Any, address: str, state: State) -> None:
    faces = FACES if ROBOTO.exists() else FACES[:1]
    assert findings(browser, address, state, (*SIZES, *LARGE), faces) == {}


@pytest.mark.parametrize("name", ["real dice", "real dice for lives", "real dice and an offer"])
def test_the_latest_round_of_the_sheet_is_shown_whole_or_not_at_all(browser: Any, address: str, name: str) -> None:
    (state,) = named(name)
    visitor = bring_up(browser, address, state, {"width": 390, "height": 664}, bypass_csp=True)
    rows = []
    for look in (*SIZES, *SIZES[:1]):
        for face in FACES:
            looked_over(visitor.page, look, face)
            visitor.page.evaluate("dispatchEvent(new Event('resize'))")  # no browser changes its typeface by itself
            rows.append(visitor.page.evaluate(SHOWN))
    visitor.close()
    assert set(rows) == {"whole", "hidden"}


def test_a_sheet_that_has_no_room_is_opened_from_the_menu_and_corrected_there(browser: Any, address: str) -> None:
    visitor = bring_up(browser, address, named("real dice")[0], {"width": 320, "height": 568})
    page = visitor.page
    page.locator("#paper td").first.wait_for(state="hidden")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Score sheet").click()
    page.locator("#scores td a[data-htmx-powered]").first.click()
    assert page.locator("#correcting input[name=points]").input_value() == "500"
    visitor.close()


SHOWN = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const [sheet, head, row] = ["", " thead", " tbody tr:last-child"].map((part) =>
    document.querySelector(`#paper${part}`).getBoundingClientRect());
  done(!row.height ? "hidden" : row.top >= head.bottom - 1 && row.bottom <= sheet.bottom + 1 ? "whole" : "cut");
})))"""
"""How the latest round is shown, once a change of the window has been drawn."""

PAGES = (
    *("", "new?rules=standard", "rules", "rules/sheet?rules=original", "rules/edit?rules=standard"),
    *("rules/minute?rules=standard", "rules/card?rules=minimal", "watch", "groups"),
)


def test_no_page_scrolls_sideways_with_large_text_or_at_400_percent(visit: Any) -> None:
    ann = visit({"width": 390, "height": 664}, bypass_csp=True)
    ann.start("standard", way="own")
    for address in (*(f"{ann.address}/{path}" for path in PAGES), ann.page.url):
        ann.page.goto(address)
        for look in (Look(390, 664, 2), Look(320, 568, 2), Look(320, 256)):
            ann.page.set_viewport_size({"width": look.width, "height": look.height})
            ann.page.evaluate(f"document.documentElement.style.fontSize = '{100 * look.scale}%'")
            too_wide = ann.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert too_wide <= 0, (address, look)
