"""Training environments: PettingZoo for any table, Gymnasium for one seat, and thousands of games in machine code.

They need the extra ``train``: without it the import raises `farkel.errors.FarkelError` ``not_installed``. Importing
registers ``farkel/Solo-v1`` and ``farkel/Versus-v1`` with Gymnasium. See ``docs/training.md``.
"""
# ruff: noqa: E402

from farkel.errors import EnvError
from farkel.support.extras import needs

needs("train", "farkel.env", EnvError)

import gymnasium

from farkel.env.actions import Actions, Legal, Slot, actions
from farkel.env.aec import ENV_VERSION, FarkelAEC, env, raw_env
from farkel.env.observation import Encoder, Field
from farkel.env.play import TURN_LIMIT, Ledger, Play, rewards, thrower
from farkel.env.policy import PolicyPlayer
from farkel.env.single import FarkelSolo, FarkelVersus
from farkel.env.vector import VectorFarkel

SOLO, VERSUS = f"farkel/Solo-v{ENV_VERSION}", f"farkel/Versus-v{ENV_VERSION}"
"""The names under which Gymnasium makes them."""

gymnasium.register(SOLO, "farkel.env:FarkelSolo", vector_entry_point="farkel.env:VectorFarkel")
gymnasium.register(
    VERSUS,
    "farkel.env:FarkelVersus",
    vector_entry_point="farkel.env:VectorFarkel",
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
    "Field",
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
