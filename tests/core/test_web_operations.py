"""Pages for the operator of a server only."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import event

from farkel.web import metrics
from seeded import repeating
from serving import HANG, Process, patiently
from web_helpers import FIRST, NEVER, Hands, Site, engine_of, following, full_disk, sited

TOKEN = "a-token-of-32-letters-drawn-here"
AT_HOME = {"host": "127.0.0.1:8000"}


@pytest.fixture(autouse=True)
def _a_database_that_is_always_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.web.operations.LATE", NEVER)


def client_of(site: Site, peer: str) -> httpx.AsyncClient:
    """A client from this address."""
    transport = httpx.ASGITransport(site.app, raise_app_exceptions=False, client=(peer, 50_000))
    return httpx.AsyncClient(transport=transport, base_url="http://farkel.test")


@pytest.mark.parametrize(
    ("peer", "headers", "sees"),
    [
        ("127.0.0.1", AT_HOME, True),
        ("127.0.0.1", {"host": "localhost"}, True),
        ("::1", {"host": "[::1]:8000"}, True),
        ("::ffff:127.0.0.1", AT_HOME, True),
        # Another client, or another's page with a name that leads here.
        ("192.168.1.7", AT_HOME, False),
        ("", AT_HOME, False),
        ("127.0.0.1", {"host": "rebound.example.org"}, False),
        ("127.0.0.1", {"host": "localhost.example.org"}, False),
        ("127.0.0.1", {"host": "127.0.0.1.example.org"}, False),
        ("127.0.0.1", {"host": "0.0.0.0"}, False),
        # A proxy on this machine passes on what strangers ask, who write what they like.
        ("127.0.0.1", AT_HOME | {"x-forwarded-for": "203.0.113.9"}, False),
        ("127.0.0.1", AT_HOME | {"x-forwarded-for": "127.0.0.1"}, False),
        ("127.0.0.1", AT_HOME | {"x-forwarded-for": ""}, False),
        ("127.0.0.1", AT_HOME | {"forwarded": "for=127.0.0.1"}, False),
        ("127.0.0.1", AT_HOME | {"x-real-ip": "127.0.0.1"}, False),
        ("127.0.0.1", AT_HOME | {"via": "1.1 proxy"}, False),
        ("127.0.0.1", AT_HOME | {"x-forwarded-proto": "https"}, False),
        # The token opens them from anywhere, also through a proxy.
        ("192.168.1.7", {"authorization": f"Bearer {TOKEN}"}, True),
        ("127.0.0.1", {"authorization": f"bearer {TOKEN}", "x-forwarded-for": "203.0.113.9"}, True),
        ("192.168.1.7", {"authorization": f"Bearer {TOKEN}x"}, False),
        ("192.168.1.7", {"authorization": f"Basic {TOKEN}"}, False),
        ("192.168.1.7", {"authorization": "Bearer "}, False),
        ("192.168.1.7", {"authorization": "Bearer \u00e9".encode("latin-1")}, False),
    ],
)
async def test_only_the_operator_looks(sqlite: str, peer: str, headers: dict[str, Any], sees: bool) -> None:
    async with sited(sqlite, operator_token=TOKEN) as site, client_of(site, peer) as client:
        nowhere = await client.get("/nowhere", headers=headers)
        for path in ("/healthz", "/metrics"):
            answer = await client.get(path, headers=headers)
            assert answer.status_code == (200 if sees else 404)
            if not sees:
                assert answer.text == nowhere.text


async def test_without_a_token_of_the_operator_no_token_opens_anything(sqlite: str) -> None:
    async with sited(sqlite) as site, client_of(site, "192.168.1.7") as client:
        for value in ("Bearer ", "Bearer", "", "Bearer x"):
            assert (await client.get("/metrics", headers={"authorization": value})).status_code == 404


async def test_health_tells_whether_the_database_answers(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sited(sqlite) as site, client_of(site, "127.0.0.1") as client:
        well = await client.get("/healthz", headers=AT_HOME)
        assert (well.status_code, well.json()) == (200, {"status": "ok", "database": "ok"})
        goes_on, asked = threading.Event(), []

        def hangs() -> None:
            asked.append(1)
            assert goes_on.wait(HANG)

        with monkeypatch.context() as patch:
            patch.setattr("farkel.web.operations.LATE", 0.01)
            patch.setattr(site.service.store, "answers", lambda **_: asyncio.to_thread(hangs))
            late = await asyncio.gather(*(client.get("/healthz", headers=AT_HOME) for _ in range(5)))
            goes_on.set()
        assert {(one.status_code, one.json()["code"]) for one in late} == {(503, "no_database")}
        assert (await client.get("/healthz", headers=AT_HOME)).status_code == 200
        assert len(asked) == 1  # requests meanwhile take no further threads
        engine_of(site.service).dispose()
        Path(sqlite.removeprefix("sqlite:///")).unlink()
        gone = await client.get("/healthz", headers=AT_HOME)
        assert (gone.status_code, gone.json()["code"]) == (503, "no_database")
        up = await samples(client)
        assert up["farkel_database_up"] == 0


async def test_health_tells_within_half_a_minute_that_the_disk_is_full(sqlite: str) -> None:
    hands = Hands()
    async with sited(sqlite, hands) as site, client_of(site, "127.0.0.1") as client:
        engine = engine_of(site.service)
        assert (await client.get("/healthz", headers=AT_HOME)).status_code == 200
        written: list[str] = []
        event.listen(engine, "before_cursor_execute", lambda *said: written.append(said[2].split()[0]))
        assert (await client.get("/healthz", headers=AT_HOME)).status_code == 200
        assert "INSERT" not in written  # not with each request
        game = await site.open(FIRST)
        with full_disk(engine):
            while (await game.do("allow", patience=5)).status_code == 200:
                pass
            hands.move(31)
            for _ in range(2):
                full = await client.get("/healthz", headers=AT_HOME)
                assert (full.status_code, full.json()["code"]) == (503, "disk_full")
        assert (await client.get("/healthz", headers=AT_HOME)).status_code == 200
        assert "INSERT" in written


async def samples(client: httpx.AsyncClient) -> dict[str, float]:
    """All samples, by name and labels as they are written."""
    answer = await client.get("/metrics", headers=AT_HOME)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    return read(answer.text)


def read(text: str) -> dict[str, float]:
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


async def test_metrics_count_events(sqlite: str) -> None:
    async with sited(sqlite) as site, client_of(site, "127.0.0.1") as client:
        before = await samples(client)
        game = await site.begin(FIRST)
        async with following(site, f"{game.path}/stream", game.seats[0]):
            for _ in range(3):
                assert (await game.do("roll", game.seats[1])).status_code == 403
            assert (await game.do("roll", game.seats[0])).status_code == 200  # a farkle makes it the other's turn
            during = await samples(client)
        for path in ("/nowhere", "/g/xx", f"/g/{game.game}", "/static/style.css"):
            await site.client.get(path)
        await site.client.request("MADE-UP", f"/g/{game.game}")
        after = await samples(client)

    def more(name: str) -> float:
        return after.get(name, 0.0) - before.get(name, 0.0)

    assert during["farkel_streams"] == before.get("farkel_streams", 0) + 1
    assert after["farkel_streams"] == before.get("farkel_streams", 0)
    assert after["farkel_open_games"] == 1
    assert after["farkel_database_up"] == 1
    assert after["farkel_waiting{queue=writes}"] == 0
    assert after["farkel_memory_bytes"] > 1_000_000
    assert more("farkel_moves_total") == 2
    assert more("farkel_refusals_total{code=not_yours}") == 3
    assert more("farkel_refusals_total{code=http_404}") == 1
    assert more("farkel_database_writes_total") >= 3
    assert more("farkel_database_transaction_seconds_count") >= 1
    moves = "farkel_request_seconds_count{method=POST,route=/api/v1/games/{game}/moves,status=%d}"
    assert (more(moves % 200), more(moves % 403)) == (2, 3)
    assert more("farkel_request_seconds_count{method=GET,route=/g/{game},status=200}") == 1
    assert more("farkel_request_seconds_count{method=GET,route=/g/{game},status=404}") == 1
    assert more("farkel_request_seconds_count{method=GET,route=/static,status=200}") == 1
    assert more("farkel_request_seconds_count{method=GET,route=none,status=404}") == 1
    assert more("farkel_request_seconds_count{method=other,route=/g/{game},status=405}") == 1
    assert not any(game.game in name for name in after)


SHARED = """
import sys
from farkel.web import metrics
metrics.MOVES.inc(int(sys.argv[1]))
metrics.STREAMS.inc(int(sys.argv[1]))
metrics.WAITING_WRITES.inc()
sys.stdout.write(metrics.exposition().decode())
"""


def test_processes_of_one_server_count_together() -> None:
    with metrics.shared():
        folder = Path(os.environ[metrics.FOLDER])
        for number in (1, 2):
            process = subprocess.Popen([sys.executable, "-c", SHARED, str(number)], stdout=subprocess.PIPE, text=True)
            said, _ = process.communicate(timeout=HANG)
        both = read(said)
        assert both["farkel_moves_total"] == 3
        assert both["farkel_streams"] == 3
        assert both["farkel_waiting{queue=writes}"] == 2
        metrics.process_ended(process.pid)
        left = read(metrics.exposition().decode())
        assert left["farkel_moves_total"] == 3
        assert left["farkel_streams"] == 1
    assert not folder.exists()
    assert metrics.FOLDER not in os.environ


SERVER = """
import sys
from farkel.web.serve import bound, serve
from farkel.web.settings import Settings
if __name__ == "__main__":
    with bound("127.0.0.1", 0) as sock:
        print(f"http://127.0.0.1:{sock.getsockname()[1]}", flush=True)
        serve(Settings(sys.argv[1]), sock, 2)
"""


@pytest.mark.slow
def test_any_process_answers_for_the_whole_server(postgres: Any, tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(repeating() + SERVER)
    with Process(str(program), postgres.database()) as process:
        address = process.until("http://")
        pids: set[str] = set()
        opened = 0
        for _ in patiently():  # until each of the two has answered once
            if len(pids) == 2:
                break
            with httpx.Client(base_url=address, timeout=HANG) as client:  # a connection of its own
                given = {"rules": FIRST, "seats": [{"name": "Ann"}]}
                opened += client.post("/api/v1/games", json=given).status_code == 201
                text = client.get("/metrics").text
                pids |= set(re.findall(r'farkel_memory_bytes\{pid="(\d+)"\}', text))
                found = read(text)
                created = "farkel_request_seconds_count{method=POST,route=/api/v1/games,status=201}"
                assert found[created] == opened
                assert found["farkel_open_games"] == opened
        assert process.stop() == 0
