"""The headers of answers: caching, compression, HEAD, OPTIONS, the icon; and that words stay words."""

from __future__ import annotations

import gzip
import json
import re
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from fastapi.routing import APIRoute
from hypothesis import given, settings
from hypothesis import strategies as st

from farkel.web.app import PAGES, make_app
from farkel.web.http.compression import sealed
from farkel.web.http.limits import Held
from farkel.web.http.validation import FORMS, said
from farkel.web.settings import Settings
from farkel.web.store.values import UNREACHABLE, StoreError
from web_helpers import FIRST, Seated, Site, bearer, following, sited

PAGE = {"accept": "text/html,*/*;q=0.8"}
FORM = {"rules": "standard(start=first_seat)", "name-0": "Ann", "name-1": "Ben", "dice": "system"}


def paths_of(game: Seated, method: str) -> list[str]:
    """An address for every route that takes the method."""
    values = {"game": game.game, "token": game.seats[0], "seat": "0", "turn": "1", "code": "222-222"}
    documented = make_app(Settings("sqlite:///none")).openapi()["paths"]
    found = {path for path, methods in documented.items() if method.lower() in methods}
    for route in (route for router in PAGES for route in router.routes):
        if isinstance(route, APIRoute) and method in (route.methods or ()):
            found.add(route.path)
    assert len(found) > 12, found
    return sorted(re.sub(r"\{(\w+)\}", lambda name: values[name[1]], path) for path in found)


async def opened(site: Site) -> Seated:
    return await site.begin(FIRST, "far", "far")


