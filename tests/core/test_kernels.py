"""Compiled code is made once, kept in the user's cache folder, and never loaded when it was made from other sources."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numba.core import config

import farkel.kernels
from farkel.kernels import compiler as machine_code
from farkel.kernels import numba_internals
from farkel.support.locks import Claim

DECORATORS = {"compiled", "inlined", "making", "part"}
KERNEL = """
from farkel.kernels.compiler import compiler, parts
from part.constants import ADDED

compiled, part = compiler(__file__, nogil=True), parts()

@part
def added():
    return ADDED

@part
def more(x):
    return x + added()

@compiled
def work(x):
    return more(x)
"""
PLAIN = """
part, inlined = code.parts(error_model="numpy", _nrt=False), code.parts(_nrt=False, forceinline=True)

@part
def added():
    return 10

@inlined
def more(x):
    return x + added()

@code.compiler(__file__, nogil=True, error_model="numpy", _nrt=False)
def work(x):
    return more(x)
"""
PROGRAM = """
import logging
logging.basicConfig(level=logging.INFO, format="%(message)s")
from part.kernel import work
print(work(1))
"""


class Part:
    """A small part of a program that compiles, run in processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "program" / "part"
        self.cache = folder / "cache"
        self.program = PROGRAM
        self.sources.mkdir(parents=True)
        (self.sources / "kernel.py").write_text(KERNEL)
        self.adds(1)

    def adds(self, number: int) -> None:
        """Write a constant that the compiled code is made from."""
        (self.sources / "constants.py").write_text(f"ADDED = {number}\n")

    def start(self, **more: str) -> subprocess.Popen[str]:
        others = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
        paths = str(self.sources.parent), str(Path(farkel.__file__).parents[1])
        own = {"XDG_CACHE_HOME": str(self.cache), "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            [sys.executable, "-c", self.program],
            env=others | own | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, **more: str) -> tuple[int, str]:
        """What the program works out, and what it says about compiling."""
        return answer(self.start(**more))

    @property
    def folders(self) -> list[Path]:
        return sorted((self.cache / "farkel" / "compiled").iterdir())


