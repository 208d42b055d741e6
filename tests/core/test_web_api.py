"""The interface for programs: whole games, streams, links, reactions, and refusals."""

from __future__ import annotations

import asyncio
import random
import re
from typing import Any

import pytest

from farkel.dice import MOST_DICE
from farkel.game import Note
from farkel.records import parse_record, verify
from farkel.web.http.limits import Held
from farkel.web.store.news import Message, News
from farkel.web.store.values import UNREACHABLE, StoreError
from serving import HANG
from web_helpers import EVERYTHING, FIRST, Hands, Stream, choice, engine_of, following, sited

SHORT = "standard(target=1000)"
SCORING = "standard(start=first_seat, scoring.2=50, scoring.3=50, scoring.4=50, scoring.6=50)"
"""Rules under which no roll farkles."""


async def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    said: dict[str, Any] = answer.json()
    assert said["code"] == code
    assert said["message"]
    return said


@pytest.mark.parametrize("rules", ["original", "build-on", "renaissance", "standard"])
async def test_a_game_is_played_to_its_end_and_verified(sqlite: str, rules: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open(rules, "far", "here", "far")
        await game.do("word", game.seats[0], seat=0, word="Rome")
        assert (await game.do("start")).status_code == 200
        await game.play(random.Random(1), 60)
        for seat, token in ((0, game.seats[0]), (1, game.host), (2, game.seats[2])):
            view = await game.view()
            if not view["over"] and view["seats"][seat]["status"] == "in":
                assert (await game.do("leave", token, seat=seat)).status_code == 200
        record = parse_record((await game.get("/record")).content)
        assert record.state.over
        assert record.header.dice.words == ("Rome",)
        assert "follow from the secret" in verify(record)[1]


@pytest.mark.parametrize("dice", [8, MOST_DICE])
async def test_as_many_dice_as_rules_may_have_are_thrown_and_kept(sqlite: str, dice: int) -> None:
    pays = ", ".join(f"scoring.{face}=10" for face in (2, 3, 4, 6))
    rules = f"standard(dice={dice}, target=5000, start=first_seat, {pays})"
    rolls: dict[str, Any] = {
        "manual": {"do": "throw", "faces": [2, 3, 4, 6] * 2 + [2] * (dice - 8)},
        "committed": {"do": "roll"},
    }
    async with sited(sqlite) as site:
        for kind, rolled in rolls.items():
            game = await site.begin(rules, "here", "here", dice=kind)
            assert (await game.do(**rolled)).status_code == 200
            every = max((keep["dice"] for keep in (await game.view())["keeps"]), key=len)
            assert len(every) == dice
            answer = await game.do("keep", dice=every, then="bank")
            assert answer.status_code == 200, answer.text
            assert (await game.view())["seat"] == 1


async def test_a_short_game_shows_its_secret_at_the_end_and_not_before(database: str) -> None:
    async with sited(database) as site:
        game = await site.begin(SHORT)
        with engine_of(site.service).connect() as connection:
            secret = bytes(connection.exec_driver_sql("SELECT secret FROM games").scalar_one()).hex()
        tokens = [*game.seats.values(), game.host, None]
        chance = random.Random(2)
        while not (await game.view())["over"]:
            for path in ("", "/events", "/record", "/statistics", "/advice", "/chances", "/review"):
                for token in tokens:
                    assert secret not in (await game.get(path, token)).text
            await game.play(chance, 1)
        assert secret in (await game.get("/record")).text
        verify(parse_record((await game.get("/record")).content))


async def test_an_invitation_gives_every_friend_a_free_seat_of_their_own(database: str) -> None:
    async with sited(database) as site:
        game = await site.open("standard", "here", "far", "far", "far")
        code = (await game.get("", game.host)).json()["code"]
        assert (await game.get()).json()["code"] == ""  # only the host can hand it out
        async with following(site, f"{game.path}/stream?after=0", game.seats[3]):

            async def join(name: str) -> Any:
                return await site.client.post(
                    "/api/v1/join", json={"code": code.lower().replace("-", " "), "name": name}
                )

            both = await asyncio.gather(join("Eva"), join("Finn"))  # the fourth seat is held by its own link
            taken = sorted((answer.json() for answer in both), key=lambda said: said["seat"])
            assert [said["seat"] for said in taken] == [1, 2]
            names = [seat["name"] for seat in (await game.get()).json()["seats"]]
            assert {*names[1:3]} == {"Eva", "Finn"}
            await refused(await join("Gus"), 422, "no_free_seat")
        assert (await game.do("word", taken[0]["token"], seat=1, word="mine")).status_code == 200
        await game.do("start")
        record = parse_record((await game.get("/record")).content)
        assert record.header.names == tuple(names)


async def test_players_with_a_link_or_a_word_keep_the_seat(database: str) -> None:
    async with sited(database) as site:
        game = await site.open("standard", "here", "far", "far", "far")
        assert await site.service.free(game.game) == [1, 2, 3]
        assert (await site.client.get(f"/s/{game.seats[2]}")).status_code == 200  # as previews do
        assert await site.service.free(game.game) == [1, 2, 3]
        assert (await site.client.post(f"/s/{game.seats[2]}")).status_code == 303
        await game.do("word", game.seats[3], seat=3, word="mine")
        assert await site.service.free(game.game) == [1]


async def test_two_taps_on_an_invitation_take_one_seat(database: str) -> None:
    async with sited(database) as site:
        game = await site.open("standard", "here", "far", "far")
        code = (await game.get("", game.host)).json()["code"]
        page = await site.client.get(f"/j/{code}")
        once = re.findall(r'name="once" value="([^"]+)"', page.text)[0]
        sent = {"name": "Eva", "once": once}
        both = await asyncio.gather(*(site.client.post(f"/j/{code}", data=sent) for _ in range(2)))
        assert [answer.status_code for answer in both] == [303, 303]
        names = [seat["name"] for seat in (await game.get()).json()["seats"]]
        assert names.count("Eva") == 1
        assert len(await site.service.free(game.game)) == 1


async def test_late_friends_take_seats_as_they_are_named_and_names_stay_apart(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open("standard", "here", "far", "far")
        code = (await game.get("", game.host)).json()["code"]
        names = [seat["name"] for seat in (await game.get()).json()["seats"]]
        await refused(await site.client.post("/api/v1/join", json={"code": code, "name": names[0]}), 422, "bad_name")
        await game.do("start")
        late = await site.client.post("/api/v1/join", json={"code": code, "name": "Late"})
        assert late.json()["seat"] == 1
        assert [seat["name"] for seat in (await game.get()).json()["seats"]] == names
        await refused(await site.client.post("/api/v1/join", json={"code": "222-222"}), 404, "no_such_code")
        await refused(await site.client.post("/api/v1/join", json={"code": "not a code"}), 404, "no_such_code")


async def test_guessing_codes_is_limited(sqlite: str) -> None:
    async with sited(sqlite, codes_an_hour=20) as site:
        answers = [await site.client.post("/api/v1/join", json={"code": "222-222"}) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [404] * 5 + [429]
        await refused(answers[-1], 429, "too_many_codes")


async def test_right_codes_are_not_counted(sqlite: str) -> None:
    async with sited(sqlite, codes_an_hour=4) as site:
        game = await site.open(FIRST)
        code = (await game.view(game.host))["code"]
        for _ in range(5):
            assert (await site.client.get(f"/j/{code}")).status_code == 200


async def test_a_stream_sends_events_in_order(database: str) -> None:
    async with sited(database) as site:
        game = await site.begin(SHORT)
        async with following(site, f"{game.path}/stream?after=0") as stream:
            await game.play(random.Random(3))
            number = (await game.view())["number"]
            came = await stream.until(number)
        assert [event["number"] for event in came] == list(range(1, number + 1))
        assert [event["id"] for event in came] == [str(event["number"]) for event in came]
        assert [
            {key: event[key] for key in event if key not in ("event", "id")} for event in came
        ] == await game.events()


async def test_a_stream_resumes_after_an_interruption(database: str) -> None:
    async with sited(database) as site:
        game = await site.begin(FIRST)
        await game.do("roll", game.seats[0])
        async with following(site, f"{game.path}/stream?after=1") as stream:
            assert (await stream.next())["number"] == 2
        async with following(site, f"{game.path}/stream") as stream:  # from now on
            view = await game.view()
            await game.do(**choice(view, random.Random(1)), token=game.seats[view["seat"]])
            assert (await stream.next())["number"] == 3


async def test_nothing_is_missed_between_listening_and_reading(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that is stored while a stream reads what happened before is told as well, and once."""
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "here", "here", dice="manual")
        rows = site.service.rows
        slipped_in = False

        async def read(name: str, after: int) -> Any:
            nonlocal slipped_in
            found = await rows(name, after)
            if not slipped_in:
                slipped_in = True
                await site.service.submit(name, lambda table: table.play(EVERYTHING, Note(350, 2)))
            return found

        monkeypatch.setattr(site.service, "rows", read)
        async with following(site, f"{game.path}/stream?after=0") as stream:
            assert [event["number"] for event in await stream.until(2)] == [1, 2]
            await game.do("note", points=400, dice=2, sure=True)
            assert (await stream.next())["number"] == 3


async def test_closed_streams_leave_nothing_behind(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        streams = [Stream(site, f"{game.path}/stream?after=0", game.seats[0]) for _ in range(30)]
        for stream in streams:
            assert await stream.status == 200
            await stream.until(1)
        assert site.app.state.limits.held(Held.STREAMS, "127.0.0.1") == 30
        for stream in streams[:15]:
            await stream.close()
        assert site.app.state.limits.held(Held.STREAMS, "127.0.0.1") == 15
        for stream in streams[15:]:
            await stream.close()
        await site.service.settled()
        assert not site.app.state.limits.held(Held.STREAMS, "127.0.0.1")
        assert not site.service.news.heard(game.game)
        assert not site.service._pages
        assert not [task for task in asyncio.all_tasks() if "Stream._run" in repr(task)]


async def test_an_unread_stream_is_closed(sqlite: str) -> None:
    """A client that leaves in the middle of a long answer leaves nothing behind."""
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "far", "here", dice="manual")
        for _ in range(50):
            await site.service.submit(game.game, lambda table: table.play(EVERYTHING, Note(50, 2)))
        stream = Stream(site, f"{game.path}/stream?after=0", game.seats[0])
        await stream.next()
        await stream.close()
        await site.service.settled()
        assert not site.app.state.limits.held(Held.STREAMS, "127.0.0.1")
        assert not site.service.news.heard(game.game)


async def test_too_many_streams_of_one_address_are_refused(sqlite: str) -> None:
    async with sited(sqlite, most_streams=2) as site:
        game = await site.begin(FIRST)
        path = f"{game.path}/stream"
        async with following(site, path), following(site, path) as second:
            third = Stream(site, path)
            assert await third.status == 429
            await third.close()
            async with following(site, path, address="10.0.0.9") as elsewhere:
                assert await elsewhere.status == 200
            await second.close()
            async with following(site, path) as again:
                assert await again.status == 200


async def test_a_stream_of_no_game_is_refused(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        for path, token, status in (
            ("/api/v1/games/aaaaaaaaaaaa/stream", None, 404),
            (f"{game.path}/stream", "x", 401),
        ):
            async with following(site, path, token) as stream:
                assert await stream.status == status
        assert not site.app.state.limits.held(Held.STREAMS, "127.0.0.1")


async def test_signs_of_life_keep_a_seat_there(sqlite: str) -> None:
    clock = Hands()
    async with sited(sqlite, clock, heartbeat=0.01, away_after=40.0) as site:
        game = await site.begin(FIRST)
        async with following(site, f"{game.path}/stream", game.seats[0]) as stream:
            assert [seat["away"] for seat in (await game.view())["seats"]] == [False, True]
            clock.move(1_000)
            for _ in range(stream.signs.qsize() + 2):  # one may have been on its way
                await asyncio.wait_for(stream.signs.get(), HANG)
            assert [seat["away"] for seat in (await game.view())["seats"]] == [False, True]
        await site.service.settled()
        assert [seat["away"] for seat in (await game.view())["seats"]] == [True, True]


async def test_the_stream_of_a_seat_ends_with_its_link(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        async with (
            following(site, f"{game.path}/stream", game.seats[0]) as old,
            following(site, f"{game.path}/stream") as watcher,
        ):
            answer = await game.post("/seats/0/link", game.host)
            new = answer.json()["token"]
            assert answer.json()["link"] == f"http://farkel.test/s/{new}"
            assert [event["kind"] for event in await old.ended() if event["event"] == "move"] == ["link"]
            assert "token" not in (await watcher.until(2))[-1]
        await refused(await game.do("roll", game.seats[0]), 401, "bad_token")
        assert (await game.do("roll", new)).status_code == 200


async def test_the_next_game_is_announced_and_keeps_the_seats(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "far", "far", "here")
        await refused(await game.post("/again", game.host), 422, "not_over")
        await game.do("leave", game.seats[0], seat=0)
        await game.do("leave", game.seats[1], seat=1)
        await refused(await game.post("/again", game.seats[1]), 422, "no_next")
        await refused(await game.post("/again"), 422, "no_next")
        await refused(await game.post("/again", "x"), 401, "bad_token")
        assert (await game.view())["again"] == ""
        async with following(site, f"{game.path}/stream") as stream:
            opened = (await game.post("/again", game.host)).json()
            told = await stream.next()
        assert (told["kind"], told["game"]) == ("again", opened["game"])
        assert (await game.view())["again"] == opened["game"]
        assert opened["seats"] == {}
        assert opened["watch"] == f"http://farkel.test/g/{opened['game']}"
        assert (await game.post("/again", game.host)).json() == opened
        sat = (await game.post("/again", game.seats[1])).json()
        assert (sat["game"], sat["host"]) == (opened["game"], "")
        assert sat["links"] == {"1": f"http://farkel.test/s/{sat['seats']['1']}"}
        assert (await game.post("/again")).json()["seats"] == {}
        again = game._replace(game=opened["game"], host=opened["host"])
        view = await again.view(sat["seats"]["1"])
        assert [seat["yours"] for seat in view["seats"]] == [False, True, False]
        assert (await again.do("start")).status_code == 200
        assert [event["kind"] for event in await again.events()] == ["link", "start"]


async def test_a_game_without_rolls_has_no_statistics(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "here", "here", dice="manual")
        await game.do("note", points=300, dice=2)
        await refused(await game.get("/statistics"), 422, "no_throws")
        for faces in ([True, 1, 2, 3, 4, 6], [1, True, False, 3, 4, 6]):
            said = await refused(await game.do("throw", faces=faces), 422, "malformed")
            assert "must be a whole number" in said["message"]
        await game.do("throw", faces=[1, 1, 2, 3, 4, 6])
        found = (await game.get("/statistics")).json()
        assert (found["dice"], found["faces"], found["verdict"]) == (6, [2, 1, 1, 1, 0, 1], "usual")
        assert found["p"] == pytest.approx(1 - 720 / 6**6)
        assert found["sentences"][0] == "Verdict: nothing speaks against these dice."


async def test_reactions_reach_the_whole_table_and_come_only_from_it(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "far", "far", "here")
        async with following(site, f"{game.path}/stream") as stream:
            assert (await game.post("/reactions", game.seats[1], what="clap", seat=1)).status_code == 204
            assert await stream.next() == {
                "event": "passing",
                "id": None,
                "kind": "reaction",
                "what": "clap",
                "seat": 1,
            }
            await refused(await game.post("/reactions", None, what="clap"), 403, "not_yours")
            await refused(await game.post("/reactions", game.seats[0], what="clap", seat=1), 403, "not_yours")
            await refused(await game.post("/reactions", game.seats[0], what="a long text"), 422, "malformed")
            assert (await game.post("/reactions", game.host, what="wow")).status_code == 204
            assert (await stream.next())["what"] == "wow"


async def test_dice_are_shown_to_the_table_as_they_are_chosen_and_nothing_is_stored(sqlite: str) -> None:
    clock = Hands()
    async with sited(sqlite, clock) as site:
        game = await site.begin(SCORING, "far", "far")
        await game.do("roll", game.seats[0])
        view = await game.view()
        dice = view["keeps"][0]["dice"]
        async with following(site, f"{game.path}/stream") as stream:

            async def choosing(dice: list[int], seen: int, token: str | None = game.seats[0]) -> Any:
                return await game.post("/choosing", token, dice=dice, seen=seen)

            seen = view["number"]
            assert (await choosing(dice[::-1], seen)).status_code == 204
            shown = {"event": "passing", "id": None, "kind": "choosing", "number": view["number"]}
            assert await stream.next() == shown | {"dice": dice}
            assert (await choosing([], seen)).status_code == 204  # too soon after the last
            clock.move(1)
            not_there = [1] * 6 if view["roll"] != [1] * 6 else [2]
            assert (await choosing(not_there, seen)).status_code == 204
            assert (await choosing(dice, seen - 1)).status_code == 204
            await refused(await choosing(dice, seen, game.seats[1]), 403, "not_yours")
            await refused(await choosing(dice, seen, None), 403, "not_yours")
            await refused(await choosing([1] * 100, seen), 422, "malformed")
            assert (await choosing([], seen)).status_code == 204
            assert await stream.next() == shown | {"dice": []}
        assert (await game.view())["number"] == view["number"]


def test_a_page_that_is_behind_is_not_kept_busy_with_dice_that_are_being_chosen() -> None:
    news = News()
    with news.listen("game") as queue:
        for dice in ([1], [1, 5], []):
            news.tell("game", Message(None, {"kind": "choosing", "number": 3, "dice": dice}))
        news.tell("game", Message(4))
        assert [queue.get_nowait().number for _ in range(queue.qsize())] == [None, 4]


async def test_a_stale_move_is_refused_with_the_missed_events(database: str) -> None:
    async with sited(database) as site:
        game = await site.begin(FIRST)
        rolled = await game.do("roll", game.seats[0], seen=1, request="request-1")
        said = await refused(await game.do("roll", game.seats[0], seen=1), 409, "stale")
        assert said["missed"] == rolled.json()["events"]
        assert said["number"] == 2
        again = await game.do("roll", game.seats[0], seen=1, request="request-1")
        assert again.json() == {"number": 2, "repeated": True, "events": []}


async def test_an_owner_who_submits_a_move_is_back(sqlite: str) -> None:
    """Even a refused move shows that its player is there."""
    clock = Hands()
    async with sited(sqlite, clock, pace=3_600.0) as site:
        game = await site.begin(FIRST, "far", "here", allowed={"patience": 60, "absent": "bot:bold"})
        clock.move(61)
        await site.service.look()
        assert (await game.view())["seats"][0]["sits_in"] == "bot:bold"
        await refused(await game.do("fresh", game.seats[0]), 422, "throw_due")
        assert (await game.view())["seats"][0]["sits_in"] == ""


async def test_the_host_changes_permissions(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        await refused(await game.do("allow", game.seats[0], hints=True), 403, "not_the_host")
        assert (await game.do("allow", hints=True, patience=30, absent="pass")).status_code == 200
        changed = {"hints": True, "chances": False, "patience": 30, "absent": "pass"}
        assert (await game.view())["allowed"] == changed | {"speed": "steady"}


async def test_events_are_the_newest_whichever_process_is_asked(postgres: Any) -> None:
    url = postgres.database()
    async with sited(url) as one, sited(url) as other:
        game = await one.begin(FIRST)
        there = game._replace(client=other.client)
        assert len(await there.events()) == 1
        await game.do("roll", game.seats[0])
        assert len(await there.events()) == 2
        assert await there.view() == await game.view()


async def test_without_its_database_the_server_says_so_and_continues(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)

        async def fails(*_: object) -> None:
            raise StoreError(*UNREACHABLE, "the disk is gone")

        with monkeypatch.context() as patch:
            patch.setattr(site.service.store, "write", fails)
            patch.setattr(site.service.store, "seen", fails)
            said = await refused(await game.do("roll", game.seats[0], request="request-1"), 503, "no_database")
            assert "disk" not in str(said)
            await refused(await game.get(), 503, "no_database")
        assert (await game.do("roll", game.seats[0], request="request-1")).json()["repeated"] is False


async def test_rules_are_read_and_shown(sqlite: str) -> None:
    async with sited(sqlite) as site:
        listed = (await site.client.get("/api/v1/rules")).json()
        assert {"standard", "original", "build-on"} <= {one["name"] for one in listed}
        read = (await site.client.post("/api/v1/rules/read", json={"rules": "standard(target=5000)"})).json()
        assert read["rules"]["target"] == 5_000
        again = (await site.client.post("/api/v1/rules/read", json={"toml": read["toml"]})).json()
        assert again["digest"] == read["digest"]
        by_fields = (await site.client.post("/api/v1/rules/read", json={"rules": read["rules"]})).json()
        assert by_fields["digest"] == read["digest"]
        wrong = {**read["rules"], "target": -1}
        said = await refused(await site.client.post("/api/v1/rules/read", json={"rules": wrong}), 422, "bad_rules")
        assert said["defects"]
        await refused(await site.client.post("/api/v1/rules/read", json={"rules": "no-such"}), 404, "unknown_rules")


async def test_a_rule_set_is_never_a_file_of_the_servers(sqlite: str, tmp_path: Any) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\ntarget = 5000\n')
    async with sited(sqlite) as site:
        for given in (str(tmp_path / "mine.toml"), "/etc/passwd", "../../mine.toml"):
            answer = await site.client.post("/api/v1/rules/read", json={"rules": given})
            assert answer.status_code in (404, 422)
            assert "root:" not in answer.text
            opened = {"rules": given, "seats": [{"name": "Ann"}]}
            assert (await site.client.post("/api/v1/games", json=opened)).status_code in (404, 422)
