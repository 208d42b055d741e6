"""Makes the folder: what the page's Python needs in two packs, the pages' static files, and the shell around them."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import farkel
from farkel.page.building.licences import licences
from farkel.page.building.parts import PYODIDE, PageError, Parts, node, parts

FARKEL = Path(farkel.__file__).parent
HERE = Path(__file__).parent
SHELL = HERE.parent / "shell"
STATIC = FARKEL / "web" / "static"
VALUES = FARKEL / "values" / "kept"
PACKAGES = "lib/python3.14/site-packages"
NOT_THERE = ("terminal", "bench", "training", "page/building", "page/shell", "web/store/migrations")
"""Parts of this package that a browser has no use for."""
LIBRARY_NOT_THERE = (
    *("ensurepip", "idlelib", "lib2to3", "pydoc_data", "test", "tkinter", "turtledemo", "venv", "curses", "dbm"),
    *("turtle", "sqlite3", "unittest", "xmlrpc", "wsgiref", "pydoc", "pdb", "ctypes/macholib", "site-packages"),
)
"""Parts of the standard library that nothing in the page imports."""
ALSO = (
    *("traceback", "linecache", "tokenize", "token", "codeop", "_pyrepl/__init__", "zipfile/__init__", "tempfile"),
    *("zipfile/_path/__init__", "zipfile/_path/glob", "shutil", "logging/__init__", "random", "string/__init__"),
    *("string/templatelib", "_strptime", "encodings/idna", "encodings/utf_8_sig", "encodings/latin_1", "stringprep"),
    *("encodings/cp437", "encodings/__init__", "encodings/aliases", "encodings/utf_8", "encodings/ascii", "pickle"),
)
"""Modules of the standard library that Pyodide needs to start, or an error to be told."""
STARTS = ("_pyodide/", "pyodide/")
LEVEL = 9
DATE = 1980, 1, 1, 0, 0, 0


class Part(NamedTuple):
    """A file of the folder that the page unpacks."""

    name: str
    raw: int
    """Bytes."""
    packed: int
    """Bytes as gzip leaves them."""
    first: bool = True
    """Whether it comes before the first roll."""


def make(into: Path, say: Callable[[str], None] = lambda said: None) -> tuple[Part, ...]:
    """Make the folder, in place of an older one. Returns the sizes of its large parts. Raises `PageError`."""
    _check(into)
    runs = node()
    made = parts(say)
    with TemporaryDirectory() as stage:
        site, out = Path(stage) / "site", Path(stage) / "out"
        site.mkdir()
        out.mkdir()
        say("Laying out the packages ...")
        _lay_out(site, made)
        say("Compiling with Pyodide ...")
        command = [runs, str(HERE / "compile.mjs"), str(made.pyodide), str(site), str(out), str(HERE / "inside.py")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise PageError("not_compiled", f"Pyodide cannot compile the page: {done.stderr.strip()[-3000:]}")
        say("Packing the files ...")
        new = Path(stage) / "folder"
        sizes = _fold(new, site, out, made)
        if into.exists():
            shutil.rmtree(into)
        shutil.copytree(new, into)
    return sizes


def _check(into: Path) -> None:
    """Raise `PageError` if the folder holds something else."""
    if into.exists() and not into.is_dir():
        raise PageError("not_a_folder", f"{into} is a file; name a folder")
    if into.is_dir() and any(into.iterdir()) and not (into / "farkel.json").exists():
        raise PageError("not_empty", f"{into} has other files in it; name a new folder, or an empty one")


def _lay_out(site: Path, made: Parts) -> None:
    """Put the packages where the page's Python finds them."""
    for wheel in made.wheels:
        with zipfile.ZipFile(wheel) as archive:
            markupsafe = wheel.name.startswith("markupsafe")
            for name in archive.namelist():
                if not (markupsafe and name.endswith(".so")):
                    archive.extract(name, site)

    def left_out(folder: str, names: list[str]) -> list[str]:
        place = Path(folder).relative_to(FARKEL)
        return [name for name in names if name == "__pycache__" or (place / name).as_posix() in NOT_THERE]

    shutil.copytree(FARKEL, site / "farkel", ignore=left_out)


