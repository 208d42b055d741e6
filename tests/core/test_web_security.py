"""Forbidden acts: tokens, other seats, other sites, excess; and the headers of every answer."""

from __future__ import annotations

import html
import json
import random
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from farkel.dice.chance import SYSTEM, Chance
from farkel.web.http.limits import Limits, Rate
from farkel.web.http.security import HEADERS, POLICY, address_of
from farkel.web.tokens import LETTERS, hashed, new_name, new_token
from web_helpers import FIRST, Hands, Seated, Site, bearer, engine_of, sited

JSON_ONLY = "application/json"
GUARDED = {name.decode(): value.decode() for name, value in HEADERS}


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    said: dict[str, Any] = answer.json()
    assert said["code"] == code
    assert len(said["message"]) > 10
    return said


# Tokens and seats ----------------------------------------------------------------------------------------------------


def test_tokens_and_names_cannot_be_guessed() -> None:
    tokens = {new_token(Chance()) for _ in range(2_000)}
    assert len(tokens) == 2_000
    assert all(len(token) == 32 for token in tokens)
    names = {new_name(Chance()) for _ in range(2_000)}
    assert len(names) == 2_000
    assert all(len(name) == 12 and set(name) <= set(LETTERS) for name in names)
    assert len(set(LETTERS)) == 32
    assert set(LETTERS) <= set("abcdefghijklmnopqrstuvwxyz0123456789")


