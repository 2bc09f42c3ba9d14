# SPDX-License-Identifier: GPL-2.0-only
"""Relocations of RISC-V modules: each kind puts the right bits in the right places, or the module is refused."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.kernel.module_build import build_modules
from emu.machine import Machine
from tests.lib.arches import FACTS

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("make", FACTS["riscv64"].compiler)), reason="needs make and the compiler"
)

# `jumps` goes forward and back by distances whose bits are mixed, and counts what it reaches in a0.
ASSEMBLY = r"""
	.option norelax
	.text
	.balign 4
	.globl jumps
jumps:
	li	a0, 0
	mv	t1, ra
	jal	t0, jal_forward		/* R_RISCV_JAL */
	beqz	zero, branch_forward
branch_back:
	addi	a0, a0, 1
	c.j	compressed_forward	/* R_RISCV_RVC_JUMP */
	.space	0x556
compressed_back:
	addi	a0, a0, 1
	li	a5, 0
	c.beqz	a5, compressed_branch_forward
	.space	0x9a
compressed_branch_back:
	addi	a0, a0, 1
	la	a4, stored		/* R_RISCV_PCREL_HI20, R_RISCV_PCREL_LO12_I */
	lw	a4, 4(a4)
	add	a0, a0, a4
	call	far			/* R_RISCV_CALL_PLT */
	mv	ra, t1
	ret
	.space	0x36
compressed_branch_forward:
	addi	a0, a0, 1
	c.beqz	a5, compressed_branch_back
	.space	0x156
compressed_forward:
	addi	a0, a0, 1
	c.j	compressed_back
	.space	0x334
branch_forward:
	addi	a0, a0, 1
	beqz	zero, branch_back
	.space	0x12a56
jal_back:
	addi	a0, a0, 1
	jr	t0
	.space	0x2b1a4
jal_forward:
	addi	a0, a0, 1
	jal	zero, jal_back
	.space	0x1000
far:
	addi	a0, a0, 100
1:	auipc	a4, %pcrel_hi(stored)
	sw	a0, %pcrel_lo(1b)(a4)	/* R_RISCV_PCREL_LO12_S */
	ret

	.section .rodata
start:
	.space	0x1234
end:
	.balign	8
	.globl	differences
differences:
	.8byte	0, 0, 0, 0
	.byte	0xc0, 0
	.reloc	differences, R_RISCV_ADD64, end
	.reloc	differences, R_RISCV_SUB64, start
	.reloc	differences + 8, R_RISCV_SET32, end
	.reloc	differences + 8, R_RISCV_SUB32, start
	.reloc	differences + 13, R_RISCV_SET16, end	/* at no multiple of its size */
	.reloc	differences + 13, R_RISCV_SUB16, start
	.reloc	differences + 15, R_RISCV_SET8, end
	.reloc	differences + 15, R_RISCV_SUB8, start
	.reloc	differences + 16, R_RISCV_32_PCREL, start + 0x1234
	.reloc	differences + 24, R_RISCV_ADD32, end
	.reloc	differences + 24, R_RISCV_SUB32, start
	.reloc	differences + 28, R_RISCV_ADD16, end
	.reloc	differences + 28, R_RISCV_SUB16, start
	.reloc	differences + 30, R_RISCV_ADD8, end
	.reloc	differences + 30, R_RISCV_SUB8, start
	.reloc	differences + 32, R_RISCV_SET6, end
	.reloc	differences + 32, R_RISCV_SUB6, start

	.data
	.balign	4
	.globl	stored
stored:
	.4byte	0, 1000
"""

CODE = r"""
#include <linux/module.h>
#include <linux/printk.h>

unsigned long jumps(void);
extern const unsigned long differences[];
extern unsigned int stored[];

static int __init relocations_init(void)
{
	unsigned long count = jumps();

	printk("jumps %lu, stored %u\n", count, stored[0]);
	printk("differences %lx %lx %d %lx %x\n", differences[0], differences[1], (int)differences[2], differences[3],
		*(const unsigned char *)(differences + 4));
	return 0;
}

static void __exit relocations_exit(void)
{
}
module_init(relocations_init);
module_exit(relocations_exit);
MODULE_LICENSE("GPL");
"""

# The second half of an address has no first one; a call has no room at the end of its section.
WRONG = {
    "far": ("jal zero, printk", "module far: an instruction cannot reach its target\n"),
    "unknown": ("nop\n.reloc .text, R_RISCV_HI20, printk", "module unknown: unknown relocation 26\n"),
    "half": ("nop\n.reloc .text, R_RISCV_PCREL_LO12_I, printk", ""),
    "room": ("c.nop\nc.nop\n.reloc .text, R_RISCV_CALL_PLT, printk", ""),
}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with Machine(arch="riscv64", cpus=1, shares=[Share(tmp_path, "/m")]) as made:
        yield made
        assert made.warnings == []


def test_every_relocation_is_made(machine: Machine, tmp_path: Path) -> None:
    source = tmp_path / "relocations"
    source.mkdir()
    (source / "main.c").write_text(CODE)
    (source / "code.S").write_text(ASSEMBLY)
    build_modules(source, "riscv64", tmp_path)
    text = machine.run("insmod /m/relocations.ko").output.decode()
    back = -4 - 16  # `differences` is on the next multiple of 8
    assert [line.rpartition("] ")[2] for line in text.splitlines()] == [
        "jumps 1108, stored 1108", f"differences 1234 3412340000001234 {back} 34123400001234 f4",
    ]  # fmt: skip


def test_a_wrong_one_is_refused(machine: Machine, tmp_path: Path) -> None:
    source = tmp_path / "wrong"
    source.mkdir()
    (source / "Kbuild").write_text(f"obj-m := {' '.join(f'{name}.o' for name in WRONG)}\n")
    for name, (assembly, _) in WRONG.items():
        license_ = '.section .modinfo, "a"\n.asciz "license=GPL"\n'
        (source / f"{name}.S").write_text(f".option norelax\n.text\n{assembly}\n{license_}")
    build_modules(source, "riscv64", tmp_path)
    for name, (_, said) in WRONG.items():
        text = re.sub(r"^\[ *[\d.]+\] ", "", machine.run(f"insmod /m/{name}.ko").output.decode())
        assert text == f"{said}insmod: ERROR: could not insert module /m/{name}.ko: Invalid module format\n"
