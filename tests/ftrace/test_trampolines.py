# SPDX-License-Identifier: GPL-2.0-only
"""Slots of trampolines are reused when no task is in them any more, and not before."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import numpy as np
import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.sites.trampolines import PLACE_SIZE, Trampolines
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.gnu_assembler import gnu_assembler
from tests.lib.trampoline_places import leave_places

# A function that takes some time and returns 7; and one that returns at once.
_SLOW = {
    "x86_64": "mov ecx, 300000; again: dec ecx; jnz again; mov eax, 7; ret",
    "sparc64": "sethi 300, %g1; again: subcc %g1, 1, %g1; bne again; nop; retl; mov 7, %o0",
    "riscv64": "li a1, 300000; again: addi a1, a1, -1; bnez a1, again; li a0, 7; ret",
}
_FAST = {
    "x86_64": "mov eax, 8; ret; nop; nop; nop; ud2; ud2",
    "sparc64": "retl; mov 8, %o0; ta 3; ta 3; ta 3; ta 3",
    "riscv64": "li a0, 8; ret; .rept 6; unimp; .endr",
}


@pytest.fixture(autouse=True)
def assembler(arch: str) -> Iterator[None]:
    with gnu_assembler(arch):
        yield


def _reuse_under_a_task(machine: Machine) -> str:
    """Frees the only slot while a task executes its code, and reuses it at once. Returns the task's output."""
    arch = machine.board.arch.name
    leave_places(machine, 1)
    slow = machine.patch("sys_getpid", asm=_SLOW[arch])
    machine.run("getpid > /pid 2>&1 &")
    while not any(slow.address <= cpu.pc < slow.address + PLACE_SIZE for cpu in machine.board.cpus):
        machine.advance(1_000)
    slow.remove()
    with machine.patch("sys_getppid", asm=_FAST[arch]) as fast:
        assert fast.address == slow.address
        machine.advance(50_000_000)
        return machine.run("cat /pid").output.decode()


def test_a_task_ends_in_the_old_code(arch: str) -> None:
    with booted_machine(arch) as machine:
        assert _reuse_under_a_task(machine) == "7\n"


def test_without_the_wait_the_task_ends_elsewhere(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trampolines, "_quiet", lambda trampolines: np.ones(len(trampolines), np.bool_))
    with Machine(arch=arch, cpus=2) as machine:
        assert _reuse_under_a_task(machine) != "7\n"


def test_nobody_sees_enomem_unless_all_places_are_in_use(arch: str) -> None:
    with booted_machine(arch) as machine:
        trampolines = leave_places(machine, 3)
        for _ in range(5):
            with machine.patch("sys_getpid", to="sys_getppid"), machine.patch("sys_getppid", to="sys_getuid"):
                assert machine.run("getpid").output == b"0\n"
        assert 2 <= trampolines.waits <= 5  # not after each
        for name in ("sys_getpid", "sys_getuid", "sys_getgid"):
            machine.patch(name, to="sys_getppid")
        with pytest.raises(TraceError) as failed:
            machine.patch("sys_getppid", to="sys_umask")
        assert failed.value.errno == errno.ENOMEM
        assert machine.site("sys_getppid").state == "nop"


def test_code_of_several_places(arch: str) -> None:
    nops = "; ".join(["nop"] * 100)
    with booted_machine(arch) as machine:
        leave_places(machine, 20)
        for _ in range(2):  # the second time, some have been used
            with machine.patch("sys_getpid", asm=f"{nops}; {_FAST[arch]}"):
                assert machine.run("getpid").output == b"8\n"
        with pytest.raises(TraceError) as failed:
            machine.patch("sys_getpid", asm=f"{'; '.join([nops] * 7)}; {_FAST[arch]}")
        assert failed.value.errno == errno.ENOMEM
