"""The licences of what others made and the folder holds."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

from farkel.page.building.parts import Parts

VENDORED = "static/vendor"
ELSEWHERE = (
    (
        "CPython 3.14, in Pyodide: the interpreter, and its standard library in py/*.bin.gz",
        "Python Software Foundation License, version 2: https://docs.python.org/3.14/license.html",
    ),
    (
        "Libraries of C that are compiled into Pyodide",
        "Their names and licences are with its source: https://github.com/pyodide/pyodide/tree/{version}\n"
        "Emscripten, with musl, is under the MIT licence: https://github.com/emscripten-core/emscripten/blob/main/LICENSE",
    ),
)
"""What comes inside Pyodide, whose package holds no licence texts: names, and where the texts are."""
LINE = "-" * 72


def licences(made: Parts, static: Path) -> str:
    """Return names, versions and licences of all parts, with the texts that their authors ship."""
    return f"\n{LINE}\n\n".join(
        ("\n".join(_opening()), *_pyodide(made.pyodide), *_wheels(made.wheels), *_scripts(static))
    )


def _opening() -> Iterator[str]:
    yield "Farkel, in a page. Farkel itself is under the MIT licence."
    yield "This folder also holds programs of other people, unchanged but for being compiled and packed:"
    yield "their names, versions and licences follow.\n"


def _pyodide(package: Path) -> Iterator[str]:
    about = json.loads((package / "package.json").read_text("utf-8"))
    version = about["version"]
    yield (
        f"Pyodide {version}\n\nMozilla Public License 2.0 ({about['license']}): https://www.mozilla.org/MPL/2.0/\n"
        f"Its source: https://github.com/pyodide/pyodide/tree/{version}\n"
    )
    for what, where in ELSEWHERE:
        yield f"{what}\n\n{where.format(version=version)}\n"


def _wheels(wheels: tuple[Path, ...]) -> Iterator[str]:
    """Yield an entry for each package: what its metadata says, and every licence text in it."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if ".dist-info/" in name and not name.endswith("/")]
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            said = HeaderParser().parsestr(archive.read(metadata).decode("utf-8"))
            texts = [archive.read(name).decode("utf-8").strip() for name in names if _is_licence(name)]
        licence = said["License-Expression"] or said["License"] or ""
        head = f"{said['Name']} {said['Version']}" + (f"\n\n{licence}" if licence and "\n" not in licence else "")
        yield "\n\n".join((head, *texts)) + "\n"


def _is_licence(name: str) -> bool:
    return re.search(r"/(licen[cs]e|copying|notice)[^/]*$", name, re.IGNORECASE) is not None


def _scripts(static: Path) -> Iterator[str]:
    """Yield an entry for each library of scripts."""
    for path in sorted((static / "vendor").glob("*/LICENSE")):
        yield f"{path.parent.name}, in {VENDORED}/{path.parent.name}\n\n{path.read_text('utf-8').strip()}\n"
