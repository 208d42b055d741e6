"""Machine code is made once, kept in the user's cache folder, and never loaded when it was made from other sources."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import farkel.kernels
from farkel.errors import SolveError
from farkel.kernels import kept, native, numba_internals, spaces
from farkel.kernels.registry import COMMON, PROGRAM, SOLVE, Group, Kernel, parts
from farkel.support.locks import Claim

KERNEL = """
from pathlib import Path
from farkel.kernels.registry import Group, parts
from part.constants import ADDED

compiled, part = Group("part", str(Path(__file__).parent), nogil=True), parts()

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
part, inlined = parts(error_model="numpy", _nrt=False), parts(_nrt=False, forceinline=True)

@part
def added():
    return 10

@inlined
def more(x):
    return x + added()

@Group("plain", nogil=True, error_model="numpy", _nrt=False)
def work(x):
    return more(x)
"""
PROGRAM_OF_PART = """
import logging
logging.basicConfig(level=logging.INFO, format="%(message)s")
from farkel.kernels.native import NativeSpace
from part.kernel import work
print(NativeSpace().run(work, 1))
"""


class Part:
    """A small part of a program that compiles, run in processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "program" / "part"
        self.cache = folder / "cache"
        self.program = PROGRAM_OF_PART
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
    asks = (
        "from farkel.kernels.native import is_kept\nfrom part.kernel import work\nprint(int(is_kept(work, (1,))))",
        "from farkel.kernels.kept import has_code\nfrom part.kernel import work\nprint(int(has_code(work)))",
    )
    for answer in (0, 1):
        for part.program in asks:
            assert part.run() == (answer, "")
        part.program = PROGRAM_OF_PART
        part.run()


def test_code_for_other_arguments_is_not_kept(part: Part) -> None:
    part.run()
    part.program = """
from farkel.kernels.native import is_kept
from part.kernel import work
print(int(is_kept(work, (1.5,))))
"""
    assert part.run() == (0, "")


def test_asking_for_kept_code_loads_no_numba(part: Part) -> None:
    part.run()
    part.program = """
import sys
from farkel.kernels.kept import has_code
from part.kernel import work
assert has_code(work)
print(len({"numba", "numpy", "llvmlite"} & set(sys.modules)))
"""
    assert part.run() == (0, "")


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
from farkel.kernels.native import NativeSpace
from part.kernel import work
assert NativeSpace().run(work, 1) == 2
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
    monkeypatch.setattr(kept, "_base", lambda: tmp_path)
    for number in range(kept.KEPT):
        folder = tmp_path / f"solve-{number}"
        kept.use(folder)
        os.utime(folder, (number, number))
    (tmp_path / "games-0").mkdir()
    kept.use(tmp_path / "solve-0")  # used again, so number 1 is now the oldest
    kept.use(tmp_path / "solve-new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games-0", "solve-0", "solve-2", "solve-3", "solve-new"]


# Forms ----------------------------------------------------------------------------------------------------------------


def test_a_setting_chooses_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    for form, made in (("plain", spaces.PlainSpace), ("native", native.NativeSpace)):
        monkeypatch.setenv(spaces.SETTING, form)
        assert type(spaces.open_space(SOLVE)) is made


def test_a_program_chooses_before_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(spaces.SETTING, "native")
    monkeypatch.setattr(spaces, "MAKE", [native.NativeSpace, spaces.PlainSpace])
    assert type(spaces.open_space(SOLVE)) is spaces.PlainSpace


@pytest.mark.parametrize(("numba", "form"), [(True, native.NativeSpace), (False, spaces.PlainSpace)])
def test_without_a_module_numba_serves_and_without_both_python(
    numba: bool, form: type[spaces.Space], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(spaces.SETTING, raising=False)
    monkeypatch.setattr(spaces, "has_numba", lambda: numba)
    monkeypatch.setattr(spaces, "ships", lambda group: False)
    assert type(spaces.open_space(SOLVE)) is form


def test_more_than_a_module_has_room_for_is_for_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(spaces.SETTING, raising=False)
    size = spaces.MOST_SHIPPED + 1
    assert type(spaces.open_space(SOLVE, size)) is native.NativeSpace
    monkeypatch.setattr(spaces, "has_numba", lambda: False)
    with pytest.raises(SolveError, match=r"^this takes 3\.0 GiB; without Numba, .* there is room for 3: ") as refused:
        spaces.open_space(SOLVE, size)
    assert refused.value.code == "not_installed"


# Sources --------------------------------------------------------------------------------------------------------------


def test_a_new_file_in_a_folder_of_compiled_code_makes_it_other_code(tmp_path: Path) -> None:
    folder = tmp_path / "part"
    (folder / "within").mkdir(parents=True)
    (folder / "kernel.py").write_text("one")

    def digest() -> bytes:
        kept._content.cache_clear()
        return kept._content(folder)

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


@cache
def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text()).body


