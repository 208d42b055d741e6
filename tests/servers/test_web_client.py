"""The program's client: a bot in a game on a server, and ``farkel serve`` as a process."""

from __future__ import annotations

import os
import random
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pexpect
import pytest
from click.testing import CliRunner, Result

from browser_helpers import serving as thread_serving
from farkel.client import Client, Followed, Link, play
from farkel.errors import PlayerError, RecordError, ServerError, Unreachable
from farkel.game import Action, Keep, State, legal_actions
from farkel.players import Cautious, Player
from farkel.records import parse_record, verify
from farkel.support.extras import advice
from farkel.terminal.cli import main
from home import environment
from postgres import Postgres
from seeded import program
from serving import HANG, LONG, SRC, Process, patiently, serving

SHORT = "extended(target=3000)"
MINE = """
from farkel.game import legal_actions

class Greedy:
    def decide(self, state, generator):
        return legal_actions(state)[0]

class Broken:
    def decide(self, state, generator):
        raise ValueError("no idea")

class Cheat:
    def decide(self, state, generator):
        return "win"
"""


@pytest.fixture(autouse=True)
def _patient_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.client.ANSWERS", HANG)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with thread_serving(tmp_path_factory.mktemp("games")) as url:
        yield url


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def opened(url: str, rules: str = SHORT, dice: str = "committed", **others: str) -> dict[str, Any]:
    """A game of Ann, who is far away, against Ben, a bot of the server's, or the named one."""
    seats = [{"name": name, "who": who} for name, who in {"Ann": "far", **(others or {"Ben": "bot:bold"})}.items()]
    with Client(url) as client:
        return client.open(rules, seats, dice)


def start(url: str, game: dict[str, Any]) -> None:
    with Client(url, game["host"]) as host:
        host.submit(game["game"], {"do": "start"})


def listening() -> socket.socket:
    """A socket that outlives servers."""
    return socket.create_server(("127.0.0.1", 0), backlog=1024)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bot", *arguments])


# Playing --------------------------------------------------------------------------------------------------------------


def test_a_bot_plays_a_whole_game(server: str, mine: Path) -> None:
    game = opened(server)
    with Process(*program(), "bot", game["links"]["0"], f"{mine}:Greedy") as bot:
        bot.until("Waiting for the host")
        start(server, game)
        assert bot.end() == 0
    assert bot.said[0] == "Greedy plays for Ann: Extended Farkle, Ann against Ben."
    assert any(line.startswith("Ann rolls") for line in bot.said)
    assert "wins with" in bot.said[-1]
    with Client(server) as client:
        record = parse_record(client.record(game["game"]).encode())
    assert record.state.over
    word = next(line.split('"')[1] for line in bot.said if "is mixed into the dice" in line)
    assert record.header.dice.words == (word,)
    assert any("committed dice" in line or "secret" in line for line in verify(record))


def test_a_bot_sits_down_at_the_next_game_too(server: str) -> None:
    game = opened(server)
    with Process(*program(), "bot", game["links"]["0"], "cautious", "--again") as bot:
        for _ in range(2):
            bot.until("Waiting for the host")
            start(server, game)
            bot.until("Waiting for the next game")
            assert "wins with" in bot.said[-2]
            with Client(server, game["host"]) as host:
                game = host.again(game["game"])
        bot.until("Waiting for the host")
    with pytest.raises(ServerError, match="not started another game"), Client(server) as client:
        client.again(game["game"])


@pytest.mark.parametrize("rules", ["original(target=5000)", "build-on(target=1000)", "renaissance(target=1000)"])
def test_two_bots_play_each_other_under_all_kinds_of_rules(server: str, rules: str) -> None:
    game = opened(server, rules, Cy="far")
    ends = []

    def plays(link: str) -> None:
        with Client.of(link) as client:
            ends.append(play(client, *client.seat(), Cautious()))

    threads = [threading.Thread(target=plays, args=(link,)) for link in game["links"].values()]
    for thread in threads:
        thread.start()
    start(server, game)
    for thread in threads:
        thread.join(LONG)
    assert len(ends) == 2
    assert all(end.over for end in ends)
    assert ends[0].state == ends[1].state


def test_the_api_address_and_a_token_will_do_as_well(server: str) -> None:
    game = opened(server)
    start(server, game)
    address = f"{server}/api/v1/games/{game['game']}"
    token = game["seats"]["0"]
    assert run(address, "cautious", "--token", token).exit_code == 0
    again = run(address, "cautious", "--token", token, "--seat", "1")
    assert (again.exit_code, "wins with" in again.output) == (0, True)


