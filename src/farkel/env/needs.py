"""What the environments need, and the error for what cannot be."""

from __future__ import annotations

from importlib.util import find_spec

from farkel.errors import FarkelError

PACKAGES = {"numpy": "NumPy", "numba": "Numba", "gymnasium": "Gymnasium", "pettingzoo": "PettingZoo"}


class EnvError(FarkelError):
    """An environment that cannot be, or an action that it does not take.

    Codes: ``not_installed``, ``bad_option``, ``illegal_action``.
    """


def needs_train() -> None:
    """Raise `EnvError` ``not_installed`` where a package of the extra ``train`` is missing."""
    missing = [name for package, name in PACKAGES.items() if find_spec(package) is None]
    if missing:
        raise EnvError("not_installed", f'farkel.env needs {", ".join(missing)}: pip install "farkel[train]"')
