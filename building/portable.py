"""Compiles kernels to WebAssembly, with Numba and LLVM: no machine code of this computer is made on the way.

Numba writes LLVM's text of each function with the sizes of wasm32. Each is given a *door*, a function with one
argument: a pointer to its arguments as `farkel.kernels.images` has them. All are linked into one module that runs in
any memory, a page's own as well. It imports that memory, the addresses of its data and of its stack, and what gives it
more room for arrays.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
from numba import njit
from numba.core import codegen
from numba.core.registry import cpu_target

from farkel.kernels.native import told
from farkel.kernels.registry import Kernel

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"
RESET = "farkel_reset"
"""The door that sets from where on, and up to where, arrays are made, which are all gone with the next call of it."""
MORE = "farkel_more"
"""What a module calls when that is full: it is given a number of bytes, and returns where they are."""
CHUNK = 1 << 20
"""Bytes that are asked for at least."""
ALLOCATOR = f"""
@farkel_top = internal global i64 0
@farkel_end = internal global i64 0
declare i32 @{MORE}(i32)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
define void @NRT_incref(ptr %p) alwaysinline {{ ret void }}
define void @NRT_decref(ptr %p) alwaysinline {{ ret void }}
define noalias ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) noinline {{
entry:
  %t = load i64, ptr @farkel_top
  %u = add i64 %t, 63
  %here = and i64 %u, -64
  %needed = add i64 %size, 128
  %last = add i64 %here, %needed
  %room = load i64, ptr @farkel_end
  %short = icmp ugt i64 %last, %room
  br i1 %short, label %more, label %done
more:
  %least = call i64 @llvm.umax.i64(i64 %needed, i64 {CHUNK})
  %asked = call i64 @llvm.umin.i64(i64 %least, i64 {(1 << 32) - 1})
  %bytes = trunc i64 %asked to i32
  %got = call i32 @{MORE}(i32 %bytes)
  %from = zext i32 %got to i64
  %limit = add i64 %from, %asked
  store i64 %limit, ptr @farkel_end
  %v = add i64 %from, 63
  %there = and i64 %v, -64
  br label %done
done:
  %at = phi i64 [ %here, %entry ], [ %there, %more ]
  %data = add i64 %at, 64
  %end = add i64 %data, %size
  store i64 %end, ptr @farkel_top
  %p = inttoptr i64 %at to ptr
  %d = inttoptr i64 %data to ptr
  %q = getelementptr i8, ptr %p, i32 24
  store ptr %d, ptr %q
  ret ptr %p
}}
define noalias ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) noinline {{
  %p = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %p
}}
define noalias ptr @NRT_MemInfo_alloc_aligned_external(i64 %size, i32 %align, ptr %a) noinline {{
  %p = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %p
}}
define void @{RESET}(i32 %at, i32 %end) {{
  %t = zext i32 %at to i64
  store i64 %t, ptr @farkel_top
  %e = zext i32 %end to i64
  store i64 %e, ptr @farkel_end
  ret void
}}
"""
"""Arrays that kernels make: a header as Numba has it, whose fourth word points to the data; all are gone by a reset.

What a kernel makes in a loop adds up until then, and more room is asked for.
"""
SECTION = b"farkel"
"""The part of a module that says what it was made from."""
OWN = "pipeline_class", "nopython"
"""Options of machine code for this computer alone."""


class Lowered(NamedTuple):
    """A kernel as LLVM's text."""

    text: str
    mangled: str
    result: str
    """What it returns: ``i``, ``d``, ``b``, or ``n`` for nothing."""


def lowered(kernel: Kernel[..., Any], kinds: tuple[Any, ...]) -> Lowered:
    """Return a kernel for arguments of these types of Numba."""
    told()
    options = {name: option for name, option in kernel.group.options.items() if name not in OWN}
    with _without_machine_code():
        without: Any = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
        made: Any = njit(**options, **without)(kernel.plain)
        made.compile(kinds)
    (found,) = made.overloads.values()
    result = {"int64": "i", "float64": "d", "bool": "b", "none": "n"}[str(found.signature.return_type)]
    return Lowered(found.library.get_llvm_str(), found.fndesc.mangled_name, result)


def linked(doors: dict[str, Lowered], note: str) -> tuple[bytes, int]:
    """Return the module with these doors, and how many bytes of data it has.

    note: of what it was made from, which stands in it.
    """
    machine = _machine()
    whole = None
    for door in doors.values():
        module = llvm.parse_assembly(_for_wasm(door.text, machine))
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    assert whole is not None  # noqa: S101  there are doors
    header = f'target triple = "{TRIPLE}"\ntarget datalayout = "{machine.target_data}"\n'
    declared, bodies = "", ""
    for name, door in doors.items():
        kinds = [str(argument.type) for argument in whole.get_function(door.mangled).arguments]
        declared += f'declare i32 @"{door.mangled}"({", ".join(kinds)})\n'
        bodies += _door(name, door.mangled, kinds)
    whole.link_in(llvm.parse_assembly(header + declared + ALLOCATOR + bodies))
    for function in whole.functions:
        if not function.is_declaration and function.name not in (*doors, RESET):
            function.linkage = "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    whole.verify()
    _optimise(whole)
    content = _link(machine.emit_object(whole), [*doors, RESET])
    return content + _section(note.encode()), _data_of(content)


