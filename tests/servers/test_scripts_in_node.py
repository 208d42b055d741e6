"""What the scripts of the table decide, under Node: no page and no browser is needed for it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from farkel.web.pages.rendering import STATIC
from in_pyodide import NODE, needs_node
from serving import HANG

TESTS = Path(__file__).with_name("scripts")


@needs_node
def test_the_scripts_of_the_table_decide_as_they_should(tmp_path: Path) -> None:
    shutil.copytree(TESTS, tmp_path, dirs_exist_ok=True)
    shutil.copytree(STATIC / "table", tmp_path / "table")
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))  # as for browsers
    found = subprocess.run(
        [str(NODE), "--test", *map(str, sorted(tmp_path.glob("*.test.mjs")))],
        capture_output=True, text=True, check=False, timeout=HANG,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-6_000:]
