"""A trained policy as a player: it sees the environments' observations and chooses among the actions of their masks."""

from __future__ import annotations

import random
from collections.abc import Callable

from farkel.game import Action, State
from farkel.players.named import Named
from farkel.rules import Rules
from farkel.training.action_numbers import Mask
from farkel.training.observations import Encoder, Observation

Predict = Callable[[Observation, Mask], int]
"""Returns the number of a legal action for an observation and its mask."""
MOST_KEPT = 16


class PolicyPlayer(Named):
    """A `farkel.players.Player` that decides by a function of the observation and the mask of legal actions.

    Observations, masks and numbers are those of `Encoder` and `Actions` for the rules of the
    game, from the seat that decides. ``decide`` raises `EnvError` ``illegal_action`` if the number is not legal.
    """

    def __init__(self, predict: Predict, name: str = "policy") -> None:
        self.name = name
        self._predict = predict
        self._encoders: dict[tuple[Rules, tuple[int, ...]], Encoder] = {}

    def decide(self, state: State, generator: random.Random) -> Action:
        encoder = self._encoder(state)
        legal = encoder.actions.legal(state)
        number = int(self._predict(encoder.encode(state, state.seat), legal.mask))
        return encoder.actions.action(state, number)

    def _encoder(self, state: State) -> Encoder:
        key = state.rules, state.people
        if key not in self._encoders:
            if len(self._encoders) >= MOST_KEPT:
                self._encoders.clear()
            self._encoders[key] = Encoder(*key)
        return self._encoders[key]
