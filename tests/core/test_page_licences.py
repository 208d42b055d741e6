"""The folder of the page says what others made, and under which licences."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from farkel.page.building.licences import licences
from farkel.page.building.parts import Parts


def _wheel(path: Path, metadata: str, **texts: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thing-1.2.dist-info/METADATA", metadata)
        for name, text in texts.items():
            archive.writestr(f"thing-1.2.dist-info/licenses/{name}.txt", text)
    return path


def test_every_part_is_named_with_its_version_and_the_text_of_its_licence(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"version": "314.0.7", "license": "MPL-2.0"}))
    wheel = _wheel(
        tmp_path / "thing.whl",
        "Name: thing\nVersion: 1.2\nLicense-Expression: MIT\n",
        LICENSE="Do as you like.",
        AUTHORS="Me",
    )
    script = tmp_path / "static" / "vendor" / "shiny"
    script.mkdir(parents=True)
    (script / "LICENSE").write_text("Shine on.")
    said = licences(Parts(tmp_path, (wheel,)), tmp_path / "static")
    assert "Pyodide 314.0.7\n\nMozilla Public License 2.0 (MPL-2.0)" in said
    assert "https://github.com/pyodide/pyodide/tree/314.0.7\n" in said
    assert "Python Software Foundation License, version 2: https://docs.python.org" in said
    assert "\nthing 1.2\n\nMIT\n\nDo as you like.\n" in said
    assert "\nshiny, in static/vendor/shiny\n\nShine on.\n" in said
