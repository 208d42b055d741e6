"""The error for what cannot be."""

from __future__ import annotations

from farkel.errors import FarkelError


class EnvError(FarkelError):
    """An environment that cannot be, or an action that it does not take.

    Codes: ``not_installed``, ``bad_option``, ``illegal_action``.
    """