def answer(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, said = process.communicate()
    assert process.returncode == 0, said
    return int(out), said


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return Part(tmp_path)


def test_code_is_compiled_once_and_again_for_other_sources(part: Part) -> None:
    value, said = part.run()
    assert value == 2
    assert said == "Compiling for this computer, which takes about ten seconds and is done once ...\n"
    assert part.run() == (2, "")
    part.adds(10)  # from another file than the function's own
    assert part.run()[0] == 11
    part.adds(1)
    assert part.run() == (2, "")
    assert len(part.folders) == 2
    assert sorted(path.name for path in part.sources.iterdir()) == ["constants.py", "kernel.py"]


def test_it_is_known_without_calling_whether_code_is_kept(part: Part) -> None:
    kept = "from farkel.kernels.compiler import is_kept\nfrom part.kernel import work\nprint(int(is_kept(work)))"
    part.program = kept
    assert part.run() == (0, "")
    part.program = PROGRAM
    part.run()
    part.program = kept
    assert part.run() == (1, "")


@pytest.mark.slow
def test_inlined_parts_stay_in_their_callers(part: Part) -> None:
    part.run()
    code, index = sorted(path.name for path in part.folders[0].iterdir())
    assert code.startswith("kernel.work-")
    assert code.endswith(".nbc")
    assert index.endswith(".nbi")


@pytest.mark.slow
def test_the_settings_of_numba_are_those_of_the_program_again(part: Part) -> None:
    settings = "config.OPT, config.SLP_VECTORIZE"
    part.program = f"""
from numba.core import config
before = {settings}
from part.kernel import work
assert work(1) == 2
print(int(before == ({settings})))
"""
    assert part.run()[0] == 1


def test_processes_that_compile_together_compile_once(part: Part) -> None:
    answers = [answer(process) for process in [part.start() for _ in range(3)]]
    assert [value for value, _ in answers] == [2, 2, 2]
    assert len([said for _, said in answers if said]) == 1
    assert not list(part.folders[0].glob("*.lock"))


@pytest.mark.slow
def test_code_is_stored_in_the_numba_cache(part: Part, tmp_path: Path) -> None:
    own = {"NUMBA_CACHE_DIR": str(tmp_path / "elsewhere")}
    assert part.run(**own)[0] == 2
    assert part.run(**own) == (2, "")
    part.adds(10)
    assert part.run(**own)[0] == 11
    assert len(list((tmp_path / "elsewhere" / "farkel" / "compiled").iterdir())) == 2
    assert not part.cache.exists()


def test_damaged_code_is_made_again(part: Part) -> None:
    part.run()
    for path in part.folders[0].iterdir():
        path.write_bytes(path.read_bytes()[:-100])
    value, said = part.run()
    assert (value, said != "") == (2, True)
    assert part.run() == (2, "")


@pytest.mark.slow
def test_unstorable_code_is_compiled_in_memory(part: Part) -> None:
    part.cache.write_text("a file, not a folder")
    value, said = part.run()
    assert value == 2
    assert "it cannot be kept" in said
    assert str(part.cache) in said


def test_only_the_last_used_states_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine_code, "_base", lambda: tmp_path)
    for number in range(machine_code.KEPT):
        folder = machine_code._folder("solve", f"{number}")
        os.utime(folder, (number, number))
    (tmp_path / "arena-0").mkdir()
    machine_code._folder("solve", "0")  # used again, so number 1 is now the oldest
    machine_code._folder("solve", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena-0", "solve-0", "solve-2", "solve-3", "solve-new"]


# Sources --------------------------------------------------------------------------------------------------------------


def test_a_new_file_in_a_folder_of_compiled_code_makes_it_other_code(tmp_path: Path) -> None:
    folder = tmp_path / "part"
    (folder / "within").mkdir(parents=True)
    (folder / "kernel.py").write_text("one")

    def digest() -> bytes:
        machine_code._content.cache_clear()
        return machine_code._content(folder)

    first = digest()
    (folder / "notes.txt").write_text("no source")
    assert digest() == first
    (folder / "within" / "new.py").write_text("")
    second = digest()
    assert second != first
    (folder / "within" / "new.py").rename(folder / "new.py")
    assert digest() not in (first, second)
    (folder / "new.py").unlink()
    assert digest() == first
    (folder / "kernel.py").write_text("two")
    assert digest() != first


def _compiled(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            decorators = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
            if decorators & DECORATORS:
                yield node


COMPILED = [path for path in machine_code.PROGRAM.rglob("*.py") if any(_compiled(ast.parse(path.read_text())))]


@pytest.mark.parametrize("path", sorted(COMPILED), ids=lambda path: path.stem)
def test_the_folders_of_compiled_code_hold_all_that_it_is_made_from(path: Path) -> None:
    """They are the folder of the module that calls `compiler`, those that it names there, and the common ones."""
    home = _home(path)
    (call,) = _calls(home)
    others = [ast.literal_eval(one) for one in call.args[1:]]
    covered = [home.parent, *(machine_code.PROGRAM / name for name in (*machine_code.COMMON, *others))]
    assert all(folder.exists() for folder in covered)
    for source in (path, *_used(path, _names(path))):
        assert any(source.is_relative_to(folder) for folder in covered), source


def _home(path: Path) -> Path:
    """The module that calls `compiler` for the functions of a file."""
    if _calls(path):
        return path
    (home,) = (
        node.module
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ImportFrom) and DECORATORS & {alias.name for alias in node.names}
    )
    return machine_code.PROGRAM.parent.joinpath(*str(home).split(".")).with_suffix(".py")


def _calls(path: Path) -> list[ast.Call]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "compiler"]


def _names(path: Path) -> set[str]:
    """The names that the compiled functions of a file use."""
    functions = _compiled(ast.parse(path.read_text()))
    found = {node.id for each in functions for node in ast.walk(each) if isinstance(node, ast.Name)}
    return found - DECORATORS


