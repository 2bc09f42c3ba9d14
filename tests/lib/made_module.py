# SPDX-License-Identifier: GPL-2.0-only
"""Modules for a Linux kernel, compiled without its headers: its BTF says what a struct module is.

They have no versions of symbols, and no ORC: the kernel must be one that loads such modules by force (CONFIG_MODULE_FORCE_LOAD).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from emu.ftrace.btf import Btf

__all__ = ["CARELESS", "made_module"]

CARELESS = """
struct thing { long *value; };
long number = 42;
struct thing kept = { &number };

__attribute__((noinline)) void forget(struct thing *one)
{
    one->value = 0;
}

__attribute__((noinline)) long use(struct thing *one)
{
    return *one->value + 1;
}

int init_module(void)
{
    long before = use(&kept);
    forget(&kept);
    return use(&kept) == before;
}
"""
"""A module that stores NULL, and dereferences it later."""

_STRUCT = """
asm(".section .gnu.linkonce.this_module, \\"aw\\"\\n"
    ".globl __this_module\\n__this_module:\\n"
    ".zero {name}\\n.asciz \\"{title}\\"\\n.org {init}\\n.quad init_module\\n.org {size}\\n.previous");
"""
_OPTIONS = (
    "-O1", "-g", "-c", "-ffreestanding", "-mcmodel=kernel", "-mno-red-zone", "-fno-pic", "-fno-pie", "-fno-stack-protector",
    "-fcf-protection=none", "-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer", "-mgeneral-regs-only",
)  # fmt: skip


def made_module(folder: Path, title: str, source: str, btf: Btf) -> Path:
    """Compiles a module. Its function init_module is called when it is loaded."""
    code = folder / f"{title}.c"
    places = {"name": btf.offset("module.name"), "init": btf.offset("module.init"), "size": btf.size("module")}
    code.write_text(source + _STRUCT.format(title=title, **places))
    module = folder / f"{title}.ko"
    subprocess.run(["gcc", *_OPTIONS, str(code), "-o", str(module)], check=True)
    return module
