"""One seat for Gymnasium: alone, or against players."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from farkel.errors import EnvError
from farkel.game import position
from farkel.players import Player, Thinker, make_player
from farkel.rules import AnyRules
from farkel.training.action_numbers import actions
from farkel.training.episode import TURN_LIMIT, Ledger, Play, Reward, rewards, table, thrower
from farkel.training.observations import Encoder, Observation

Step = tuple[Observation, float, bool, bool, dict[str, Any]]


class OneSeat(gymnasium.Env[Observation, Any]):
    """The common part of environments with one deciding seat.

    Observations are the vectors of `Encoder`; the mask of legal actions is in ``info["action_mask"]`` and
    what `action_masks` gives. An action that is not legal is replaced by the legal one with the lowest number, and
    ``info["replaced"]`` says so. ``info["turns"]`` counts the finished turns of the game, of all seats.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self, rules: AnyRules, seats: int, people: Sequence[int] | None, turn_limit: int, render_mode: str | None
    ) -> None:
        self.rules, self.people = table(rules, seats, people)
        if render_mode not in (None, "ansi"):
            raise EnvError("bad_option", f'render_mode = "{render_mode}": there is "ansi" or none')
        self.render_mode = render_mode
        self.numbers = actions(self.rules)
        """The meaning of the action numbers."""
        self.encoder = Encoder(self.rules, self.people)
        """The meaning of the numbers of an observation."""
        self.play = Play(self.rules, self.people, turn_limit)
        """The game: ``play.state`` is its `farkel.game.State`."""
        self.action_space = spaces.Discrete(self.numbers.size)
        self.observation_space = spaces.Box(self.encoder.low, self.encoder.high, dtype=np.float32)
        self._legal = self.numbers.nothing
        self._seat = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game. A seed makes it, and those that follow without one, repeatable; there are no options."""
        super().reset(seed=seed)
        self._chance = random.Random(int(self.np_random.integers(1 << 62)))
        self._throw = thrower(self._chance)
        self._deal()
        return self._seen(), self._info(False)

    def step(self, action: Any) -> Step:
        """Decide by the number of an action: observation, reward, terminated, truncated, info."""
        legal = self._legal
        chosen = legal.actions[action] if 0 <= action < self.numbers.size else None
        replaced = chosen is None
        if chosen is None:
            chosen = next((one for one in legal.actions if one is not None), None)
            if chosen is None:
                raise EnvError("illegal_action", "the game is over: reset it")
        self.play.act(chosen, self._throw)
        self._others()
        over = self.play.state.over
        return self._seen(), self._reward(), over, self.play.truncated, self._info(replaced)

    def action_masks(self) -> Any:
        """Return [action], a new array of booleans: which actions are legal."""
        return self._legal.mask.astype(np.bool_)

    def render(self) -> str | None:
        """Return the state of the game in a line, if the render mode is "ansi"."""
        return position(self.play.state) if self.render_mode else None

    def _deal(self) -> None:
        self.play.deal(self._throw)

    def _others(self) -> None:
        """Let all other seats decide."""

    def _reward(self) -> float:
        raise NotImplementedError

    def _seen(self) -> Observation:
        self._legal = self.numbers.nothing if self.play.over else self.numbers.legal(self.play.state)
        return self.encoder.encode(self.play.state, self._seat)

    def _info(self, replaced: bool) -> dict[str, Any]:
        return {"action_mask": self._legal.mask.copy(), "replaced": replaced, "turns": self.play.turns}


class FarkelSolo(OneSeat):
    """The game of one seat, under any rules.

    ``reward`` is "turns", -1 for each finished turn, so that a return is minus the number of turns to the target, or
    "points", the change of the score in a step. By default it is "turns" if there is a target. A
    game that ends without the target reached costs all turns that were left of ``turn_limit``.
    """

    def __init__(
        self,
        rules: AnyRules = "extended",
        reward: Reward | None = None,
        people: int = 1,
        turn_limit: int = TURN_LIMIT,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(rules, 1, (people,), turn_limit, render_mode)
        self._ledger = Ledger(self.rules, reward)
        self.reward = self._ledger.reward

    def _deal(self) -> None:
        super()._deal()
        self._ledger.begin()

    def _reward(self) -> float:
        return self._ledger.entry(self.play)


class FarkelVersus(OneSeat):
    """One seat against a player, or several of a kind, under any rules.

    ``opponent`` is a `farkel.players.Player` or the name of one, such as "bold"; it decides for every other seat.
    ``seat`` is the one that learns, or None for another one drawn for each game. The reward is that of
    `rewards`, at the end of the game: 1 for a win and -1 for a loss between two.
    """

    def __init__(
        self,
        rules: AnyRules = "extended",
        opponent: Player | str = "cautious",
        seats: int = 2,
        seat: int | None = None,
        people: Sequence[int] | None = None,
        turn_limit: int = TURN_LIMIT,
        render_mode: str | None = None,
    ) -> None:
        if seats < 2:
            raise EnvError("bad_option", f"seats = {seats}: a game against a player has two or more")
        if seat is not None and not 0 <= seat < seats:
            raise EnvError("bad_option", f"seat = {seat}: there are the seats 0 to {seats - 1}")
        super().__init__(rules, seats, people, turn_limit, render_mode)
        self.opponent = make_player(opponent)
        if isinstance(self.opponent, Thinker):
            self.opponent.check(self.rules, self.people)
        self._given = seat

    def _deal(self) -> None:
        """Deal a game, and another one if it ends before this seat decides."""
        self._seat = self._chance.randrange(len(self.people)) if self._given is None else self._given
        while True:
            super()._deal()
            self._others()
            if not self.play.over:
                return

    def _others(self) -> None:
        play = self.play
        while not play.over and play.state.seat != self._seat:
            play.act(self.opponent.decide(play.state, self._chance), self._throw)

    def _reward(self) -> float:
        return rewards(self.play.state)[self._seat]
