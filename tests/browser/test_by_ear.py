"""The table without a look at the screen: by accessible names, roles and live messages, and by the keyboard."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

import seeded
from browser_helpers import DESKTOP
from make_by_ear import SEED, SETTLED, TRANSCRIPT, Listener, named, played
from serving import HANG, patiently
from web_helpers import FIRST, bearer

REMEDY = "if the change is meant, run `python tests/make_by_ear.py` and read what changed"


def test_a_whole_game_is_played_by_ear(visit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seeded.begin(SEED, monkeypatch)
    assert played(visit(DESKTOP, service_workers="block")) == TRANSCRIPT.read_text("utf-8"), REMEDY


def test_the_keyboard_waits_in_the_bar_while_others_play(visit: Any) -> None:
    ann = visit(DESKTOP)
    page = ann.page
    seats = [{"name": name, "who": "far"} for name in ("Ann", "Ben")]
    given: dict[str, Any] = {"rules": FIRST, "seats": seats, "dice": "system"}
    opened = httpx.post(f"{ann.address}/api/v1/games", json=given, timeout=HANG).json()

    def do(key: str, **move: Any) -> None:
        path = f"{ann.address}/api/v1/games/{opened['game']}/moves"
        assert httpx.post(path, json={"move": move}, headers=bearer(key), timeout=HANG).is_success

    do(opened["host"], do="start")
    ann.sit(f"{ann.address}/s/{opened['seats']['0']}")
    ann.ready()
    page.wait_for_load_state()
    listener, focus = Listener(page), page.locator(":focus")
    listener.button("Roll ").focus()
    for _ in patiently():
        if not listener.button("Roll |Take all").count():
            break
        listener.decide()
    assert "Ben" in named(focus)
    before = ann.number
    do(opened["seats"]["1"], do="roll")
    ann.past(before)
    page.locator(SETTLED).wait_for()
    assert "Ben" in named(focus)


def test_what_is_typed_of_real_dice_leaves_the_keyboard_at_what_comes_next(visit: Any) -> None:
    ann = visit(DESKTOP)
    page = ann.page
    ann.start("standard(start=first_seat,entry=0)", way="real")
    ann.ready()
    page.wait_for_load_state()
    focus = page.locator(":focus")

    def enter(control: Any) -> None:
        before = ann.number
        control.press("Enter")
        ann.past(before)

    for name in ("Ann’s turn", "Ben’s turn"):
        field = page.get_by_role("textbox", name=name)
        field.fill("500")
        enter(field)
    assert named(focus).startswith('textbox "Ann’s turn')
    page.get_by_role("button", name="Roll by roll").click()
    roll = page.get_by_role("textbox", name="The 6 dice you rolled")
    roll.fill("122346")
    enter(roll)
    assert named(focus).startswith('button "Keep and roll')
    page.get_by_role("checkbox", name="1").press("Space")
    enter(page.get_by_role("button", name="Roll 5 dice"))
    assert named(focus).startswith('button "Enter the roll')


def test_single_keys_can_be_switched_off(visit: Any) -> None:
    ann = visit(DESKTOP)
    page = ann.page
    ann.start("standard(start=first_seat)", ("Ann",), dice="system")
    ann.ready()
    page.wait_for_load_state()
    before = ann.number
    for wanted in (False, True):
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("button", name="Settings and keys").click()
        page.get_by_role("checkbox", name="Single keys press buttons").set_checked(wanted)
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        page.keyboard.press("r")
        if not wanted:
            assert not page.locator("[aria-busy]").count()
            assert ann.number == before
    ann.past(before)