def _fold(new: Path, site: Path, out: Path, made: Parts) -> tuple[Part, ...]:
    """Put the folder together."""
    (new / "py").mkdir(parents=True)
    first = set((out / "first.txt").read_text("utf-8").splitlines())
    files: dict[str, list[object]] = {}
    sizes = list[Part]()

    def put(name: str, content: bytes, suffix: str) -> None:
        packed = gzip.compress(content, LEVEL, mtime=0)
        file = f"{name}-{hashlib.sha256(content).hexdigest()[:12]}{suffix}.gz"
        (new / "py" / file).write_bytes(packed)
        files[name] = [file, len(packed)]
        sizes.append(Part(name, len(content), len(packed), first=name != "rest"))

    (core,) = (site / "pydantic_core").glob("*.so")
    put("wasm", (made.pyodide / "pyodide.asm.wasm").read_bytes(), ".wasm")
    put("core", core.read_bytes(), ".wasm")
    packages = dict(_packages(site, out))
    library = dict(_library(out))
    now_there = {f"/{PACKAGES}/{name}" for name in packages} & {_compiled(name) for name in first}
    begins = {name: content for name, content in library.items() if _starts(name, first)}
    pack = {f"/{PACKAGES}/{name}": content for name, content in packages.items() if _wanted(name, now_there)}
    put("pack", _packed({"library.zip": _zipped(begins), **pack}), ".bin")
    rest = {f"/{PACKAGES}/{name}": content for name, content in packages.items() if not _wanted(name, now_there)}
    put("rest", _packed({"library.zip": _zipped(library), **rest}), ".bin")
    later = new / "py" / PYODIDE  # a place for each version, as its files name each other
    later.mkdir()
    for name in ("pyodide.mjs", "pyodide.asm.mjs"):
        content = (made.pyodide / name).read_bytes()
        (later / name).write_bytes(content)
        sizes.append(Part(name, len(content), len(gzip.compress(content, LEVEL))))
    shutil.copytree(STATIC, new / "static")
    versions = json.loads((site / "farkel" / "web" / "versions.json").read_text("utf-8"))
    for folder in (path for path in STATIC.iterdir() if path.name in versions and path.is_dir()):
        (new / "static" / folder.name).rename(new / "static" / f"{folder.name}@{versions[folder.name]}")
    static = [path.read_bytes() for path in STATIC.rglob("*") if path.is_file()]
    sizes.append(Part("static", sum(map(len, static)), sum(len(gzip.compress(each, LEVEL)) for each in static)))
    values = {path.stem: _named(path) for path in sorted(VALUES.glob("*.values"))}
    (new / "values").mkdir()
    for path in VALUES.glob("*.values"):
        shutil.copy(path, new / "values" / values[path.stem])
    info = json.loads((made.pyodide / "pyodide-lock.json").read_text("utf-8"))["info"]
    library_path = f"/{PACKAGES}/pydantic_core/{core.name}"
    about: dict[str, object] = {
        "pyodide": PYODIDE,
        "files": files,
        "core": library_path,
        "lock": {"info": info, "packages": {}},
        "values": values,
    }
    made_of = json.dumps(about).encode() + (SHELL / "snapshot.mjs").read_bytes()
    about["snapshot"] = f"snapshot-{hashlib.sha256(made_of).hexdigest()[:12]}"
    (new / "start.html").write_bytes((out / "start.html").read_bytes())
    (new / "licences.txt").write_text(licences(made, STATIC), "utf-8")
    _shell(new, about)
    return tuple(sizes)


def _named(path: Path) -> str:
    """Return a name for a file that changes with its content."""
    return f"{path.stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}{path.suffix}"