async def test_head_follows_get_and_options_lists_methods(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await opened(site)
        paths = [*paths_of(game, "GET"), "/static/table/page.js", "/favicon.ico", "/api/openapi.json"]
        for path in paths:
            head = await site.client.head(path)
            assert head.content == b"", path
            if not path.endswith(
                ("/stream", "/hint", "/review", "/story", "/chances", "/advice")
            ):  # which go on, or are heavy
                get = await site.client.get(path)
                assert head.status_code == get.status_code, path
                assert head.headers.get("content-type") == get.headers.get("content-type"), path
            assert head.status_code != 405, path
            options = await site.client.options(path)
            assert options.status_code == 204, path
            assert {"GET", "HEAD", "OPTIONS"} <= set(options.headers["allow"].split(", ")), path
        assert site.app.state.limits.held(Held.STREAMS, "127.0.0.1") == 0


async def test_a_wrong_method_names_the_allowed_ones(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await opened(site)
        for path, takes in (
            ("/", "GET, HEAD, OPTIONS, POST"),
            ("/rules/file", "GET, HEAD, OPTIONS, POST"),
            (f"{game.path}/moves", "OPTIONS, POST"),
            (game.path, "GET, HEAD, OPTIONS"),
            ("/static/style.css", "GET, HEAD, OPTIONS"),
        ):
            answer = await site.client.delete(path)
            assert answer.status_code == 405
            assert answer.headers["allow"] == takes
            assert takes in answer.text
        assert (await site.client.options("/nowhere")).status_code == 404


async def test_nothing_keeps_an_answer_that_may_hold_a_token(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await opened(site)
        for path in paths_of(game, "GET"):
            if path.endswith(("/stream", "/hint", "/review", "/chances", "/advice", "/favicon.ico")):
                continue
            kept = (await site.client.get(path)).headers["cache-control"]
            is_open = (
                path in ("/", "/offline", "/watch", "/sw.js", "/manifest.webmanifest", "/groups")
                or path.startswith(("/rules", "/api/v1/rules"))
                or path.endswith("/record")
            )
            assert kept == ("no-cache" if is_open else "no-store"), path
        for answer in (
            await site.client.post("/", data=FORM),
            await site.client.post("/api/v1/games", json={"rules": FIRST, "seats": [{"name": "Ann"}]}),
            await site.client.get("/g/nothinghere2", headers=PAGE),
            await site.client.get("/rules/sheet?rules=nonsense", headers=PAGE),
            await site.client.get("/static/nothing.js"),
            await game.do("roll", game.seats[0]),
        ):
            assert answer.headers["cache-control"] == "no-store", answer.url
        async with following(site, f"{game.path}/stream") as stream:
            assert await stream.status == 200


async def test_static_files_are_cached_by_content(sqlite: str) -> None:
    async with sited(sqlite) as site:
        page = (await site.client.get("/")).text
        addresses = re.findall(r'"(/static/[^"@]+)"', page)
        assert len(addresses) >= 3
        for address in addresses:
            answer = await site.client.get(address)
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            again = await site.client.get(address, headers={"if-none-match": answer.headers["etag"]})
            assert again.status_code == 304
            bare = address.partition("?")[0]
            for other in (bare, f"{bare}?v=000000000000"):
                assert (await site.client.get(other)).headers["cache-control"] == "no-cache"
        game = await opened(site)
        table = (await site.client.get(f"/g/{game.game}", headers=PAGE)).text
        entry = re.search(r'<script type="module" src="(/static/table@[0-9a-f]{12}/page.js)">', table)
        assert entry
        for module in re.findall(r'rel="modulepreload" href="([^"]+)"', table):
            assert module.rpartition("/")[0] == entry[1].rpartition("/")[0]
            answer = await site.client.get(module)
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            for other in (re.sub("@[0-9a-f]+", "", module), re.sub("@[0-9a-f]+", "@000000000000", module)):
                again = await site.client.get(other)
                assert again.text == answer.text
                assert again.headers["cache-control"] == "no-cache"
        icon = await site.client.get("/favicon.ico")
        assert icon.status_code == 200
        assert icon.content.startswith(b"\0\0\1\0")
        assert icon.headers["content-type"] == "image/x-icon"
        assert "max-age" in icon.headers["cache-control"]


async def test_text_is_compressed_and_event_streams_are_not(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await opened(site)
        for path in ("/", f"/g/{game.game}", f"/g/{game.game}/board", "/rules/edit", "/static/style.css"):
            answer = await site.client.get(path)
            assert answer.headers["content-encoding"] == "gzip", path
            assert "accept-encoding" in answer.headers["vary"].lower()
            assert answer.num_bytes_downloaded < len(answer.content) / 2.5, path
            plain = await site.client.get(path, headers={"accept-encoding": "identity"})
            assert "content-encoding" not in plain.headers
        short = await site.client.get(f"{game.path}/events")
        assert "content-encoding" not in short.headers
        async with site.client.stream("HEAD", f"{game.path}/stream") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert "content-encoding" not in answer.headers


@given(st.text("ab<>", max_size=200), st.binary(min_size=24, max_size=24), st.binary(min_size=24, max_size=24))
@settings(max_examples=10, deadline=None)
def test_the_length_of_an_answer_does_not_depend_on_the_tokens_in_it(text: str, one: bytes, other: bytes) -> None:
    guess = urlsafe_b64encode(one)[:16]
    lengths = set()
    for token in map(urlsafe_b64encode, (one, other)):
        body = b"<a>%s/s/%s</a> %s /s/%s" % (text.encode(), token, text.encode(), guess)
        packed = sealed(body, [token])
        assert gzip.decompress(packed) == body
        lengths.add(len(packed))
    assert len(lengths) == 1


async def test_tokens_of_the_request_are_not_compressed(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open(FIRST, "far", "far")
        cookies = {"cookie": f"seat-0={game.host}; seat-1={game.seats[0]}"}
        async with site.client.stream("GET", f"/g/{game.game}", headers=cookies) as answer:
            sent = b"".join([part async for part in answer.aiter_raw()])
        assert answer.headers["content-encoding"] == "gzip"
        page = gzip.decompress(sent)
        assert page.count(game.host.encode()) == sent.count(game.host.encode()) > 0
        assert len(sent) < len(page) / 2


async def test_search_engines_show_the_start_and_the_rules_and_no_game(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        for path in ("/", "/rules", "/rules/sheet?rules=zilch", "/static/style.css"):
            assert "x-robots-tag" not in (await site.client.get(path)).headers, path
        for path in (
            f"/g/{game.game}",
            f"/g/{game.game}/watch",
            f"/s/{game.seats[0]}",
            "/groups",
            "/rules/edit",
            game.path,
        ):
            assert "noindex" in (await site.client.get(path)).headers["x-robots-tag"], path


async def test_pages_with_tokens_repeat_nothing_that_strangers_choose(sqlite: str) -> None:
    """The safety of compression: the length of an answer tells nothing about its secrets."""
    canary = "canary0canary1canary2"
    async with sited(sqlite) as site:
        game = await site.open(FIRST, "far", "far", dice="committed")
        said = await game.do("word", game.seats[1], seat=1, word=canary)
        assert said.status_code == 200
        asked = {"referer": f"http://other.test/{canary}", "user-agent": canary, "accept-language": canary}
        cookies = {"cookie": f"seat-0={game.host}; seat-1={game.seats[0]}; {canary}={canary}"}

        async def look() -> None:
            for path in ("", "/board", "/correct/1", "/hint", "/chances", "/screen"):
                page = await site.client.get(f"/g/{game.game}{path}?{canary}={canary}", headers=asked | cookies)
                assert canary not in page.text, path
            page = await site.client.get(f"/g/{game.game}", headers=cookies)
            assert game.host in page.text

        await look()
        await game.do("start")
        await look()


# Words ---------------------------------------------------------------------------------------------------------------

PATTERN = re.compile(r"\^\[|\\d|\{\d+|\]\+|\$'|pattern|Input should|pydantic|--set", re.IGNORECASE)


async def test_impossible_addresses_are_answered_in_words(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await opened(site)
        for path, code, words in (
            ("/g/xx", "no_such_game", 'there is no game "xx"'),
            ("/g/xx/board", "no_such_game", 'there is no game "xx"'),
            ("/api/v1/games/XX/events", "no_such_game", 'there is no game "XX"'),
            (f"/g/{'x' * 3_000}", "no_such_game", f'there is no game "{"x" * 20}"'),
            ("/s/short", "no_such_link", "this link belongs to no seat"),
            (f"/h/{game.game}/short", "no_such_link", "this link belongs to no seat"),
            (f"/g/{game.game}/correct/first", "no_such_turn", 'there is no turn "first"'),
        ):
            for headers in (PAGE, {"accept": "application/json"}):
                answer = await site.client.get(path, headers=headers)
                assert answer.status_code == 404, path
                assert words.lower() in answer.text.lower().replace("&#34;", '"').replace('\\"', '"'), answer.text
                assert not PATTERN.search(answer.text), path
            assert answer.json()["code"] == code
        renewed = await game.post("/seats/9/link", game.host)
        assert (renewed.status_code, renewed.json()["code"]) == (404, "no_such_seat")


BODIES: list[tuple[str, Any]] = [
    ("moves", {"move": {"do": "roll"}, "request": "a b"}),
    ("moves", {"move": {"do": "roll"}, "seen": -1, "more": 1}),
    ("moves", {"move": {"do": "dance"}}),
    ("moves", {"move": {}}),
    ("moves", {"move": []}),
    ("moves", {}),
    ("moves", []),
    ("moves", {"move": {"do": "keep", "dice": [7], "then": "jump"}}),
    ("moves", {"move": {"do": "keep", "dice": "1", "then": "bank"}}),
    ("moves", {"move": {"do": "note", "points": 1.5, "dice": 7, "farkle": "perhaps"}}),
    ("moves", {"move": {"do": "word", "seat": 0, "word": ""}}),
    ("reactions", {"what": "boo", "seat": 9}),
    ("open", {"rules": 5, "seats": []}),
    ("open", {"rules": "standard", "seats": [{"name": "x" * 21, "who": "nobody"}]}),
    ("open", {"rules": "standard", "seats": [{"name": 1}] * 21, "dice": "loaded"}),
    ("open", {"rules": "standard(target=-5)", "seats": [{"name": "Ann"}]}),
    ("open", {"rules": {"target": 5, "name": "No Name"}, "seats": [{"name": "Ann"}]}),
    ("open", {"rules": "standard(name=No_Name, colour=red)", "seats": [{"name": "Ann"}]}),
]


@pytest.mark.parametrize(("where", "body"), BODIES)
async def test_faults_of_a_request_are_explained_in_words(sqlite: str, where: str, body: Any) -> None:
    async with sited(sqlite) as site:
        game = await opened(site)
        path = "/api/v1/games" if where == "open" else f"{game.path}/{where}"
        answer = await site.client.post(path, json=body, headers=bearer(game.seats[0]) if where != "open" else {})
        assert answer.status_code == 422
        assert not PATTERN.search(json.dumps(answer.json())), answer.text


async def test_faults_of_rules_are_said_without_options_of_the_command_line(sqlite: str) -> None:
    async with sited(sqlite) as site:
        for where in ("/", "/rules/sheet", "/rules/edit"):
            page = await site.client.get(where, params={"rules": "standard(target=-5)"}, headers=PAGE)
            assert "--set" not in page.text
            assert "standard(target=-5)" in page.text


def test_every_pattern_has_words() -> None:
    schema = json.dumps(make_app(Settings("sqlite:///none")).openapi())
    patterns = {json.loads(f'"{found}"') for found in re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', schema)}
    assert patterns
    assert patterns <= FORMS.keys()
    for pattern in FORMS:
        finding = {"type": "string_pattern_mismatch", "loc": ("body", "request"), "ctx": {"pattern": pattern}}
        assert said([finding]) == f'"request" {FORMS[pattern]}'


async def test_an_answer_of_a_broken_server_is_not_kept(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sited(sqlite) as site:
        for error in (RuntimeError("a fault"), StoreError(*UNREACHABLE, "gone")):
            with monkeypatch.context() as patch:
                patch.setattr(site.service.tables, "hold", _failing(error))
                answer = await site.client.get("/g/abcdefghijkm", headers=PAGE)
            assert answer.status_code in (500, 503)
            assert answer.headers["cache-control"] == "no-store"


def _failing(error: Exception) -> Any:
    async def fail(*_: object) -> None:
        raise error

    return fail
