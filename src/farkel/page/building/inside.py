"""Run by the page's own Python while the folder is made: compiles everything, and looks which modules a visit needs.

`compile.mjs` beside it waits for `main`.

Reads ``/site``, the packages as they are published; writes ``/out``: ``pyc`` and ``std`` with compiled modules,
``first.txt`` with the files of those that the first visit needs, and ``start.html``.
"""

from __future__ import annotations

import importlib
import json
import os
import py_compile
import shutil
import sys
import zipfile
from pathlib import Path

SITE, OUT, LIBRARY = Path("/site"), Path("/out"), Path("/lib/python314.zip")
PACKAGES = "/lib/python3.14/site-packages"
"""Where the packages are in the page."""
CALLED = ("farkel.page.serving",)
"""Modules that the page's scripts call."""
READS_ITSELF = "install_lazy_importer()"
"""A module with this reads its own source, so that it cannot be compiled."""


def compiled(source: Path, target: Path, shown: str) -> None:
    """Compile a module, to be loaded without a look at its source."""
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), cfile=str(target), dfile=shown, doraise=True, invalidation_mode=mode)


async def main() -> None:
    """Do all of it."""
    shutil.copytree(SITE, PACKAGES, dirs_exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = "/tmp/cache"  # noqa: S108  in Pyodide's own file system

    from farkel.page.opening import opened
    from farkel.page.unkept import Unkept
    from farkel.page.visit import NoCoach, ask, visit
    from farkel.support import lazy
    from farkel.web.pages.rendering import VERSIONS, templates, versions

    made = SITE / "farkel_templates"
    templates.compile_templates(str(made), zip=None, ignore_errors=False, log_function=lambda message: None)
    (SITE / "farkel" / "web" / VERSIONS.name).write_text(json.dumps(versions()))
    host = await opened(Unkept(), "./", NoCoach())
    (OUT / "start.html").write_bytes((await ask(host, "GET", "/")).body)
    for name in CALLED:
        importlib.import_module(name)
    wrong = {target: status for target, status in (await visit(host)).items() if status >= 500}
    if wrong:
        raise SystemExit(f"these pages cannot be shown: {wrong}")
    files = {str(module.__file__) for module in list(sys.modules.values()) if getattr(module, "__file__", None)}
    (OUT / "first.txt").write_text("\n".join(sorted(files)), "utf-8")

    offering = [
        path.parent for path in SITE.glob("farkel/**/__init__.py") if "offers(__name__)" in path.read_text("utf-8")
    ]
    packages = [".".join(path.relative_to(SITE).parts) for path in offering]
    (SITE / "farkel" / "support" / lazy.NOTED.name).write_text(json.dumps({one: lazy.homes(one) for one in packages}))

    for source in SITE.rglob("*.py"):
        place = source.relative_to(SITE)
        if READS_ITSELF in source.read_text("utf-8"):
            target = OUT / "pyc" / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        else:
            compiled(source, OUT / "pyc" / place.with_suffix(".pyc"), f"{PACKAGES}/{place}")
    with zipfile.ZipFile(LIBRARY) as library:
        library.extractall("/library")
    for source in Path("/library").rglob("*.py"):
        place = source.relative_to("/library")
        compiled(source, OUT / "std" / place.with_suffix(".pyc"), f"{LIBRARY}/{place}")