async def test_a_wrong_token_opens_nothing(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game, other = await site.begin(FIRST), await site.begin(FIRST)
        wrong = ["x", new_token(SYSTEM), game.seats[0][:-1], game.seats[0] + "A", game.seats[0].swapcase()]
        wrong += [hashed(game.seats[0]), other.host, other.seats[0], game.game, "'; DROP TABLE games; --"]
        for token in wrong:
            refused(await game.do("roll", token), 401, "bad_token")
            refused(await game.get(token=token), 401, "bad_token")
            refused(await game.post("/seats/0/link", token), 401, "bad_token")
        for header in ("Basic " + game.seats[0], "Bearer", "", game.seats[0]):
            answer = await site.client.post(
                f"{game.path}/moves", json={"move": {"do": "roll"}}, headers={"authorization": header}
            )
            refused(answer, 401, "bad_token")
        assert len(await game.events()) == 1


async def test_without_a_token_one_only_watches(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "far", "here")
        view = await game.view()
        assert not view["host"]
        assert not view["yours"]
        for move in ("roll", "start", "undo", "allow"):
            answer = await game.post("/moves", None, move={"do": move})
            assert answer.status_code in (403, 422)
        refused(await game.post("/moves", None, move={"do": "roll"}), 403, "not_yours")
        refused(await game.post("/seats/0/link"), 403, "not_the_host")
        assert len(await game.events()) == 1


async def test_seats_cannot_act_for_each_other(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST, "far", "far", "here")
        refused(await game.do("roll", game.seats[1]), 403, "not_yours")
        refused(await game.do("roll", game.host), 403, "not_yours")
        refused(await game.do("leave", game.seats[1], seat=0), 403, "not_yours")
        refused(await game.do("allow", game.seats[1]), 403, "not_the_host")
        refused(await game.post("/seats/0/link", game.seats[0]), 403, "not_the_host")
        assert (await game.do("roll", game.seats[0])).status_code == 200


async def test_cookies_of_another_game_open_nothing(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game, other = await site.begin(FIRST), await site.begin(FIRST)
        submit = {"move": {"do": "roll"}}

        async def post(*tokens: str) -> httpx.Response:
            cookies = "; ".join(f"seat-{number:08}={token}" for number, token in enumerate(tokens))
            headers = {"cookie": cookies, "accept": JSON_ONLY}
            return await site.client.post(f"/g/{game.game}/moves", json=submit, headers=headers)

        refused(await post(other.seats[0]), 403, "not_yours")
        refused(await post(game.seats[0], *(new_token(SYSTEM) for _ in range(10))), 403, "not_yours")
        assert (await post(new_token(SYSTEM), game.seats[0])).status_code == 200


async def test_dice_cannot_be_chosen(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        token = game.seats[0]
        chosen: list[dict[str, Any]] = [
            {"do": "throw", "faces": [1, 1, 1, 1, 1, 1]},
            {"do": "note", "points": 9_000, "dice": 0, "sure": True},
            {"do": "note", "points": 0, "dice": 0, "sure": True},
            {"do": "fell"},
        ]
        for move in chosen:
            refused(await game.post("/moves", token, move=move), 422, "not_your_dice")
        unknown: list[dict[str, Any]] = [
            {"do": "roll", "faces": [1, 1, 1, 1, 1, 1]},
            {"do": "secret"},
            {"do": "throw", "faces": [7]},
            {"do": "throw", "faces": []},
            {"do": "keep", "dice": [1] * 11, "then": "bank"},
        ]
        for move in unknown:
            refused(await game.post("/moves", token, move=move), 422, "malformed")
        assert len(await game.events()) == 1


async def test_no_move_after_the_end(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin("standard(target=500)")
        await game.play(random.Random(5))
        before = await game.events()
        for token in (*game.seats.values(), game.host):
            for move in ({"do": "roll"}, {"do": "keep", "dice": [1], "then": "bank"}, {"do": "undo"}, {"do": "fresh"}):
                assert (await game.post("/moves", token, move=move)).status_code in (403, 422)
            assert (await game.do("leave", token, seat=0)).status_code in (403, 422)
        assert await game.events() == before


async def test_the_database_keeps_no_token(database: str) -> None:
    async with sited(database) as site:
        game = await site.begin(FIRST, "far", "here", "far")
        new = (await game.post("/seats/2/link", game.host)).json()["token"]
        kept = _everything(site)
        for token in (game.host, *game.seats.values(), new):
            assert token not in kept
            if token != game.seats[2]:
                assert hashed(token) in kept


def _everything(site: Site) -> str:
    with engine_of(site.service).connect() as connection:
        rows = [
            row for table in ("games", "seats", "events") for row in connection.execute(text(f"SELECT * FROM {table}"))
        ]
    return "\n".join(repr(tuple(row)) for row in rows)


async def test_hashes_of_tokens_are_never_sent(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        new = (await game.post("/seats/0/link", game.host)).json()["token"]
        stale = await game.do("roll", new, seen=0)
        refused(stale, 409, "stale")
        for answer in (stale, await game.get(), await game.get("/events"), await game.get("/record")):
            for token in (game.host, *game.seats.values(), new):
                assert token not in answer.text
                assert hashed(token) not in answer.text


# Every answer --------------------------------------------------------------------------------------------------------


async def test_every_answer_carries_the_guards_headers(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sited(sqlite, most_body=1_000) as site:
        game = await site.begin(FIRST)
        client = site.client

        async def broken(*_: object) -> None:
            raise RuntimeError("a fault of ours")

        monkeypatch.setattr("farkel.web.coaching.questions.hint", broken)
        answers = {
            200: await game.get(),
            201: await client.post("/api/v1/games", json={"rules": FIRST, "seats": [{"name": "Ann"}]}),
            401: await game.get(token="x"),
            403: await client.post("/api/v1/games", json={}, headers={"sec-fetch-site": "cross-site"}),
            404: await client.get("/api/v1/nothing"),
            405: await client.delete("/api/v1/games"),
            409: await game.do("roll", game.seats[0], seen=0),
            413: await client.post("/api/v1/games", content=b"x" * 2_000, headers=JSON),
            422: await client.post("/api/v1/games", json={}),
            500: await game.get("/advice"),
        }
        answers_of_files = [await client.get("/static/nothing.js"), await client.get("/nothing")]
        for status, answer in answers.items():
            assert answer.status_code == status
            assert status < 400 or set(answer.json()) >= {"code", "message"}
        assert answers[500].json()["code"] == "broken"
        assert "fault of ours" not in answers[500].text
        for answer in (*answers.values(), *answers_of_files):
            for name, value in GUARDED.items():
                assert answer.headers.get_list(name) == [value]


async def test_browsers_that_came_by_https_are_told_to_stay_there(sqlite: str) -> None:
    async with sited(sqlite) as site:
        name = "strict-transport-security"
        for path in ("/", "/static/style.css", "/nothing"):
            assert name not in (await site.client.get(path)).headers
            assert (await site.client.get(f"https://farkel.test{path}")).headers[name] == "max-age=31536000"


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    directives = dict(part.strip().split(" ", 1) for part in POLICY.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["frame-ancestors"] == "'none'"
    assert directives["base-uri"] == "'none'"
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "*" not in POLICY
    assert GUARDED["referrer-policy"] == "no-referrer"  # links hold tokens
    assert GUARDED["x-content-type-options"] == "nosniff"


# Other sites ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"origin": "http://farkel.test"}, True),
        ({"origin": "https://farkel.test"}, True),  # a proxy ends TLS in front
        ({"sec-fetch-site": "same-origin", "origin": "http://farkel.test"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),  # another port or name of this machine is another site to us
        ({"sec-fetch-site": "cross-site", "origin": "http://farkel.test"}, False),
        ({"origin": "http://evil.test"}, False),
        ({"origin": "http://farkel.test.evil.test"}, False),
        ({"origin": "http://farkel.test:8000"}, False),
        ({"origin": "null"}, False),
    ],
)
async def test_posts_from_pages_of_other_sites_are_refused(sqlite: str, headers: dict[str, str], let_in: bool) -> None:
    async with sited(sqlite) as site:
        given = {"rules": FIRST, "seats": [{"name": "Ann"}]}
        answer = await site.client.post("/api/v1/games", json=given, headers=headers)
        if let_in:
            assert answer.status_code == 201
        else:
            refused(answer, 403, "cross_site")
            assert await site.service.store.open_games(0) == 0
        assert (await site.client.get("/api/v1/rules", headers=headers)).status_code == 200


# Too much ------------------------------------------------------------------------------------------------------------


async def test_a_body_that_is_too_long_is_refused(sqlite: str) -> None:
    async with sited(sqlite, most_body=2_000) as site:
        refused(await site.client.post("/api/v1/games", content=b"[" * 2_001, headers=JSON), 413, "http_413")

        async def chunks() -> Any:
            for _ in range(100):
                yield b" " * 100

        refused(await site.client.post("/api/v1/games", content=chunks(), headers=JSON), 413, "http_413")
        assert (await site.client.post("/api/v1/games", content=b" " * 2_000, headers=JSON)).status_code == 422


async def test_an_address_that_had_its_share_must_wait(sqlite: str) -> None:
    async with sited(sqlite, work_a_minute=60) as site:
        limits: Limits = site.app.state.limits
        for _ in range(3):
            assert (await site.client.get("/api/v1/rules")).status_code == 200
        spent = limits.done(Rate.WORK, "127.0.0.1")
        assert 0 < spent < 15
        limits.count(Rate.WORK, "127.0.0.1", 16.5 - spent)
        answer = await site.client.get("/api/v1/rules")
        refused(answer, 429, "too_fast")
        assert answer.headers["retry-after"] == "2"
        assert limits.done(Rate.WORK, "127.0.0.1") == pytest.approx(16.5)  # a refusal costs nothing


async def test_too_many_games_of_one_address_are_refused(sqlite: str) -> None:
    async with sited(sqlite, opened_an_hour=8) as site:
        given = {"rules": FIRST, "seats": [{"name": "Ann"}]}
        answers = [await site.client.post("/api/v1/games", json=given) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [201, 201, 429]
        refused(answers[-1], 429, "too_many_opened")
        assert answers[-1].headers["retry-after"] == "450"


async def test_when_all_places_are_taken_and_played_only_newcomers_open_more(sqlite: str) -> None:
    hands = Hands()
    async with sited(sqlite, hands, most_open=2) as site:
        given = {"rules": FIRST, "seats": [{"name": "Ann", "who": "far"}]}
        first, second = await site.open(FIRST), await site.open(FIRST)
        hands.move(61)
        for game in (first, second):
            await game.do("start")
        assert (await site.client.post("/api/v1/games", json=given)).status_code == 201  # the third of this address
        refused(await site.client.post("/api/v1/games", json=given), 503, "too_many_games")
        await first.do("leave", first.seats[0], seat=0)
        await second.do("leave", second.seats[0], seat=0)
        assert (await site.client.post("/api/v1/games", json=given)).status_code == 201


async def test_those_who_try_again_at_once_when_all_is_full_do_not_keep_the_database_busy(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands, asked, given = Hands(), list[int](), {"rules": FIRST, "seats": [{"name": "Ann"}]}
    async with sited(sqlite, hands, most_open=1, always_open=1) as site:
        open_games = site.service.store.open_games

        async def count(since: int) -> int:
            asked.append(since)
            return await open_games(since)

        monkeypatch.setattr(site.service.store, "open_games", count)
        game = await site.open(FIRST)
        hands.move(61)
        await game.do("start")
        asked.clear()
        for seconds, times in ((0, 1), (0, 1), (0.9, 1), (0.2, 2)):
            hands.move(seconds)
            refused(await site.client.post("/api/v1/games", json=given), 503, "too_many_games")
            assert len(asked) == times


async def test_games_that_nobody_played_give_way_those_of_who_opened_most_first(sqlite: str) -> None:
    """One address opens all that there may be; another one still finds a place, and nobody else loses one."""
    hands = Hands()
    async with sited(sqlite, hands, most_open=6) as site:
        given = {"rules": FIRST, "seats": [{"name": "Ann", "who": "far"}, {"name": "Ben", "who": "far"}]}

        async def post(address: str) -> httpx.Response:
            transport = httpx.ASGITransport(site.app, client=(address, 50_000))
            async with httpx.AsyncClient(transport=transport, base_url="http://farkel.test") as client:
                return await client.post("/api/v1/games", json=given)

        async def open_from(address: str) -> Seated:
            said = (await post(address)).json()
            return Seated(site.client, said["game"], said["host"], {})

        async def there(game: Seated) -> bool:
            return (await game.get()).status_code == 200

        lobby = await open_from("192.0.2.9")
        mass = [await open_from("192.0.2.1") for _ in range(5)]
        with site.service.news.listen(mass[4].game):  # a page of it is open
            for number in range(2, 5):
                await open_from(f"192.0.2.{number}")
        assert [await there(game) for game in mass] == [True, False, False, False, True]
        assert await there(lobby)
        refused(await post("192.0.2.1"), 503, "too_many_games")
        assert await site.service.room.count_open() == 6


# In words to people ---------------------------------------------------------------------------------------------------

PAGE = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


def refused_in_words(answer: httpx.Response, status: int, *words: str) -> None:
    """A page of the site that names the fault and the next step."""
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == POLICY
    page = html.unescape(answer.text)
    assert '<main id="main">' in page
    for word in words:
        assert word in page


async def test_loading_pages_too_fast_is_explained_on_a_page(sqlite: str) -> None:
    async with sited(sqlite, work_a_minute=4) as site:
        site.app.state.limits.count(Rate.WORK, "127.0.0.1", 1.96)
        answer = await site.client.get("/?rules=minimal", headers=PAGE)
        again = 'href="">Try again<'
        refused_in_words(answer, 429, "One moment, please", "Too many requests", "try again in 15 s", again)
        assert answer.headers["retry-after"] == "15"
        refused_in_words(await site.client.post("/", headers=PAGE), 429, "Nothing was lost", "send it once more")
        part = await site.client.get("/g/abcdefghijkm/board", headers={"accept": "text/html", "hx-request": "true"})
        assert part.headers["hx-retarget"] == "#notice"
        assert "<html" not in part.text
        for path, headers in (("/api/v1/rules", PAGE), ("/", {"accept": JSON_ONLY})):
            refused(await site.client.get(path, headers=headers), 429, "too_fast")


async def test_a_form_of_another_site_is_refused_on_a_page(sqlite: str) -> None:
    async with sited(sqlite) as site:
        elsewhere = {"sec-fetch-site": "cross-site"}
        answer = await site.client.post("/", headers=PAGE | elsewhere)
        refused_in_words(answer, 403, "That may not be done from here", "a page of another site", "Nothing was done")
        refused(await site.client.post("/api/v1/games", json={}, headers=PAGE | elsewhere), 403, "cross_site")


async def test_a_form_that_is_too_long_is_refused_on_a_page(sqlite: str) -> None:
    async with sited(sqlite, most_body=1_000) as site:
        answer = await site.client.post("/", data={"name-0": "x" * 2_000}, headers=PAGE)
        refused_in_words(answer, 413, "That is too long", "1,000 bytes", "make it shorter")


async def test_limits_on_games_are_explained_on_a_page(sqlite: str) -> None:
    async with sited(sqlite, opened_an_hour=4, most_open=1) as site:
        form = {"rules": FIRST, "name-0": "Ann", "dice": "system"}
        assert (await site.client.post("/", data=form, headers=PAGE)).status_code == 303
        answer = await site.client.post("/", data=form, headers=PAGE)
        refused_in_words(answer, 429, "try again in 900 s", "send it once more")
        assert answer.headers["retry-after"] == "900"
    async with sited(sqlite, most_open=0, always_open=0, open_for=0.0) as site:
        refused_in_words(await site.client.post("/", data=form, headers=PAGE), 503, "Not just now", "0 games are open")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8:0:0:1::1", "2001:db8::ffff:0:0:1", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("2001:db8::1", "2001:db9::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
    ],
)
def test_one_household_is_one_address(one: str, other: str, same: bool) -> None:
    assert (address_of({"client": (one, 1)}) == address_of({"client": (other, 2)})) is same


# Odd input -----------------------------------------------------------------------------------------------------------

JSON = {"content-type": JSON_ONLY}
ODD = {
    "<script>alert": None,
    "": "bad_name",
    "   ": "bad_name",
    "a\u200fb": "bad_name",
    "\u202eevil": "bad_name",
    "a\x00b": "bad_name",
    "a\x1b[31m": "bad_name",
    "Ann: dice fell": None,
    "Ann, the first": None,
    "\u2800": "bad_name",
    "\u3164": "bad_name",
    "علی\u200cرضا": None,
    "x" * 21: "malformed",
    "x" * 10_000: "malformed",
    "Zoë 🎲": None,
    "\ud800": "malformed",
}


@pytest.mark.parametrize("name", ODD)
async def test_odd_names_are_kept_or_refused(sqlite: str, name: str) -> None:
    async with sited(sqlite) as site:
        for seat in ({"name": name}, {"name": "Team", "people": ["Ann", name]}):
            body = json.dumps({"rules": "standard", "seats": [seat, {"name": "Bob"}]})
            answer = await site.client.post("/api/v1/games", content=body, headers=JSON)
            if ODD[name] is None:
                assert answer.status_code == 201
                view = await Seated(site.client, answer.json()["game"], answer.json()["host"], {}).view()
                assert name in (view["seats"][0]["name"], *view["seats"][0]["people"])
            else:
                refused(answer, 422, ODD[name] or "")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"\xff"',
        b"\xff\xfe",
        b"[" * 50_000,
        b'{"move": {"do": "roll"}, "seen": 1e400}',
        b'{"move": {"do": "roll"}, "seen": 99999999999999999999}',
        b'{"move": {"do": "roll"}, "seen": -1}',
        b'{"move": {"do": "roll"}, "request": "short"}',
        b'{"move": {"do": "roll"}, "request": "with\\u0000zero"}',
        b'{"move": {"do": "roll"}, "request": "half \\ud800 of one"}',
        b'{"move": {"do": "roll"}, "\\ud800": 1}',
        b'{"move": {"do": "\\ud800"}}',
        b'{"move": {"do": "leave", "seat": 99}}',
        b'{"move": {"do": "word", "seat": 0, "word": "\\ud800"}}',
    ],
)
async def test_unreadable_requests_are_refused_as_such(database: str, body: bytes) -> None:
    async with sited(database) as site:
        game = await site.open(FIRST)
        answer = await site.client.post(f"{game.path}/moves", content=body, headers=JSON | bearer(game.seats[0]))
        assert answer.status_code in (400, 422)
        assert set(answer.json()) >= {"code", "message"}


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=99999999999999999999", "after=2147483648"])
async def test_numbers_beyond_all_events_are_refused(database: str, query: str) -> None:
    async with sited(database) as site:
        game = await site.begin(FIRST)
        refused(await site.client.get(f"{game.path}/events?{query}"), 422, "malformed")
        assert (await site.client.get(f"{game.path}/events?after=2147483647")).json() == []


@pytest.mark.parametrize("name", ["A" * 12, "a" * 11, "a" * 13, "..%2f..%2fetc", "%00aaaaaaaaaaa"])
async def test_invalid_names_of_games_are_refused(sqlite: str, name: str) -> None:
    async with sited(sqlite) as site:
        answer = await site.client.get(f"/api/v1/games/{name}")
        assert answer.status_code == 404
        assert answer.json()["code"] in ("no_such_game", "http_404")
