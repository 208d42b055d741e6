"""Input from strangers is bounded before it is parsed, refused with a code, and does not hold up others."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import httpx
import pytest
from fastapi import Request

from farkel.web.game import api, submissions
from farkel.web.rules import draft
from farkel.web.rules import pages as rules_pages
from farkel.web.tokens import Key
from web_helpers import FIRST, Site, bearer, sited

JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
DEEP = "standard(target={" + "a." * 1_000 + "a = 1})"
POSTS = ("/rules/read", "/rules/value", "/games", "/games/{}/moves", "/games/{}/reactions")
"""Routes of the API that take JSON."""
BODIES: dict[str, tuple[str | bytes, str]] = {
    "deep": ("[" * 60_000, "too_deep"),
    "deep in an object": ('{"rules":{"target":' + "[" * 900 + "]" * 900 + "}}", "too_deep"),
    "wide": (json.dumps({f"k{number}": 1 for number in range(4_000)}), "too_large"),
    "twice": ('{"rules": "standard", "rules": "minimal"}', "malformed"),
    "not a number": ('{"rules": {"target": NaN}}', "malformed"),
    "thousands of digits": ('{"rules": {"target": ' + "9" * 60_000 + "}}", "malformed"),
    "half a character": ('{"rules": {"title": "\\ud800"}}', "malformed"),
    "UTF-16": ('{"rules": "standard"}'.encode("utf-16"), "malformed"),
    "not JSON": ("x" * 60_000, "malformed"),
    "another type": ("1" * 4_000, "malformed"),
    "nothing": ("", "malformed"),
}


def short_refusal(answer: httpx.Response, *codes: str) -> None:
    """A refusal with one of the codes that does not echo the request."""
    assert answer.status_code in (400, 404, 422), answer.text[:500]
    said = answer.json()
    assert said["code"] in codes
    assert 10 < len(said["message"]) < 8_000


@pytest.mark.parametrize(("body", "code"), BODIES.values(), ids=BODIES)
async def test_every_route_reads_json_within_bounds(sqlite: str, body: str | bytes, code: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        for path in POSTS:
            url = f"/api/v1{path.format(game.game)}"
            short_refusal(await site.client.post(url, content=body, headers=JSON | bearer(game.host)), code)
        assert len(await game.events()) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"toml": "a." * 30_000 + "a = 1"},
        {"toml": "target = 0x" + "f" * 50_000},
        {"toml": "\n".join(f"k{number} = 1" for number in range(6_000))},
        {"toml": "x" * 60_000},
        {"rules": DEEP},
        {"rules": "a" + " " * 60_000 + "x"},
        {"rules": 'standard("' + '\\"' * 12_000},
        {"rules": "x" * 60_000},
        {"rules": f"standard({'x' * 60_000}=1)"},
        {"rules": "standard(target=0x" + "f" * 50_000 + ")"},
        {"rules": {"x" * 50_000: 1}},
        {"rules": {"title": "x" * 60_000}},
        {"rules": {f"k{number}": "x" * 90 for number in range(450)}},
    ],
    ids=lambda given: str(given)[:40],
)
async def test_rules_that_are_too_much_are_refused_briefly(sqlite: str, given: dict[str, Any]) -> None:
    codes = ("too_deep", "too_large", "malformed", "bad_rules", "bad_notation", "bad_change", "unknown_field")
    async with sited(sqlite) as site:
        short_refusal(await site.client.post("/api/v1/rules/read", json=given), *codes, "unknown_rules")


async def test_an_answer_quotes_little_of_the_request(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        short_refusal(await game.post("/moves", game.host, move={"do": "x" * 50_000}), "malformed")
        short_refusal(await game.post("/moves", game.host, **{"x" * 50_000: 1}), "malformed")
        seat = {"name": "Ann", "who": "bot:" + "x" * 50_000}
        short_refusal(
            await site.client.post("/api/v1/games", json={"rules": FIRST, "seats": [seat]}), "malformed", "unknown_bot"
        )
        page = await site.client.post(f"/g/{game.game}/move", data={"do": "throw", "faces": "1" * 50_000})
        assert page.status_code == 422
        assert "1" * 200 not in page.text


FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "fields": ("a&" * 30_000, FORM),
    "empty fields": ("&" * 60_000 + "base=nowhere&target=x", FORM),
    "spaces": ("rules=a" + "+" * 60_000 + "x&target=x", FORM),
    "parts": (
        '--x1\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 900,
        {"content-type": "multipart/form-data; boundary=x1"},
    ),
    "files": (
        '--x1\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\r\n' * 700,
        {"content-type": "multipart/form-data; boundary=x1"},
    ),
    "heads": ("--x1\r\n" + "a: b\r\n" * 9_000, {"content-type": "multipart/form-data; boundary=x1"}),
    "halves": (
        '--x1\r\nContent-Disposition: form-data; name="rules"\r\n\r\n\\ud800\r\n--x1--\r\n',
        {"content-type": "multipart/form-data; boundary=x1; charset=unicode_escape"},
    ),
    "a slow encoding": (
        '--x1\r\nContent-Disposition: form-data; name="rules"\r\n\r\na-' + "z9" * 30_000 + "\r\n--x1--\r\n",
        {"content-type": "multipart/form-data; boundary=x1; charset=punycode"},
    ),
}


@pytest.mark.parametrize(("body", "headers"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "path", ["/", "/watch", "/rules/edit", "/rules/file", "/g/{}/move", "/g/{}/link", "/g/{}/react"]
)
async def test_forms_are_read_within_bounds(sqlite: str, path: str, body: str, headers: dict[str, str]) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        answer = await site.client.post(path.format(game.game), content=body, headers=headers)
        assert answer.status_code in (400, 422)
        assert len(answer.content) < 600_000
        assert len(await game.events()) == 1


async def test_numbers_of_thousands_of_digits_are_not_read(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.begin(FIRST)
        form = {"do": "roll", "seen": "9" * 5_000, "request": "12345678\x00"}
        cookie = {"cookie": f"seat-0={game.seats[0]}"}
        assert (await site.client.post(f"/g/{game.game}/move", data=form, headers=cookie)).status_code == 303
        for digits in ("9" * 10, "9" * 5_000, "\u00b2", "-1", ""):
            asked = Request({"type": "http", "app": site.app, "client": ("192.0.2.1", 1), "headers": []})
            answer = await api.stream(asked, site.service, game.game, Key(), None, digits)
            assert answer.status_code == 200
        for query in (f"events?after={'9' * 5_000}", f"?since={'9' * 5_000}"):
            short_refusal(await site.client.get(f"{game.path}/{query}".replace("/?", "?")), "malformed")


async def test_queries_are_read_within_bounds(sqlite: str) -> None:
    async with sited(sqlite) as site:
        answer = await site.client.get("/rules?" + "a&" * 30_000, headers={"accept": "application/json"})
        short_refusal(answer, "too_large")
        for path in ("/rules/sheet", "/rules/file", "/rules/edit"):
            for rules in (DEEP, "a" + " " * 19_000 + "x"):
                answer = await site.client.get(path, params={"rules": rules}, headers={"accept": "application/json"})
                short_refusal(answer, "too_deep", "bad_notation")


async def test_parameters_that_an_address_does_not_know_are_refused(sqlite: str) -> None:
    async with sited(sqlite) as site:
        answer = await site.client.get("/api/v1/rules", params={"serach": "lives"})
        assert answer.status_code == 422
        assert answer.json() == {"code": "malformed", "message": '"serach" is unknown; there is search'}
        game = await site.open(FIRST)
        short_refusal(await game.get("/record", turn=1), "malformed")
        assert (await site.client.get("/rules", params={"utm_source": "chat"})).status_code == 200


async def test_rules_are_read_outside_the_server_loop(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []
    notation = sys.modules["farkel.rules.as_text"]
    read = notation.validated

    def spied(*given: Any) -> Any:
        threads.append(threading.get_ident())
        return read(*given)

    for module in (notation, submissions, draft, rules_pages):
        monkeypatch.setattr(module, "validated", spied)
    house = "minimal(target=5050)"
    tree = {"target": 5_050}
    async with sited(sqlite) as site:
        client = site.client
        answers = [
            *[await client.get(path, params={"rules": house}) for path in ("/", "/rules/sheet", "/rules/file")],
            await client.get("/rules/edit", params={"rules": house}),
            await client.post("/rules/edit", data={"target": "5050"}),
            await client.post("/rules/file", files={"file": ("ours.toml", "target = 5050")}),
            await client.post("/", data={"rules": house, "name-0": "Ann"}),
            *[await client.post("/api/v1/rules/read", json={"rules": rules}) for rules in (house, tree)],
            await client.post("/api/v1/rules/read", json={"toml": "target = 5050"}),
            *[await _open(site, rules) for rules in (house, tree)],
        ]
    assert [answer.status_code for answer in answers if answer.status_code not in (200, 201, 303)] == []
    assert len(threads) >= len(answers)
    assert threading.get_ident() not in threads


async def _open(site: Site, rules: Any) -> httpx.Response:
    return await site.client.post("/api/v1/games", json={"rules": rules, "seats": [{"name": "Ann"}]})
