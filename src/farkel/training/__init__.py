"""Training environments: PettingZoo for any table, Gymnasium for one seat, and thousands of games in machine code.

They need the extra ``train``: without it the import raises `farkel.errors.FarkelError` ``not_installed``. Importing
registers ``farkel/Solo-v1`` and ``farkel/Versus-v1`` with Gymnasium. See ``docs/training.md``.
"""
# ruff: noqa: E402

from farkel.errors import EnvError
from farkel.support.extras import needs

needs("train", "farkel.training", EnvError)

import gymnasium

from farkel.training.action_numbers import Actions, Legal, Slot, actions
from farkel.training.aec import ENV_VERSION, FarkelAEC, env, raw_env
from farkel.training.episode import TURN_LIMIT, Ledger, Play, rewards, thrower
from farkel.training.observations import Encoder, Feature
from farkel.training.single import FarkelSolo, FarkelVersus
from farkel.training.trained_player import PolicyPlayer
from farkel.training.vector import VectorFarkel

SOLO, VERSUS = f"farkel/Solo-v{ENV_VERSION}", f"farkel/Versus-v{ENV_VERSION}"
"""The names under which Gymnasium makes them."""

gymnasium.register(SOLO, "farkel.training:FarkelSolo", vector_entry_point="farkel.training:VectorFarkel")
gymnasium.register(
    VERSUS,
    "farkel.training:FarkelVersus",
    vector_entry_point="farkel.training:VectorFarkel",
    kwargs={"opponent": "cautious", "seats": 2},
)

__all__ = [
    "ENV_VERSION",
    "SOLO",
    "TURN_LIMIT",
    "VERSUS",
    "Actions",
    "Encoder",
    "EnvError",
    "FarkelAEC",
    "FarkelSolo",
    "FarkelVersus",
    "Feature",
    "Ledger",
    "Legal",
    "Play",
    "PolicyPlayer",
    "Slot",
    "VectorFarkel",
    "actions",
    "env",
    "raw_env",
    "rewards",
    "thrower",
]
