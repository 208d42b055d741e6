"""Players in Python: where they come from, and what becomes of those that raise, stall, cheat or die."""

from __future__ import annotations

import io
import random
import re
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from farkel.errors import PlayerError
from farkel.game import Action, Keep, State, legal_actions
from farkel.players import Cautious, make_player
from farkel.simulation import (
    ArenaError,
    Forfeit,
    Job,
    SimulationResult,
    Stop,
    check_job,
    is_table,
    load_player,
    run,
    simulate,
    watched,
)
from farkel.simulation.watched import Worker
from named_rules import rules_of
from serving import HANG

SOURCE = '''
import os
from farkel.game import Keep, legal_actions


class Greedy:
    """Keeps all it can and banks."""

    name = "greedy"

    def decide(self, state, generator):
        banks = [action for action in legal_actions(state) if getattr(action, "then", "") == "bank"]
        return banks[0] if banks else legal_actions(state)[0]


class Rich(Greedy):
    """Does something else once it has some points."""

    name = "rich"

    def decide(self, state, generator):
        if state.mine.score < 1000:
            return super().decide(state, generator)
        return self.now_rich(state)


class Raises(Rich):
    def now_rich(self, state):
        raise KeyError("what now")


class Leaves(Rich):
    def now_rich(self, state):
        raise SystemExit(2)


class Stalls(Greedy):
    def decide(self, state, generator):
        while True:
            pass


class Cheats(Rich):
    def now_rich(self, state):
        return Keep((1, 1, 1, 1, 1, 1), "bank")


class Mumbles(Rich):
    def now_rich(self, state):
        return "bank"


class Breaks(Rich):
    def now_rich(self, state):
        return Keep([[1]], "bank")


class Dies(Rich):
    def now_rich(self, state):
        os._exit(3)


class Nameless:
    decide = Greedy.decide


class Silent:
    pass


class Demanding(Greedy):
    def __init__(self, what):
        self.what = what


class Choosy(Greedy):
    """Plays no game at all."""

    def check(self, rules, people):
        from farkel.errors import PlayerError

        raise PlayerError("bad_player", "not this")

    def ready(self, rules, people):
        return True

    def prepare(self, rules, people, progress):
        pass


ready = Greedy()
'''
FAST = "kcd(target=1500)"


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of players."""
    path = tmp_path_factory.mktemp("players") / "mine.py"
    path.write_text(SOURCE)
    return str(path)


def forfeit(result: SimulationResult) -> Forfeit:
    """What happened in the first game; the one who did it has lost every game."""
    assert result.complete
    assert result.tally.games == result.tally.reasons["left"]
    assert list(result.tally.wins) == [0, result.tally.games]
    assert [one.player for one in result.forfeits] == [0] * result.tally.games
    assert [one.game for one in result.forfeits] == list(range(result.tally.games))
    return result.forfeits[0]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("Raises", "raised", "KeyError: 'what now'"),
        ("Leaves", "raised", "SystemExit: 2"),
        ("Cheats", "illegal", "can't be kept"),
        ("Mumbles", "illegal", "'bank', which is no action"),
        ("Breaks", "illegal", "which is no action"),
    ],
)
def test_a_player_that_misbehaves_loses_its_game(mine: str, name: str, code: str, words: str) -> None:
    players = [load_player(f"{mine}:{name}"), make_player("threshold:100")]
    one = forfeit(simulate("standard", players, 5, 1, limit=HANG))
    assert one.code == code
    assert words in one.reason
    assert one.reason.startswith("rich")


def test_a_player_that_ends_its_process_loses_its_game(mine: str) -> None:
    one = forfeit(simulate("standard", [f"{mine}:Dies", "threshold:100"], 2, 1, limit=HANG, threads=1))
    assert one.code == "raised"
    assert "ended its process (exit code 3)" in one.reason


def test_a_player_that_does_not_return_is_ended(mine: str) -> None:
    """Both do not, so that nobody has to decide within so short a limit."""
    result = simulate("standard", [f"{mine}:Stalls"] * 2, 2, 1, limit=0.5, threads=1)
    assert result.complete
    assert result.tally.reasons["left"] == 2
    assert [one.game for one in result.forfeits] == [0, 1]
    assert list(result.tally.wins) == [sum(one.player != place for one in result.forfeits) for place in (0, 1)]
    assert {one.code for one in result.forfeits} == {"stalled"}
    assert all("did not decide within 0.5 s" in one.reason for one in result.forfeits)


class Silent(Worker):
    """A process that does not move on from the third decision of game 7. Each look at it takes a second."""

    _connection: Any

    def __init__(self, compiles: bool) -> None:
        self.now = 0.0
        self._connection = self
        self._pulse = [7, 3, 50, compiles]

    def poll(self, seconds: float) -> bool:
        self.now += 1.0
        return False


@pytest.mark.parametrize(("compiles", "allowed"), [(False, 5.0), (True, watched.COMPILES)])
def test_a_process_that_compiles_has_more_time(monkeypatch: pytest.MonkeyPatch, compiles: bool, allowed: float) -> None:
    process = Silent(compiles)
    monkeypatch.setattr(watched, "time", SimpleNamespace(monotonic=lambda: process.now))
    assert process._answer(5.0, lambda: False) == (7, 3, "stalled", "did not decide within 5 s")
    assert allowed < process.now <= allowed + 3


def test_a_player_that_returns_too_late_loses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    class Slow(Cautious):
        def decide(self, state: State, generator: random.Random) -> Action:
            nonlocal now
            now += 0.3 if state.mine.score < 1000 else 0.4
            return super().decide(state, generator)

    monkeypatch.setattr(watched, "clock", lambda: now)
    one = forfeit(simulate("standard", [Slow(), make_player("threshold:100")], 1, 1, limit=0.35))
    assert one.code == "stalled"
    assert "took 0.4 s for a decision; 0.35 s are allowed" in one.reason


def test_the_others_play_on_when_a_seat_has_left(mine: str) -> None:
    result = simulate("standard", [load_player(f"{mine}:Raises"), Cautious(), Cautious()], 10, 1, limit=HANG)
    assert result.tally.wins[0] == 0
    assert sum(result.tally.wins) == 10
    assert len(result.forfeits) == 10
    assert set(result.tally.reasons) == {"last_turns"}


def test_games_in_processes_are_those_in_this_one(mine: str) -> None:
    specs = [f"{mine}:Greedy", "random", "turn"]
    here = simulate(FAST, [load_player(spec) for spec in specs], 150, 6, limit=HANG)
    assert not here.forfeits
    there = simulate(FAST, specs, 150, 6, limit=HANG, threads=2)
    assert here.tally == there.tally
    job = Job(FAST, tuple(specs), 6, limit=HANG)
    assert run(job.part(0, 90)) + run(job.part(90, 60)) == here.tally


def test_processes_stop_when_they_are_asked_to(mine: str) -> None:
    def stop(tally: object) -> None:
        raise Stop

    result = simulate(FAST, [f"{mine}:Greedy", "cautious"], 10_000, 6, limit=HANG, progress=stop)
    assert not result.complete
    assert 0 < result.tally.games < 10_000


def test_a_player_that_cannot_play_such_a_game_says_so(mine: str) -> None:
    with pytest.raises(PlayerError) as caught:
        simulate(FAST, ["exact", f"{mine}:Greedy", "cautious", "cautious"], 10)
    assert caught.value.code == "bad_player"
    assert "games of two" in caught.value.message
    with pytest.raises(ArenaError) as refused:
        simulate(FAST, [f"{mine}:Choosy", "cautious"], 10)
    assert refused.value.code == "bad_player"
    assert "not this" in refused.value.message


def test_players_from_files(mine: str) -> None:
    assert load_player(f"{mine}:Greedy").name == "greedy"
    assert load_player(f"{mine}:Nameless").name == "Nameless"
    assert load_player(f"{mine}:ready").name == "greedy"
    assert type(load_player(f"{mine}:Greedy")) is type(load_player(f"{mine}:Greedy"))
    assert not is_table(load_player(f"{mine}:Greedy"), rules_of("kcd"), (1, 1))
    assert load_player("threshold:500").name == "threshold:500"
    assert is_table(load_player("turn"), rules_of("kcd"), (1, 1))


def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(SOURCE)
    assert load_player(f"{path}:Greedy").name == "greedy"
    path.write_text(SOURCE.replace('"greedy"', '"greedier"'))
    assert load_player(f"{path}:Greedy").name == "greedier"


@pytest.mark.parametrize(
    ("spec", "code", "words"),
    [
        ("./nowhere.py:Greedy", "no_such_file", "nowhere.py"),
        ("{mine}:Greedier", "no_such_class", "Greedy, Rich"),
        ("{mine}:", "no_such_class", "Greedy"),
        ("{mine}", "no_such_class", "names no class"),
        ("{mine}:Silent", "not_a_player", "no method decide"),
        ("{mine}:Demanding", "not_a_player", "TypeError"),
        ("{folder}/broken.py:One", "bad_file", "SyntaxError"),
        ("greedy", "unknown_player", "greedy"),
    ],
)
def test_players_that_there_are_not(mine: str, tmp_path: Path, spec: str, code: str, words: str) -> None:
    (tmp_path / "broken.py").write_text("class One(:\n")
    with pytest.raises(PlayerError) as caught:
        load_player(spec.format(mine=mine, folder=tmp_path))
    assert caught.value.code == code
    assert words in caught.value.message


def test_jobs_are_checked() -> None:
    rules, players = check_job(Job("kcd", ("turn", "threshold:500")))
    assert rules == rules_of("kcd")
    assert [player.name for player in players] == ["turn", "threshold:500"]


class Banker:
    """Banks whatever it may."""

    name = "banker"

    def __init__(self, holds: object = None) -> None:
        self.holds = holds

    def decide(self, state: State, generator: object) -> Action:
        actions = legal_actions(state)
        return next((one for one in actions if isinstance(one, Keep) and one.then == "bank"), actions[0])


def test_players_given_as_objects_play_the_same_games_in_processes() -> None:
    here = simulate(FAST, [Banker(), "bold"], 150, 1, limit=HANG)
    there = simulate(FAST, [Banker(), "bold"], 150, 1, limit=HANG, threads=2, processes=True)
    assert (there.tally, there.players) == (here.tally, here.players)


def test_a_player_that_cannot_be_sent_to_a_process_is_refused_with_a_way_out() -> None:
    with pytest.raises(
        ArenaError, match=r'save its class in a file and name it, such as "./mine.py:Greedy"'
    ) as refused:
        simulate(FAST, [Banker(holds=threading.Lock()), "bold"], 10, 1, processes=True)
    assert refused.value.code == "cannot_travel"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("screen", [Screen, io.StringIO])
def test_progress_is_shown_where_a_person_watches(screen: type[io.StringIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.support.progress.LATE", 0.0)
    monkeypatch.setattr(sys, "stderr", told := screen())
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    simulate(FAST, [Banker(), "bold"], 20, 1, limit=HANG)
    said = told.getvalue()
    assert bool(said) is (screen is Screen)
    if said:
        assert re.match(r"\r\d+ of 20 games", said)
        assert re.search(r"\r +\r$", said), "the line is gone in the end"


def test_progress_of_ones_own_is_not_shown_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.support.progress.LATE", 0.0)
    monkeypatch.setattr(sys, "stderr", told := Screen())
    seen: list[int] = []
    simulate(FAST, [Banker(), "bold"], 20, 1, limit=HANG, progress=lambda tally: seen.append(tally.games))
    assert seen[-1] == 20
    assert told.getvalue() == ""


def test_without_a_seed_each_call_plays_other_games_and_tells_their_seed() -> None:
    some, others = (simulate(FAST, ["cautious", "bold"], 20) for _ in range(2))
    assert some.seed != others.seed
    assert simulate(FAST, ["cautious", "bold"], 20, some.seed).tally == some.tally
