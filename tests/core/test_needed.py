"""What the player on turn needs to win, beside what banking each turn total leads to."""

from __future__ import annotations

import random
import re

import pytest
from test_story import GAMES, played

from farkel.game import Keep, Note, Phase, State, apply, new_game, refusal
from farkel.game.needed import Needed, needed
from farkel.rules import load
from farkel.web.game.dice_tray import needs
from web_helpers import bearer, choice, sited

FIRST = "start=first_seat"


def after(rules: list[str], *notes: Note, name: str = "standard", seats: int = 2) -> State:
    state = new_game(load(name, [FIRST, *rules]), (1,) * seats)
    for note in notes:
        state = apply(state, note)
    return state


def wins(state: State, total: int) -> bool:
    result = apply(state, Note(total, 0)).result
    return result is not None and state.seat in result.winners


@pytest.mark.parametrize("name", GAMES)
def test_what_is_needed_wins_in_whole_games_and_a_legal_bank_of_less_does_not(name: str) -> None:
    states = {id(state): state for _, state in played(GAMES[name], 2)}.values()
    for state in states:
        found = needed(state)
        if found is not None and found.brings == "win":
            assert wins(state, found.total)
        if state.phase is not Phase.KEEP or state.may_cancel or state.scored is None:
            continue
        last = state.closer >= 0 or state.rounds_left == 1 or state.tied
        for dice in state.scored.keeps:
            bank, total = Keep(dice, "bank"), state.turn_total(dice)
            if refusal(state, bank) is None and not state.scored.keeps[dice].wins and not state.rules.hot_dice_bonus:
                won = wins(state, total)
                if won and found is not None and found.brings == "win":
                    assert total >= found.total
                elif won and not last:
                    assert found is not None


@pytest.mark.parametrize(
    ("state", "found", "said"),
    [
        (after(["finish=at_once", "target=1000"]), Needed(1000, "win", exactly=False), ""),
        (after(["finish=at_once", "target=1000"], Note(800, 0), Note(50, 0)), (200, "win", False), "200 to win"),
        (after(["finish=exact", "target=1000"], Note(800, 0), Note(50, 0)), (200, "win", True), "exactly 200 to win"),
        (
            after(["target=1000"], Note(800, 0), Note(0, 6, farkle=True)),
            (200, "target", False),
            "200 for the target",
        ),
        (after(["target=1000"], Note(1150, 0)), (1200, "win", False), "1,200 to win"),
        (after(["target=1000"], Note(1150, 0), seats=3), (1200, "lead", False), "1,200 to lead"),
        (after(["target=0", "rounds=1"], Note(300, 0)), (300, "win", False), "300 to win"),
        (after(["target=0", "rounds=1", "ties=play_off"], Note(300, 0)), (350, "win", False), "350 to win"),
        (after(["target=0", "rounds=2"], Note(300, 0)), None, ""),
        (
            after(["finish=at_once", "target=1000", "bank_multiple=500"], Note(850, 0), Note(0, 6, farkle=True)),
            (500, "win", False),
            "",
        ),
        (after(["finish=at_once", "target=1000"], Note(1000, 0)), None, ""),
    ],
)
def test_what_is_needed_is_said_once_it_is_near(state: State, found: Needed | None, said: str) -> None:
    assert needed(state) == found
    assert needs(state) == said


async def test_the_table_says_what_you_need_and_what_others_need(sqlite: str) -> None:
    async with sited(sqlite) as site:
        seated = await site.begin("standard(start=first_seat,target=0,rounds=1)", "far", "far", dice="system")
        while (view := await seated.view())["seat"] == 0:
            answer = await seated.do(**choice(view, random.Random(1)), token=seated.seats[0])
            assert answer.status_code == 200
        pages = [await site.client.get(f"/g/{seated.game}", headers=bearer(one)) for one in seated.seats.values()]
        others, own = (" ".join(re.findall(r'id="needs(?:-too)?">(.*)</p>', page.text)) for page in pages)
        assert re.search("Bob needs </span>[0-9,]+ to win", others)
        assert re.search("You need </span>[0-9,]+ to win", own)
        real = await site.begin("standard(start=first_seat,finish=at_once,target=1000)", "here", "here", dice="manual")
        await real.do("note", points=900)
        await real.do("note", points=0, farkle=True)
        assert "<small>100 to win</small>" in (await site.client.get(f"/g/{real.game}", headers=bearer(real.host))).text
