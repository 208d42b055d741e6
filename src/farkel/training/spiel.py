"""The game for OpenSpiel under any rules: explicit chance, with the actions and observations of `farkel.training`.

    import farkel.training.spiel
    import pyspiel

    game = pyspiel.load_game("farkel", {"rules": "kcd", "players": 2})

It needs the extra ``train`` and OpenSpiel: ``pip install open_spiel``.
"""

# ruff: noqa: E402
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from farkel.dice import all_rolls, faces_text
from farkel.errors import EnvError
from farkel.support.extras import beside

beside("pyspiel", "open_spiel", "farkel.training.spiel", EnvError)

import numpy as np
import pyspiel

from farkel.game import State, apply, chance_outcomes, new_game, position
from farkel.training.action_numbers import Actions
from farkel.training.episode import rewards, table
from farkel.training.observations import Encoder

MOST_MOVES = 20_000
"""Throws and decisions after which a game is cut off without a winner, if nothing is said."""
START = 6
"""Outcomes of the one die that decides who starts."""
GAME_TYPE = pyspiel.GameType(
    short_name="farkel",
    long_name="Farkle under any house rules",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=20,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "extended", "players": 2, "most_moves": MOST_MOVES},
)


class FarkelGame(pyspiel.Game):  # type: ignore[misc]  # it has no types if it is not installed
    """A game of ``players`` seats under ``rules``, a set of the catalogue, cut off after ``most_moves``.

    Chance outcomes are the rolls of `farkel.game.chance_outcomes`, in their order. Returns are those of
    `rewards`. Raises `EnvError` if rules or seats do not fit.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given: dict[str, Any] = {"rules": "extended", "players": 2, "most_moves": MOST_MOVES} | dict(params or {})
        rules, seats = str(given["rules"]), int(given["players"])
        if not set(rules) <= set("abcdefghijklmnopqrstuvwxyz0123456789:-"):
            raise EnvError(
                "bad_option",
                f'rules = "{rules:.100}": OpenSpiel writes the names of games with commas and brackets, so rules here '
                "are a set of the catalogue, such as kcd or renaissance:five-dice",
            )
        if int(given["most_moves"]) < 1:
            raise EnvError("bad_option", f"most_moves = {given['most_moves']}: at least 1 is wanted")
        self.rules, self.people = table(rules, seats, None)
        self.most_moves = int(given["most_moves"])
        self.encoder = Encoder(self.rules, self.people)
        """The meaning of the numbers of an observation."""
        self.numbers: Actions = self.encoder.actions
        """The meaning of the action numbers."""
        info = pyspiel.GameInfo(
            num_distinct_actions=self.numbers.size,
            max_chance_outcomes=max(START, len(all_rolls(self.rules.dice))),
            num_players=seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.most_moves,
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> FarkelState:
        """Return a game before its first throw."""
        return FarkelState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> FarkelObserver:
        """Return what turns states into observations."""
        if params:
            raise EnvError("bad_option", f"observations take no parameters, but got {params}")
        return FarkelObserver(self.encoder)


class Now(NamedTuple):
    """A state and how many throws and decisions led to it: a value, which copies of a game share."""

    state: State
    moves: int

    def __deepcopy__(self, memo: Any) -> Now:
        """Return the value itself."""
        return self


class FarkelState(pyspiel.State):  # type: ignore[misc]
    """A state of a game; ``now.state`` is its `farkel.game.State`."""

    def __init__(self, game: FarkelGame) -> None:
        super().__init__(game)
        self.now = Now(new_game(game.rules, game.people), 0)

    @property
    def _game(self) -> FarkelGame:
        found: FarkelGame = self.get_game()
        return found

    def current_player(self) -> Any:
        """Return the seat that decides, or chance, or that the game is over."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.now.state.dice_due else self.now.state.seat

    def is_terminal(self) -> bool:
        """Return whether the game is over or cut off."""
        return self.now.state.over or self.now.moves >= self._game.most_moves

    def returns(self) -> list[float]:
        """Return what each seat has won, 0 before the end."""
        return [float(each) for each in rewards(self.now.state)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the rolls that may fall, as numbers, and their chances."""
        found = chance_outcomes(self.now.state)
        ways = sum(way for _, way in found)
        return [(number, way / ways) for number, (_, way) in enumerate(found)]

    def _legal_actions(self, player: int) -> list[int]:
        if player != self.now.state.seat:
            return []
        return [int(each) for each in np.flatnonzero(self._game.numbers.legal(self.now.state).mask)]

    def _apply_action(self, action: int) -> None:
        state, moves = self.now
        if state.dice_due:
            event: Any = chance_outcomes(state)[action][0]
        else:
            event = self._game.numbers.action(state, action)
        self.now = Now(apply(state, event), moves + 1)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {faces_text(chance_outcomes(self.now.state)[action][0].faces, '-')}"
        return self._game.numbers.words(action)

    def __str__(self) -> str:
        return position(self.now.state)


class FarkelObserver:
    """Observations of a seat, as numbers and in words."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.tensor = np.zeros(encoder.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: FarkelState, player: int) -> None:
        """Write the seat's observation."""
        self.tensor[:] = self._encoder.encode(state.now.state, player)

    def string_from(self, state: FarkelState, player: int) -> str:
        """Return the position in words, which is the same for all seats."""
        return str(state)


pyspiel.register_game(GAME_TYPE, FarkelGame)