def _packages(site: Path, out: Path) -> Iterable[tuple[str, bytes]]:
    """Return the files of the packages: compiled modules, and data that is no source."""
    for path in sorted((out / "pyc").rglob("*")):
        if path.is_file():
            yield path.relative_to(out / "pyc").as_posix(), path.read_bytes()
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        metadata = ".dist-info/" in name and not name.endswith(("METADATA", "entry_points.txt"))
        if name.startswith(("farkel/web/static/", "farkel/values/kept/")):
            continue
        if path.is_file() and path.suffix not in (".py", ".so", ".html", ".typed", ".pyi") and not metadata:
            yield name, path.read_bytes()


def _library(out: Path) -> Iterable[tuple[str, bytes]]:
    for path in sorted((out / "std").rglob("*.pyc")):
        name = path.relative_to(out / "std").as_posix()
        if not name.removesuffix(".pyc").startswith(LIBRARY_NOT_THERE):
            yield name, path.read_bytes()


def _compiled(source: str) -> str:
    return f"{source}c" if source.endswith(".py") else source


def _starts(name: str, first: set[str]) -> bool:
    """Return whether a module of the standard library is needed by the first visit."""
    bare = name.removesuffix(".pyc")
    return bare in ALSO or name.startswith(STARTS) or f"/lib/python314.zip/{bare}.py" in first


def _wanted(name: str, needed: set[str]) -> bool:
    """Return whether a file of the packages is needed by the first visit."""
    if name.endswith(".pyc"):
        return f"/{PACKAGES}/{name}" in needed or name.startswith("farkel_templates/")
    return not name.startswith(("farkel/kernels/", "farkel/solve/"))


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file of stored files, as Python imports from."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as written:
        for name, content in files.items():
            written.writestr(zipfile.ZipInfo(name, DATE), content)
    return archive.getvalue()


def _packed(files: Mapping[str, bytes]) -> bytes:
    """Return files as one: the length of the index, the index as JSON (name, place, size), and their contents."""
    index, at = list[tuple[str, int, int]](), 0
    for name, content in files.items():
        index.append((name, at, len(content)))
        at += len(content)
    head = json.dumps(index, separators=(",", ":")).encode()
    return struct.pack("<I", len(head)) + head + b"".join(files.values())


def _shell(new: Path, about: Mapping[str, object]) -> None:
    """Add the shell, and tell its workers what belongs to this version."""
    for path in SHELL.iterdir():
        if path.is_file():
            shutil.copy(path, new / path.name)
    loads = (SHELL / "python.mjs").read_text("utf-8")
    (new / "python.mjs").write_text(f"const ABOUT = {json.dumps(about)};\n{loads}", "utf-8")
    icons = [
        {"src": "static/icons/192.png", "sizes": "192x192", "type": "image/png"},
        {"src": "static/icons/512.png", "sizes": "512x512", "type": "image/png"},
        {"src": "static/icons/maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ]
    manifest = {
        "name": "Farkel",
        "short_name": "Farkel",
        "description": "The dice game Farkle under any house rules",
        "lang": "en",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#edf1ef",
        "theme_color": "#14534f",
        "icons": icons,
    }
    (new / "manifest.webmanifest").write_text(json.dumps(manifest), "utf-8")
    files = sorted(path for path in new.rglob("*") if path.is_file() and path.name != "service.js")
    found = hashlib.sha256()
    for path in files:
        found.update(path.read_bytes())
    version = found.hexdigest()[:12]
    names = [path.relative_to(new).as_posix() for path in files]
    kept = [
        name for name in names if not name.startswith(("py/", "values/")) and name not in ("404.html", "farkel.json")
    ]
    later = [name for name in names if name.startswith(f"py/{PYODIDE}/")]
    lists = {"VERSION": version, "FILES": kept, "LATER": later}
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in lists.items())
    (new / "service.js").write_text(head + (SHELL / "service.js").read_text("utf-8"), "utf-8")
    (new / ".nojekyll").touch()  # or GitHub Pages leaves out files whose names begin with _
    (new / "farkel.json").write_text(json.dumps({"version": version, "farkel": farkel.__version__}), "utf-8")
