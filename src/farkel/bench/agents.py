"""Agents to measure: players of this process, and programs that send their decisions, a line each."""

from __future__ import annotations

import queue
import shlex
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from farkel.bench.protocol import MOST_LINE, ProtocolError, decide_message, game_message, read_line, written
from farkel.dice.simulated import ArenaRandom
from farkel.errors import PlayerError
from farkel.game import Action, State, legal_actions
from farkel.players import Player, make_player
from farkel.players.named import Named
from farkel.players.own import player_file
from farkel.players.protocol import prepare
from farkel.rules import Rules
from farkel.simulation.python_games import Broken

PROGRAM = "run:"
"""Before the command of a program that speaks JSON lines."""
STARTS = 120.0
"""Seconds that a program may take to start and to get ready for rules."""
MOST_WAITING = 8
"""Lines that a program may write without being asked before nothing more is read."""
ENDS = 2.0
"""Seconds that a program has to end by itself, once nothing more is asked."""
TWO = (1, 1)


class Agent(Protocol):
    """Decides for one seat in games of two."""

    name: str

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Get ready for a game. Raises `PlayerError` if the agent cannot play it."""

    def decide(self, state: State) -> Action:
        """Return a legal action. Raises `Broken` if the agent gives none."""

    def close(self) -> None:
        """End whatever was started."""


def agent_of(spec: str, limit: float) -> Agent:
    """Return the agent of that name: ``turn``, ``bot:turn``, ``./mine.py:Greedy``, or ``run:COMMAND``.

    Raises `PlayerError` if there is no such player, or its program does not start.
    """
    if spec.startswith(PROGRAM):
        command = shlex.split(spec.removeprefix(PROGRAM))
        if not command:
            raise PlayerError("bad_player", f'"{spec}": give a command after {PROGRAM}, such as {PROGRAM}./agent')
        return ProgramAgent(command, Path(command[0]).name, limit)
    found = player_file(spec)
    if found is not None:
        return ProgramAgent([sys.executable, "-m", "farkel.bench.child", spec], found[1], limit)
    return KnownAgent(make_player(spec.removeprefix("bot:")))


class KnownAgent(Named):
    """A player that comes with Farkel."""

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self._player = player
        self._chance = ArenaRandom(0, 0)
        self._rules: Rules | None = None

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        if rules != self._rules:
            prepare(rules, [self._player], TWO)
        self._rules, self._chance = rules, ArenaRandom(seed, 0)

    def decide(self, state: State) -> Action:
        return self._player.decide(state, self._chance)

    def close(self) -> None:
        """Do nothing: nothing was started."""


class ProgramAgent(Named):
    """A program that answers a line for each line, in time, or breaks the game that it plays.

    One that ends or stalls is started again for the next game. Its standard error is shown.
    """

    def __init__(self, command: Sequence[str], name: str, limit: float) -> None:
        self.name = name
        self._command = tuple(command)
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        if self._process is None:
            self._start()
        try:
            answer = self._ask(game_message(rules, seat, seed, self._limit), STARTS)
        except Broken as broken:
            raise PlayerError("bad_player", f"{self.name} cannot be measured: it {broken.reason}") from None
        if "refused" in answer:
            self.close()
            raise PlayerError("bad_player", f"{self.name} cannot be measured: {answer['refused']!s:.500}")
        if answer.get("ready") is not True:
            raise PlayerError(
                "bad_player",
                f'{self.name} cannot be measured: it answered a game with {answer!r:.200}, not with {{"ready": true}}',
            )

    def decide(self, state: State) -> Action:
        actions = legal_actions(state)
        answer = self._ask(decide_message(state, actions), self._limit)
        if "error" in answer:
            raise Broken("raised", f"{answer['error']!s:.500}")
        place = answer.get("choose")
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(actions):
            raise Broken(
                "illegal",
                f'answered {answer!r:.200}; "choose" must be the place of an action, 0 to {len(actions) - 1}',
            )
        return actions[place]

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.stdin:
                process.stdin.close()
            process.wait(ENDS)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        self._listener.join(ENDS)

    def _start(self) -> None:
        try:
            process = subprocess.Popen(  # noqa: S603  the user names the program
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
            )
        except OSError as error:
            raise PlayerError(
                "no_such_program", f"{self._command[0]} cannot be started: {error.strerror or error}"
            ) from None
        self._process, self._answers = process, queue.SimpleQueue()
        self._listener = threading.Thread(target=_listen, args=(process.stdout, self._answers), daemon=True)
        self._listener.start()

    def _ask(self, message: dict[str, Any], limit: float) -> dict[str, Any]:
        """Return the answer to a message. Raises `Broken`, and ends the program, if there is none in time."""
        process = self._process
        if process is None or process.stdin is None:
            raise Broken("raised", "is not running")
        try:
            unasked = not self._answers.empty()
            if not unasked:
                process.stdin.write(written(message))
                process.stdin.flush()
            line = self._answers.get(timeout=limit)
            if line and unasked:
                raise ProtocolError("bad_line", f'a line that answers nothing: "{line.strip():.100}"; answer each once')
            if line:
                return read_line(line)
            code, why = "raised", f"ended with exit code {process.wait(ENDS)}"
        except queue.Empty:
            code, why = "stalled", f"did not answer within {limit:g} s"
        except (OSError, ValueError, subprocess.TimeoutExpired):
            code, why = "raised", f"closed its pipe (exit code {process.poll()})"
        except ProtocolError as error:
            code, why = "illegal", f"wrote {error.message}"
        process.kill()
        self.close()
        raise Broken(code, why)


def _listen(stream: Any, answers: queue.SimpleQueue[str]) -> None:
    """Pass on lines of bounded length; an empty one says that there are no more."""
    try:
        with stream:
            while line := stream.readline(MOST_LINE + 1):
                answers.put(line)
                if len(line) > MOST_LINE or answers.qsize() > MOST_WAITING:
                    break
    except (OSError, ValueError):  # it was killed, or wrote invalid text
        pass
    answers.put("")