class Pausing:
    """Plays at random, and waits in its third decision until it may go on."""

    name = "pausing"

    def __init__(self) -> None:
        self.decisions = 0
        self.reached, self.go_on = threading.Event(), threading.Event()

    def decide(self, state: State, generator: random.Random) -> Action:
        self.decisions += 1
        if self.decisions == 3:
            self.reached.set()
            assert self.go_on.wait(HANG)
        return generator.choice([one for one in legal_actions(state) if isinstance(one, Keep)])


def test_a_server_that_is_killed_and_started_again_loses_nothing(tmp_path: Path) -> None:
    player, ends = Pausing(), []
    with listening() as sock, serving(tmp_path, sock) as (url, first):
        game = opened(url)
        with Client.of(game["links"]["0"]) as client:

            def plays() -> None:
                ends.append(play(client, *client.seat(), player))

            thread = threading.Thread(target=plays)
            thread.start()
            start(url, game)
            assert player.reached.wait(HANG)
            with Client(url) as other:
                before = other.events(game["game"])
            first.stop(signal.SIGKILL)
            player.go_on.set()
            with serving(tmp_path, sock):
                thread.join(LONG)
                assert [end.over for end in ends] == [True]
                events = client.events(game["game"])
                assert events[: len(before)] == before
                assert [event["number"] for event in events] == list(range(1, len(events) + 1))
                assert verify(parse_record(client.record(game["game"]).encode()))


