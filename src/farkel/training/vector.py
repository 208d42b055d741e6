"""Thousands of games side by side, stepped in machine code: `gymnasium.vector.VectorEnv` for any rules."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from farkel.dice.simulated import DICE, SEEDS, key
from farkel.errors import EnvError
from farkel.game.law import OVER, PHASE
from farkel.kernels.arrays import over
from farkel.kernels.registry import STEPS
from farkel.kernels.spaces import open_space
from farkel.players import Player, make_player
from farkel.rules import AnyRules
from farkel.training.action_numbers import actions
from farkel.training.arrays import (
    CHOSEN,
    HELD,
    PER_POINT,
    PER_TURN,
    RESULT,
    TURNS,
    WAITING,
    StepResults,
    arrays,
    games,
    tables,
    views,
)
from farkel.training.episode import TURN_LIMIT, Ledger, Reward, table
from farkel.training.observations import Encoder
from farkel.training.stepping import step_all
from farkel.training.versus_bots import Opponent

Stepped = tuple[Any, Any, Any, Any, dict[str, Any]]


class VectorFarkel(VectorEnv[Any, Any, Any]):
    """``num_envs`` games under any rules, one seat deciding in each at a time.

    Observations are [game, field] as `Encoder` has them, from the seat that decides; actions are [game],
    numbers of `Actions`. Rewards are [game], of the seat that decided: with one seat those of
    `FarkelSolo`, else those of `rewards` at the end of a game. A number that is not legal
    is replaced by the lowest legal one.

    ``autoreset_mode`` says when a game that is over is dealt again: in the same step (``SAME_STEP``), with the next
    step, whose action is ignored and whose reward is 0 (``NEXT_STEP``), or by ``reset`` with the option
    ``reset_mask``, before which it must not be stepped (``DISABLED``).

    With an ``opponent``, a table player or the name of one, such as "turn", only one seat decides: ``seat``, or if it
    is None another one drawn for each game. The opponent has all other seats and plays in machine code as well.

    ``infos`` has arrays: ``action_mask`` [game, action]; ``seat`` [game], the one that decides now; ``rewards``
    [game, seat], of every seat if there are several; ``ended`` [game], whether the turn of the one who decided is
    over; ``turns`` [game], how many turns were finished since the step before; and ``replaced`` [game]. If a game is
    over there are ``final_obs`` [game, field] and ``final_info``, a dictionary of the same arrays for the games that
    are over. As everywhere in Gymnasium, the array ``_NAME`` [game] says which games NAME is about.

    With ``copy=False`` the arrays are those of the environment, which the next step writes over: that is faster. After
    ``reset(seed=s)`` game i has the dice ``ArenaDice(s, i)`` of `farkel.dice.simulated`, throw by throw, the games that
    are dealt after it included. ``threads`` share the games; several pay from some ten thousand games on, if there are
    free cores. Raises `EnvError`.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        rules: AnyRules = "extended",
        num_envs: int = 4096,
        seats: int = 1,
        reward: Reward | None = None,
        people: Sequence[int] | None = None,
        turn_limit: int = TURN_LIMIT,
        threads: int = 1,
        copy: bool = True,
        render_mode: None = None,
        opponent: Player | str | None = None,
        seat: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        super().__init__()
        for name, given in (("num_envs", num_envs), ("turn_limit", turn_limit), ("threads", threads)):
            if given < 1:
                raise EnvError("bad_option", f"{name} = {given}: at least 1 is wanted")
        if seats > 1 and reward is not None:
            raise EnvError("bad_option", f'reward = "{reward}" is for one seat, but seats = {seats}')
        self.rules, self.people = table(rules, seats, people)
        if seat is not None and opponent is None:
            raise EnvError("bad_option", f"seat = {seat} is the seat that learns: name an opponent for the others")
        player = None if opponent is None else make_player(opponent)
        self._opponent = Opponent(self.rules, player, self.people, seat, num_envs) if player else None
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.copy = copy
        self.numbers = actions(self.rules)
        """The meaning of the action numbers."""
        self.encoder = Encoder(self.rules, self.people)
        """The meaning of the numbers of an observation."""
        self.single_action_space = spaces.Discrete(self.numbers.size)
        self.single_observation_space = spaces.Box(self.encoder.low, self.encoder.high, dtype=np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        wanted = RESULT if seats > 1 else PER_TURN if Ledger(self.rules, reward).reward == "turns" else PER_POINT
        self._space = self._opponent.space if self._opponent else open_space(STEPS)
        self._tables = self._space.place(tables(self.encoder, self.people, wanted, turn_limit))
        self._placed = self._space.place(games(num_envs, seats)), self._space.place(arrays(num_envs, self.encoder))
        self._games, self._arrays = map(views, self._placed)
        self._bounds = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._every = np.ones(num_envs, np.bool_)
        self._every.flags.writeable = False
        self._over = np.zeros(num_envs, np.bool_)
        self._dealt = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal games again: all, or those of ``options["reset_mask"]``. A seed makes all that follows repeatable.

        Observations and infos are of all games; those of games that are not dealt stay as they were.
        """
        super().reset(seed=seed)
        which = self._every if options is None or "reset_mask" not in options else self._wanted(options["reset_mask"])
        dice = int(self.np_random.integers(1 << 62)) if seed is None else seed % SEEDS
        anew = which if which is self._every or seed is not None else which & ~self._over  # others are dealt already
        numbers = np.flatnonzero(anew).tolist()
        if which is self._every or seed is not None:
            self._games.keys[numbers] = [key(dice, game, DICE) for game in numbers]
            self._games.thrown[numbers] = 0
            self._games.own[numbers, CHOSEN] = 0
            if self._opponent:
                self._opponent.deal(dice, numbers)
        for place in (TURNS, WAITING):
            self._games.own[numbers, place] = 0
        self._games.now[numbers, PHASE] = OVER
        self._games.own[:, HELD] = ~anew
        self._step(np.zeros(self.num_envs, np.int64), 0, self.num_envs)
        self._over = self._over & ~which
        self._games.own[:, HELD] = self._over
        self._dealt = True
        given = self._given()
        seen, masks = self._shown(given)
        return seen, self._told({"action_mask": masks, "seat": given.seats}, which)

    def step(self, actions: Any) -> Stepped:
        """Decide in every game: observations, rewards, terminations, truncations, infos."""
        numbers = np.ascontiguousarray(actions, np.int64)
        if not self._dealt:
            raise EnvError("bad_option", "reset the environment before its first step")
        if numbers.shape != (self.num_envs,):
            raise EnvError("bad_option", f"actions of shape {numbers.shape}: one for each of {self.num_envs} games")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            ended = np.flatnonzero(self._over)[:10].tolist()
            raise EnvError(
                "bad_option", f'the games {ended} are over: reset(options={{"reset_mask": mask}}) before the next step'
            )
        bounds = list(zip(self._bounds, self._bounds[1:], strict=False))
        work = [self._pool.submit(self._step, numbers, *part) for part in bounds[1:]] if self._pool else []
        self._step(numbers, *bounds[0])
        for part in work:
            part.result()
        given = self._given()
        done: Any = given.terminated | given.truncated
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._over = done
            self._games.own[:, HELD] = done
        seen, masks = self._shown(given)
        told: dict[str, Any] = {"ended": given.ended, "turns": given.turns, "replaced": given.replaced}
        if len(self.people) > 1:
            told["rewards"] = given.shares
        infos = self._told({"action_mask": masks, "seat": given.seats, **told}, self._every)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and done.any():
            nothing = {"action_mask": np.zeros_like(given.masks), **told}
            infos |= self._told({"final_obs": given.final, "final_info": self._told(nothing, done)}, done)
        return seen, given.rewards, given.terminated, given.truncated, infos

    def _shown(self, given: StepResults) -> tuple[Any, Any]:
        """Return observations and masks. A game that waits to be dealt shows its end, where nothing is legal."""
        over = self._over[:, None]
        if not over.any():
            return given.seen, given.masks
        return np.where(over, given.final, given.seen), np.where(over, np.int8(0), given.masks)

    def _wanted(self, mask: Any) -> Any:
        """Return the games to deal. Raises `EnvError` for an invalid mask."""
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise EnvError("bad_option", f"reset_mask must be an array of {self.num_envs} booleans, one for each game")
        if not mask.any():
            raise EnvError("bad_option", "reset_mask names no game: leave it out to deal all of them")
        if not self._dealt:
            raise EnvError("bad_option", "reset all games before some of them")
        return mask

    @property
    def has_opponent(self) -> bool:
        """Whether a player decides for all seats but one."""
        return self._opponent is not None

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()

    @staticmethod
    def _told(infos: dict[str, Any], which: Any) -> dict[str, Any]:
        """Return infos with the games that they are about, as Gymnasium's own environments have them."""
        return infos | {f"_{name}": which for name in infos}

    def _step(self, numbers: Any, first: int, last: int) -> None:
        played, given = self._placed
        if self._opponent:
            self._opponent.step(self._tables, played, over(numbers), given, first, last)
            return
        self._space.run(step_all, self._tables, played, over(numbers), given, first, last)

    def _given(self) -> Any:
        return StepResults._make(part.copy() for part in self._arrays) if self.copy else self._arrays


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Return the mode, given as Gymnasium has it or by its value. Raises `EnvError`."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        there = ", ".join(f'"{each.value}"' for each in AutoresetMode)
        raise EnvError("bad_option", f'autoreset_mode = "{mode}": there are {there}') from None