def _kernels(path: Path) -> list[str]:
    """The kernels of a file."""
    functions = [node for node in _body(path) if isinstance(node, ast.FunctionDef)]
    return [one.name for one in functions if "compiled" in map(ast.unparse, one.decorator_list)]


KERNELS = [path for path in PROGRAM.rglob("*.py") if "@compiled" in path.read_text("utf-8") and _kernels(path)]


@pytest.mark.parametrize("path", sorted(KERNELS), ids=lambda path: path.stem)
def test_the_sources_of_a_group_hold_all_that_its_kernels_are_made_from(path: Path) -> None:
    module = importlib.import_module(".".join(("farkel", *path.relative_to(PROGRAM).with_suffix("").parts)))
    for name in _kernels(path):
        kernel: Kernel[..., Any] = getattr(module, name)
        sources = kernel.group.sources
        assert {PROGRAM / folder for folder in COMMON} < set(sources)
        assert all(source.exists() for source in sources)
        made_from = _made_from(path, name)
        assert {found for found, _ in made_from} >= {path}
        for found, used in made_from:
            assert any(found.is_relative_to(source) for source in sources), f"{name} uses {used} of {found}"


def _made_from(path: Path, name: str) -> set[tuple[Path, str]]:
    """Where the code of a function of a file comes from, and the values in it: files of the program, with names."""
    found, waiting = set[tuple[Path, str]](), [(path, name)]
    while waiting:
        here, name = waiting.pop()
        place = _place(here, name)
        if place is None or place in found:
            continue
        found.add(place)
        waiting += [(place[0], used) for used in _used(*place)]
    return found


def _place(path: Path, name: str) -> tuple[Path, str] | None:
    """Where a name of a file is defined; None if that is not in the program."""
    name, _, attribute = name.partition(".")
    for node in _body(path):
        if name in _defined(node):
            return None if attribute else (path, name)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("farkel."):
            source = PROGRAM.parent.joinpath(*str(node.module).split("."))
            for alias in node.names:
                if name not in (alias.asname or alias.name, alias.name.replace("*", name)):
                    continue
                whole = _file(source / alias.name)
                if whole is not None and attribute:
                    return _place(whole, attribute)
                file = _file(source)
                if file is not None and not attribute and (found := _place(file, alias.name.replace("*", name))):
                    return found
    return None


def _file(source: Path) -> Path | None:
    """The file of a module or a package."""
    found = (source / "__init__.py", source.with_suffix(".py"))
    return next((path for path in found if path.exists()), None)


def _defined(node: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _used(path: Path, name: str) -> Iterator[str]:
    """The names that a definition uses, with attributes: those of functions and of values, but not of types."""
    for node in _body(path):
        roots, own = list[ast.AST](), set[str]()
        if isinstance(node, ast.FunctionDef):
            chosen = map(ast.unparse, node.decorator_list)
            roots = [*node.body] if node.name == name or f"by_kind({name})" in chosen else []
            own = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and name in _defined(node):
            roots = [node.value]
        inner = [each for root in roots for each in ast.walk(root)]
        own |= {one.id for one in inner if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        for one in inner:
            if isinstance(one, ast.Name) and one.id not in own:
                yield one.id
            elif isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id not in own:
                yield f"{one.value.id}.{one.attr}"


# Numba's internals ----------------------------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], ModuleType]:
    """A function that imports `farkel.kernels.native` anew, while an owner in Numba lacks a name."""

    def imported(owner: Any, name: str) -> ModuleType:
        owners = [each for each in getattr(owner, "__mro__", [owner]) if name in vars(each)]
        with monkeypatch.context() as patch:
            for module in ("native", "numba_internals"):
                patch.delitem(sys.modules, f"farkel.kernels.{module}")
                patch.delattr(farkel.kernels, module)
            if isinstance(getattr(owner, name), ModuleType):
                patch.setitem(sys.modules, f"{owner.__name__}.{name}", None)
            for each in owners:
                patch.delattr(each, name)
            return importlib.import_module("farkel.kernels.native")

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
    monkeypatch.setenv(kept.NUMBA, str(tmp_path / "cache"))
    (tmp_path / "kernel.py").write_text(PLAIN)
    names = _private_names()
    assert len(names) > 40
    assert native.numba_internals is numba_internals
    native.told()  # or the parts of the program would be told without its options
    for owner, name in names:
        code = without(owner, name)
        assert code.numba_internals is None, name
        space: dict[str, Any] = {"Group": Group, "parts": parts, "__name__": "plain"}
        exec(compile(PLAIN, tmp_path / "kernel.py", "exec"), space)
        work: Kernel[[int], int] = space["work"]
        assert code.is_kept(work, (1,)) == kept.has_code(work) == (name != names[0][1])
        assert code.NativeSpace().run(work, 1) == 11
        assert code.is_kept(work, (1,))
    assert list((tmp_path / "cache").rglob("*.nbi"))
    assert sys.modules["farkel.kernels.native"] is native


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