def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, reloc="pic", features=FEATURES)


def _for_wasm(text: str, machine: Any) -> str:
    text = re.sub(r"(?m)^target triple = .*", f'target triple = "{TRIPLE}"', text)
    text = re.sub(r"(?m)^target datalayout = .*", f'target datalayout = "{machine.target_data}"', text)
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
    return re.sub(r" = common (local_unnamed_addr )?global ptr null", " = internal global ptr null", text)


def _door(name: str, mangled: str, kinds: list[str]) -> str:
    """Return a function that loads arguments from their slots; the first slot is for what the kernel returns."""
    lines = [f"define i32 @{name}(ptr %block) {{", "  %error = alloca ptr", "  store ptr null, ptr %error"]
    for number, kind in enumerate(kinds[2:], 1):
        lines += [
            f"  %p{number} = getelementptr i64, ptr %block, i32 {number}",
            f"  %a{number} = load {kind}, ptr %p{number}",
        ]
    given = "".join(f", {kind} %a{number}" for number, kind in enumerate(kinds[2:], 1))
    lines += [f'  %rc = call i32 @"{mangled}"(ptr %block, ptr %error{given})', "  ret i32 %rc", "}"]
    return "\n".join(lines) + "\n"


def _optimise(whole: Any) -> None:
    # LLVM's costs for WebAssembly make no vectors of the lanes; those of an old x86-64, of two numbers as well, do.
    triple = "x86_64-unknown-linux-gnu"
    costs = llvm.Target.from_triple(triple).create_target_machine(opt=3, cpu="x86-64-v2", features="")
    for vectors in (False, True):
        tuning = llvm.create_pipeline_tuning_options(1)
        tuning.loop_vectorization, tuning.slp_vectorization = False, vectors
        builder = llvm.create_pass_builder(costs, tuning)
        builder.getModulePassManager().run(whole, builder)
    whole.verify()


def _link(made: bytes, exports: list[str]) -> bytes:
    flags = ["--no-entry", "--allow-undefined", "--import-memory", "--strip-all", "-pie", "--experimental-pic"]
    flags += [f"--export={name}" for name in exports]
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "made.o"), Path(folder, "made.wasm")
        before.write_bytes(made)
        subprocess.run([sys.executable, "-m", "ziglang", "wasm-ld", *flags, str(before), "-o", str(after)], check=True)
        return after.read_bytes()


def _data_of(content: bytes) -> int:
    """Return the bytes of data that a module says it has, in the first of its parts: ``dylink.0``."""
    _, at = _number(content, 9)
    if content[8] or content[at : at + 10] != b"\x08dylink.0\x01":
        raise ValueError("the linker has not said how much memory a module needs")
    _, at = _number(content, at + 10)
    return _number(content, at)[0]


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number as modules have them, and where it ends."""
    found, bits = 0, 0
    while True:
        found |= (content[at] & 127) << bits
        at, bits = at + 1, bits + 7
        if content[at - 1] < 128:
            return found, at


def _section(content: bytes) -> bytes:
    """Return a part of a module that is only read by people and tools, of less than 128 bytes."""
    held = bytes([len(SECTION)]) + SECTION + content
    return bytes([0, len(held)]) + held


@contextmanager
def _without_machine_code() -> Iterator[None]:
    """Let Numba only write LLVM's text, with the sizes of wasm32."""

    @njit
    def warm(size: Any) -> Any:  # Numba's own runtime is compiled for this computer first
        return np.empty(size)[0]

    warm(1)
    layout = _machine().target_data
    own = cpu_target.target_context.codegen()
    library, jit = codegen.CPUCodeLibrary, codegen.JITCodeLibrary
    kept = own._data_layout, own._target_data

    def finalise(self: Any) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    methods: dict[tuple[Any, str], Any] = {
        (library, "_optimize_functions"): lambda self, module: None,
        (library, "_optimize_final_module"): lambda self: None,
        (library, "_finalize_final_module"): finalise,
        (jit, "get_pointer_to_function"): lambda self, name: self._ensure_finalized() or 0,
        (type(own), "set_env"): lambda self, name, env: None,
    }
    before = {key: getattr(*key) for key in methods}
    for (where, name), method in methods.items():
        setattr(where, name, method)
    own._data_layout, own._target_data = str(layout), layout
    try:
        yield
    finally:
        own._data_layout, own._target_data = kept
        for (where, name), method in before.items():
            setattr(where, name, method)