def test_followers_miss_nothing_across_a_restart(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    first_told, second_told = threading.Event(), threading.Event()

    def follows(client: Client, game: str) -> None:
        for event in client.follow(game):
            told.append(event)
            {1: first_told, 2: second_told}.get(event.get("number", 0), threading.Event()).set()
            if second_told.is_set():
                return

    with listening() as sock, serving(tmp_path, sock) as (url, first):
        game = opened(url)
        word = {"do": "word", "seat": 0}
        with Client(url) as watcher, Client.of(game["links"]["0"]) as ann:
            thread = threading.Thread(target=follows, args=(watcher, game["game"]))
            thread.start()
            ann.submit(game["game"], {**word, "word": "one"})
            assert first_told.wait(HANG)
            assert first.stop(signal.SIGTERM) == 0
            with serving(tmp_path, sock):
                ann.submit(game["game"], {**word, "word": "two"})
                assert second_told.wait(HANG)
            thread.join(HANG)
    assert [(event["number"], event["kind"]) for event in told if "number" in event] == [(1, "word"), (2, "word")]


def test_a_move_counts_once_when_its_answer_is_lost(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = opened(server)
    with Client(server, game["seats"]["0"]) as client:
        client.game(game["game"])
        real = client._http.request
        lost: list[httpx.Response] = []

        def request(*how: Any, **more: Any) -> httpx.Response:
            response = real(*how, **more)
            if not lost:
                lost.append(response)
                raise httpx.ReadError("the line went dead")
            return response

        monkeypatch.setattr(client._http, "request", request)
        accepted = client.submit(game["game"], {"do": "word", "seat": 0, "word": "luck"})
        assert accepted["repeated"]
        assert lost[0].json()["repeated"] is False
        assert [event["kind"] for event in client.events(game["game"])] == ["word"]


def test_unseen_events_make_a_move_stale(server: str) -> None:
    game = opened(server, Cy="far")
    start(server, game)
    with Client(server, game["seats"]["0"]) as client, pytest.raises(ServerError) as caught:
        client.submit(game["game"], {"do": "roll"}, seen=0)
    assert (caught.value.code, caught.value.status) == ("stale", 409)
    assert [event["kind"] for event in caught.value.body["missed"]] == ["start"]


def test_opening_a_game_is_not_tried_twice(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    with Client(server) as client:
        client._answered = True
        tried = []

        def request(*how: Any, **more: Any) -> httpx.Response:
            tried.append(how)
            raise httpx.ReadError("the line went dead")

        monkeypatch.setattr(client._http, "request", request)
        with pytest.raises(Unreachable, match="the line went dead"):
            client.open(SHORT, [{"name": "Ann"}])
    assert len(tried) == 1


# What goes wrong ------------------------------------------------------------------------------------------------------


def test_a_wrong_token(server: str) -> None:
    result = run(f"{server}/s/{'x' * 32}", "cautious")
    assert result.exit_code == 1
    assert result.output == "Error: this link belongs to no seat; ask the host for yours\n"
    game = opened(server)
    result = run(f"{server}/g/{game['game']}", "cautious", "--token", "x" * 32)
    assert result.exit_code == 1
    assert result.output.startswith("Error: this token belongs to no seat of this table")


def test_a_token_of_another_seat(server: str) -> None:
    game = opened(server, Cy="far")
    result = run(f"{server}/g/{game['game']}", "cautious", "--token", game["seats"]["0"], "--seat", "2")
    assert (result.exit_code, result.output) == (
        1,
        f"Error: this token does not hold seat 2 of the game {game['game']}\n",
    )
    result = run(f"{server}/g/{game['game']}", "cautious", "--token", game["host"])
    assert (result.exit_code, result.output) == (1, "Error: this token holds no seat\n")


def test_a_file_without_the_class(server: str, mine: Path) -> None:
    result = run(f"{server}/s/{'x' * 32}", f"{mine}:Genius")
    assert result.exit_code == 1
    assert "has no Genius; there are: Greedy, Broken, Cheat" in result.output
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Broken", "Error: Broken raised ValueError: no idea\n"),
        ("Cheat", "Error: Cheat returned 'win', which is no action\n"),
    ],
)
def test_a_player_that_breaks_down_or_breaks_the_rules(server: str, mine: Path, name: str, said: str) -> None:
    game = opened(server, Ben="bot:cautious")
    start(server, game)
    result = run(game["links"]["0"], f"{mine}:{name}")
    assert result.exit_code == 1
    assert result.output.endswith(said)


def test_a_missing_server_is_reported_immediately() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        result = run(f"{url}/s/{'x' * 32}", "cautious")
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {url} does not answer: ")
    assert result.output.count("\n") == 1


def test_another_kind_of_server_is_said_to_be_one() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<h1>Hello</h1>")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{other.server_port}"
        result = run(f"{url}/s/{'x' * 32}", "cautious")
        other.shutdown()
        thread.join()
    assert (result.exit_code, result.output) == (
        1,
        f"Error: {url}/api/v1/seat answers, but not as Farkel does\n",
    )


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000/s/abc", "http://127.0.0.1:8000", "ftp://x/s/" + "x" * 32])
def test_invalid_links_are_refused(url: str) -> None:
    with pytest.raises(PlayerError, match="is not the link of a game") as caught:
        Link.of(url)
    assert caught.value.code == "bad_link"


def test_links_may_stand_behind_a_path() -> None:
    token = "x" * 32
    assert Link.of(f"https://a.example/farkle/s/{token}") == Link("https://a.example/farkle", token)
    assert Link.of("http://a.example:8000/g/abcdefghijkm") == Link("http://a.example:8000", "", "abcdefghijkm")


def test_events_out_of_order_are_noticed(server: str) -> None:
    game = opened(server)
    with Client(server) as client:
        followed = Followed.of(client.game(game["game"]))
    with pytest.raises(RecordError, match="event 2 follows event 0"):
        followed.take([{"number": 2, "kind": "start", "date": "2026-01-01 00:00"}])


# The server as a process ----------------------------------------------------------------------------------------------


def serve(folder: Path, *options: str) -> Process:
    database = f"sqlite:///{folder / 'games.sqlite'}"
    return Process(*program(), "serve", "--no-prepare", "--host", "127.0.0.1", "--database", database, *options)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_serve_stops_cleanly_with_an_event_stream_open(tmp_path: Path, by: signal.Signals) -> None:
    with serve(tmp_path, "--port", "0") as process:
        url = process.until("Here:").split()[-1]
        assert process.until("Saved games:").endswith(str(tmp_path / "games.sqlite"))
        process.until("Stop it with Ctrl-C")
        game = opened(url)
        with httpx.stream("GET", f"{url}/api/v1/games/{game['game']}/stream", timeout=HANG) as stream:
            lines = stream.iter_lines()
            assert next(lines)
            code = process.stop(by)
            rest = list(lines)
    assert code == 0
    assert process.said[-1] == "Stopped. Nothing was lost."
    assert "Cancel" not in "\n".join(process.said)
    assert not any("Error" in line for line in rest)


ABSORBED = """
import sys
from farkel.terminal.cli import main
from farkel.web.coaching import questions

async def value(service, rules):
    await service.calculator.ask("endless", exec, "import signal; print('working', flush=True); signal.pause()")

questions.value = value
main(sys.argv[1:])
"""


def test_serve_does_not_wait_for_calculations(tmp_path: Path) -> None:
    def asks(url: str) -> None:
        with suppress(httpx.TransportError):
            assert httpx.post(f"{url}/api/v1/rules/value", json={"rules": "kcd"}, timeout=120).is_error

    database = f"sqlite:///{tmp_path / 'games.sqlite'}"
    with Process(
        "-c", ABSORBED, "serve", "--no-prepare", "--host", "127.0.0.1", "--port", "0", "--database", database
    ) as process:
        thread = threading.Thread(target=asks, args=(process.until("Here:").split()[-1],))
        thread.start()
        process.until("working")
        assert process.stop() == 0
        thread.join(HANG)
    assert not thread.is_alive()


def test_several_processes_serve_the_same_game_and_one_that_dies_is_replaced(postgres: Postgres) -> None:
    arguments = ["--no-prepare", "--host", "127.0.0.1", "--port", "0", "--workers", "2", "--database", postgres.empty()]
    with Process(*program(), "serve", *arguments) as process:
        url = process.until("Here:").split()[-1]
        game = opened(url, Cy="far")
        pausing, ends = Pausing(), []

        def plays(link: str, player: Player) -> None:
            with Client.of(link) as client:
                ends.append(play(client, *client.seat(), player))

        ann, cy = game["links"].values()
        threads = [threading.Thread(target=plays, args=pair) for pair in ((ann, pausing), (cy, Cautious()))]
        for thread in threads:
            thread.start()
        start(url, game)
        assert pausing.reached.wait(HANG), (pausing.decisions, ends)
        before = process.workers()
        os.kill(min(before), signal.SIGKILL)
        pausing.go_on.set()
        for thread in threads:
            thread.join(LONG)
        assert [end.over for end in ends] == [True, True]
        assert ends[0].state == ends[1].state
        for _ in patiently():
            if len(after := process.workers()) == 2:
                break
            assert process.running
            assert httpx.get(f"{url}/rules", timeout=HANG).status_code in (200, 429)  # the other one answers
        assert (len(before), len(before & after)) == (2, 1)
        assert process.stop() == 0
    assert process.said[-1] == "Stopped. Nothing was lost."


def test_serve_draws_a_code_in_a_terminal(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'games.sqlite'}"
    arguments = ["-m", "farkel", "serve", "--host", "127.0.0.1", "--port", "0", "--database", database]
    child = pexpect.spawn(
        sys.executable,
        [*arguments, "--public-url", "https://farkle.example/"],
        encoding="utf-8",
        timeout=HANG,
        dimensions=(60, 120),
        env=environment(PYTHONPATH=SRC, LANG="C.UTF-8", TERM="xterm"),
    )
    try:
        child.expect_exact("From anywhere:   https://farkle.example\r\n")
        child.expect("█▀+█|█ ▄+ █|▀▀▀▀▀")
        child.expect_exact("Stop it with Ctrl-C")
        child.sendintr()
        child.expect_exact("Stopped. Nothing was lost.")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serve(tmp_path, "--port", str(port)) as process:
            assert process.end() == 1
    assert process.said == [
        f"Error: port {port} is taken by another program; choose another, such as --port {port + 1}"
    ]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--database", "mysql://x/y"], 1, '"mysql:..." is not a database Farkel knows'),
        (["--database", "nonsense"], 1, "is not a database Farkel knows"),
        (["--database", "postgresql+psycopg://nobody@127.0.0.1:1/none"], 1, "the database cannot be used: connection"),
        (["--database", "sqlite:////dev/null/games.sqlite"], 1, "the database cannot be created"),
        (["--workers", "2"], 1, "--workers 2 needs PostgreSQL"),
        (["--host", "256.0.0.1"], 1, '"256.0.0.1" is not an address of this machine'),
        (["--host", "192.0.2.1"], 1, '"192.0.2.1" is not an address of this machine'),
        (["--public-url", "farkle.example"], 2, "is not an address: write https://HOST"),
        (["--port", "70000"], 2, "70000 is not in the range"),
    ],
)
def test_serve_explains_impossible_options(tmp_path: Path, options: list[str], code: int, said: str) -> None:
    database = ["--database", f"sqlite:///{tmp_path / 'games.sqlite'}"]
    result = CliRunner().invoke(main, ["serve", "--port", "0", *database, *options])
    assert (result.exit_code, said in result.output) == (code, True), result.output
    if code == 1:
        assert result.output.startswith("Error: ")
        assert "Farkel is open" not in result.output


@pytest.mark.parametrize("command", [["serve"], ["bot", "http://127.0.0.1/s/" + "x" * 32, "cautious"]])
def test_without_the_extra_it_says_how_to_install_it(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None)
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert result.output.endswith(f"{advice('web')}\n")
    assert result.output.count("\n") == 1
