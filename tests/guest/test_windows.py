# SPDX-License-Identifier: GPL-2.0-only
"""SPARC V9's register windows: programs keep theirs while the kernel works, and find none of the kernel's values in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
import unicorn

from emu.cpu.arch.sparc64.state import PSTATE_PRIV, Env
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.stepping import run_to, step

VECTOR = 32  # bytes
VECTORS = 0x200  # the second half of the table is for traps in entry code
WINDOW_TRAPS = range(0x80, 0x100)
CLEAN_WINDOW = 0x24
TRAP_SYSCALL = 0x16D
TABLE = 2 * VECTORS * VECTOR

OUTERMOST = {"do_syscall", "etrap", "ret_from_fork", "sparc64_cpu_startup", "sparc64_boot"}
CHANGES_STACKS = {"etrap", "rtrap_user", "rtrap_kernel", "__switch_to_asm"}  # not atomically


@pytest.fixture
def machine() -> Iterator[Machine]:
    with booted_machine("sparc64", cpus=1) as booted:
        yield booted


def test_system_calls_take_few_window_traps(machine: Machine) -> None:
    (cpu,) = machine.board.cpus
    table = machine.kernel.image.symbol("ttable")
    traps: Counter[int] = Counter()
    level = 0

    def count(uc: object, at: int, size: int, data: object) -> None:
        """A vector that serves several windows is a loop that begins where the vector does."""
        nonlocal level
        vector, inside = divmod(at - table, VECTOR)
        if not inside and env.tl != level:
            traps[vector % VECTORS] += 1
        level = env.tl

    env = Env.from_address(cpu.env)
    cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, count)
    cpu.uc.ctl_flush_tb()
    machine.run("dd if=/dev/zero of=/dev/null bs=1 count=2000")
    assert traps[TRAP_SYSCALL] > 4000
    assert sum(traps[n] for n in WINDOW_TRAPS) < 4 * traps[TRAP_SYSCALL]
    assert traps[CLEAN_WINDOW] < traps[TRAP_SYSCALL] / 10


def reachable(env: Env) -> Iterator[slice]:
    """Slices of `regbase`: the locals and outs of the windows that a program's `save` gets without cleaning."""
    for n in range(1, env.cleanwin - env.canrestore + 1):
        window = (env.cwp - n) % env.nwindows * 16
        yield slice(window, window + 16)


@pytest.mark.parametrize("tracer", ["nop", "function_graph"])
@pytest.mark.parametrize("command", ["dd if=/dev/zero of=/dev/null bs=1 count=500", "ls -l /bin | sed s/a/b/", "recurse 300 1"])
def test_programs_find_nothing_of_the_kernels_in_their_windows(machine: Machine, tracer: str, command: str) -> None:
    (cpu,) = machine.board.cpus
    machine.tracefs.write("current_tracer", tracer)
    env = Env.from_address(cpu.env)
    registers = memoryview(env.regbase).cast("B").cast("Q")
    kernel = range(machine.board.arch.direct_map, machine.board.arch.direct_map + len(machine.board.ram))
    windows = 0
    found: set[bytes] = set()

    def check(uc: object, at: int, size: int, data: object) -> None:
        nonlocal windows
        if env.tl or env.pstate & PSTATE_PRIV:
            return
        for window in reachable(env):
            windows += 1
            found.add(registers[window].tobytes())

    cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, check, None, 1, kernel.start - 1)
    cpu.uc.ctl_flush_tb()
    machine.run(command)
    assert windows > 1000
    assert [value for window in found for value in memoryview(window).cast("Q") if value in kernel] == []


@pytest.mark.parametrize("function", ["sys_read", "vfs_read", "__might_resched", "preempt_schedule_irq", "timer_interrupt"])
def test_a_backtrace_is_whole_at_every_instruction(machine: Machine, function: str) -> None:
    """Even while its windows move."""
    (cpu,) = machine.board.cpus
    reports, image = machine.kernel.reports, machine.kernel.image
    machine.run("dd if=/dev/zero of=/dev/null bs=512 count=1000000 & dd if=/dev/zero of=/dev/null bs=1 count=1000000 &")
    run_to(machine, function)
    env = Env.from_address(cpu.env)
    places = set()
    for _ in range(1500):
        step(machine, cpu, 1)
        inside = image.function_at(cpu.pc)
        if env.tl or not env.pstate & PSTATE_PRIV or inside is None or inside.name in CHANGES_STACKS:
            continue
        _, calls = reports.panic(cpu, "", 0).split("backtrace:\n")
        places.add(cpu.pc)
        assert re.findall(r"^  (\w+)\+0x", calls, re.MULTILINE)[-1] in OUTERMOST, calls
    assert len(places) > 200
