"""The description of the interface: valid, complete, and true for whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from random_rules import examples
from serving import HANG
from web_helpers import FIRST, Server, serving, sited

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


async def test_every_answer_that_says_no_is_described(sqlite: str) -> None:
    async with sited(sqlite) as site:
        described = (await site.client.get("/api/openapi.json")).json()
    assert described["openapi"].startswith("3.1")
    for path, methods in described["paths"].items():
        assert path.startswith("/api/")
        for method, operation in methods.items():
            said = operation["responses"]
            assert operation["description"]
            assert {"422", "429", "503"} <= set(said)
            if method == "post":
                assert {"403", "413"} <= set(said)
            for status, answer in said.items():
                if int(status) >= 400:
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Problem"}


@pytest.fixture
def server(sqlite: str) -> Iterator[Server]:
    with serving(sqlite) as server:
        yield server


@pytest.fixture
def opened(server: Server) -> dict[str, Any]:
    """A game that has started, for most of the requests."""
    seats = [{"name": "Ann", "who": "far"}, {"name": "Bob", "who": "here"}]
    said: dict[str, Any] = httpx.post(
        f"{server.url}/api/v1/games",
        json={"rules": FIRST, "seats": seats, "dice": "system", "allowed": {"hints": True, "chances": True}},
        timeout=HANG,
    ).json()
    return said


@pytest.fixture
def described(server: Server) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/api/openapi.json", wait_for_schema=HANG)


# Endless streams and slow answers of the coach are tested elsewhere.
schema = schemathesis.pytest.from_fixture("described").exclude(path_regex="(stream|advice|chances|review|value)$")


@schema.parametrize()
@settings(
    max_examples=examples(8),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
def test_whatever_is_sent_is_answered_as_described(case: Any, opened: dict[str, Any]) -> None:
    """Half of it to a game that is there, with the token of its host."""
    if "game" in (case.path_parameters or {}) and len(str(case.body)) % 2 == 0:
        case.path_parameters["game"] = opened["game"]
        case.headers = {**(case.headers or {}), "authorization": f"Bearer {opened['host']}"}
    case.call_and_validate(checks=CHECKS, timeout=HANG)
