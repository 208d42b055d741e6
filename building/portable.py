"""Compiles kernels to WebAssembly, with Numba and LLVM: no machine code of this computer is made on the way.

Numba writes LLVM's text of each function with the sizes of wasm32. Each is given a *door*, a function with one
argument: a pointer to its arguments as `farkel.kernels.images` has them. All are linked into one module, which imports
a memory and nothing else.
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
STACK = 1 << 19
"""Bytes."""
RESET = "farkel_reset"
"""The door that sets from where on arrays are made, which are all gone with the next call of it."""
ALLOCATOR = f"""
@farkel_top = internal addrspace(1) global i64 0
declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
define void @NRT_incref(ptr %p) alwaysinline {{ ret void }}
define void @NRT_decref(ptr %p) alwaysinline {{ ret void }}
define noalias ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) noinline {{
  %t = load i64, ptr addrspace(1) @farkel_top
  %u = add i64 %t, 63
  %at = and i64 %u, -64
  %data = add i64 %at, 64
  %end = add i64 %data, %size
  store i64 %end, ptr addrspace(1) @farkel_top
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %wide = zext i32 %pages to i64
  %room = shl i64 %wide, 16
  %short = icmp ugt i64 %end, %room
  br i1 %short, label %grow, label %done
grow:
  %missing = sub i64 %end, %room
  %spare = add i64 %missing, {STACK}
  %more = lshr i64 %spare, 16
  %count = trunc i64 %more to i32
  %before = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %count)
  br label %done
done:
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
define void @{RESET}(i32 %at) {{
  %t = zext i32 %at to i64
  store i64 %t, ptr addrspace(1) @farkel_top
  ret void
}}
"""
"""Arrays that kernels make: a header as Numba has it, whose fourth word points to the data; all are gone by a reset.

What a kernel makes in a loop adds up until then: the memory grows for it.
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


def linked(doors: dict[str, Lowered], data: int, note: str) -> bytes:
    """Return the module with these doors, whose own data lie from that address on.

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
    return _link(machine.emit_object(whole), data, [*doors, RESET]) + _section(note.encode())


def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)


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


def _link(made: bytes, data: int, exports: list[str]) -> bytes:
    flags = ["--no-entry", "--allow-undefined", "--import-memory", "--strip-all", "--stack-first"]
    flags += ["-z", f"stack-size={STACK}", f"--global-base={data}", *(f"--export={name}" for name in exports)]
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "made.o"), Path(folder, "made.wasm")
        before.write_bytes(made)
        subprocess.run([sys.executable, "-m", "ziglang", "wasm-ld", *flags, str(before), "-o", str(after)], check=True)
        return after.read_bytes()


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