def _used(path: Path, names: set[str]) -> Iterator[Path]:
    """The files of the program that these names of a file come from, with those that their values are made from."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("farkel."):
            found = {alias.name for alias in node.names if (alias.asname or alias.name) in names}
            found = names if node.names[0].name == "*" else found
            if found:
                source = Path(farkel.__file__).parents[1].joinpath(*str(node.module).split("."))
                source = source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
                if source.name != "__init__.py":
                    yield source
                yield from _used(source, found)
        elif isinstance(node, ast.Assign):
            targets = {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
            if targets & names:
                yield from _used(
                    path, {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)} - names - DECORATORS
                )


# Numba's internals ----------------------------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], ModuleType]:
    """A function that imports `farkel.kernels.compiler` anew, while an owner in Numba lacks a name."""

    def imported(owner: Any, name: str) -> ModuleType:
        owners = [each for each in getattr(owner, "__mro__", [owner]) if name in vars(each)]
        with monkeypatch.context() as patch:
            for module in ("compiler", "numba_internals"):
                patch.delitem(sys.modules, f"farkel.kernels.{module}")
                patch.delattr(farkel.kernels, module)
            if isinstance(getattr(owner, name), ModuleType):
                patch.setitem(sys.modules, f"{owner.__name__}.{name}", None)
            for each in owners:
                patch.delattr(each, name)
            return importlib.import_module("farkel.kernels.compiler")

    return imported


def _private_names() -> list[tuple[Any, str]]:
    """The names of Numba that `farkel.kernels.numba_internals` takes from its inside, with what has them."""
    tree = ast.parse(Path(numba_internals.__file__).read_text())
    found = [(owner, name) for owner, names in numba_internals._NEEDED.items() for name in names]
    modules: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba.core"):
            module = importlib.import_module(str(node.module))
            found += [(module, alias.name) for alias in node.names]
            modules |= {alias.name: getattr(module, alias.name) for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(modules.get(ast.unparse(node.value)), ModuleType):
            found.append((modules[ast.unparse(node.value)], node.attr))
    return list(dict.fromkeys(found))


def test_without_a_private_name_of_numba_its_own_compiler_serves(
    without: Callable[[Any, str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "kernel.py").write_text(PLAIN)
    names = _private_names()
    assert len(names) > 40
    assert machine_code.numba_internals is numba_internals
    for owner, name in names:
        code = without(owner, name)
        assert code.numba_internals is None, name
        space = {"code": code, "__file__": str(tmp_path / "kernel.py")}
        exec(compile(PLAIN, tmp_path / "kernel.py", "exec"), space)
        work: Any = space["work"]
        assert code.is_kept(work) == (name != names[0][1])
        assert work(1) == 11
        assert code.is_kept(work)
    assert list((tmp_path / "cache").rglob("*.nbi"))
    assert sys.modules["farkel.kernels.compiler"] is machine_code


def test_numba_is_bounded_by_the_version_that_farkel_is_tried_with() -> None:
    root = Path(__file__).parents[2]
    (minor,) = re.findall(r"^numba==0\.(\d+)\.", (root / "constraints.txt").read_text(), re.MULTILINE)
    assert f'"numba>=0.60,<0.{int(minor) + 1}"' in (root / "pyproject.toml").read_text()


# Claims ---------------------------------------------------------------------------------------------------------------


def test_a_claim_is_held_by_one_and_leaves_nothing(tmp_path: Path) -> None:
    first, second = Claim(tmp_path / "one.lock"), Claim(tmp_path / "one.lock")
    assert first.take()
    assert first.take()
    assert not second.take()
    first.leave()
    assert not (tmp_path / "one.lock").exists()
    assert second.take()
    assert not first.take()
    second.leave()
    second.leave()
    assert list(tmp_path.iterdir()) == []


def test_a_claim_goes_with_its_process(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from farkel.support.locks import Claim\n"
    code += "claim = Claim(Path(sys.argv[1])); print(claim.take(), flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(tmp_path / "one.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        with Claim(tmp_path / "one.lock") as claim:
            assert not claim.take()
            process.kill()
            process.wait()
            assert claim.take()
