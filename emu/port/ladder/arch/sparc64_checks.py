# SPDX-License-Identifier: GPL-2.0-only
"""What rungs check on SPARC V9 besides what they check everywhere: the function with a rung's name."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from emu.cpu import arch as cpu_arch
from emu.cpu.cpu import Cpu
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arch import OutOfReach
from emu.installation import firmware_directory
from emu.port.ladder import peculiar
from emu.port.ladder.assembler import assemble, tools
from emu.port.ladder.board import BareBoard
from emu.port.ladder.guest import booted, booted_with, contains, traced
from emu.port.ladder.peculiar import Probed
from emu.port.ladder.rung import expect, fail

__all__ = [
    "backtraces", "blocks", "events", "kprobes", "link", "live_patching", "race_lab", "uprobes",
]  # fmt: skip

_NAME = "sparc64"


def blocks() -> None:
    """The condition codes, which QEMU computes on demand, are in CpuArch.registers()."""
    for left, right, codes in ((5, 5, 0x44), (1, 2, 0x99), (2, 1, 0), (1 << 31, 1, 0x02)):
        bare = BareBoard(_NAME)
        bare.start(f"setx {left}, %g1, %g2; setx {right}, %g1, %g3; cmp %g2, %g3; {bare.report(0)}{bare.stop()}")
        seen: list[int] = []

        def look(cpu: Cpu, first: int, seen: list[int] = seen) -> int:
            seen.append(cpu.registers()["ccr"])
            return 0

        bare.run(on_report=look)
        bare.expect(f"CpuArch.registers()['ccr'] behind a comparison of {left:#x} with {right:#x}", [codes], seen)


def backtraces() -> None:
    """Windows of programs that the kernel has spilled to their task."""
    with booted(_NAME, 2) as machine:
        peculiar.user_stacks(machine)


def live_patching() -> None:
    """The code that FtraceArch makes is that of the assembler, and ends where it does not reach."""
    tracing = ftrace_arch.load(_NAME)
    here = cpu_arch.load(_NAME).kernel_map + (16 << 20)
    for distance in (0x1234, -0x1234, 0xFFFFC, -0x100000):
        expected = assemble(_NAME, f"70: ba,a,pt %xcc, 70b + {distance}", here).code
        expect(f"FtraceArch.jump() over {distance:#x} bytes", expected, tracing.jump(here, here + distance))
    restore = assemble(_NAME, "restore", here).code
    for distance in (0x1234, -0x1234, 0x1234_5678):
        expected = assemble(_NAME, f"70: call 70b + {distance}", here).code + restore
        expect(f"FtraceArch.detour() over {distance:#x} bytes", expected, tracing.detour(here, here + distance))
    _out_of_reach("jump", lambda: tracing.jump(here, here + (1 << 20)))
    _out_of_reach("call", lambda: tracing.call(here, here + (1 << 31)))


def _out_of_reach(what: str, make: Callable[[], bytes]) -> None:
    try:
        make()
    except OutOfReach:
        return
    fail(f"FtraceArch.{what}() raises OutOfReach for a target that is too far away", "it does not")


_COPIED = ("add %g1, 1, %g1", "ldx [%g1], %g1", "save %sp, -192, %sp", "restore", "sethi 1, %g1", "flushw", "jmp %g1", "retl",
           "rd %y, %g1", "membar #Sync", "faddd %f0, %f2, %f4")  # fmt: skip


def kprobes() -> None:
    """Copies of instructions are the instructions; those for the guest's own probes trap behind them."""
    here = cpu_arch.load(_NAME).kernel_map + (16 << 20)
    marked = Probed(_NAME, "; ".join(f"copy{n}: {text}" for n, text in enumerate(_COPIED)), here)
    for n in range(len(_COPIED)):
        marked.probed(f"copy{n}")
    probing, nop = ftrace_arch.load(_NAME).probing(), ftrace_arch.load(_NAME).nop
    expect("Probing.copy() of a nop", nop.hex(" "), probing.copy(nop, here, here).hex(" "))
    stepping = probing.stepping_copy(nop, here, here)
    expect("Probing.stepping_copy() of a nop", (nop + probing.breakpoint).hex(" "), stepping.hex(" "))
    expect("Probing.detour(): a breakpoint at the first instruction is needed", b"", probing.detour(here, here))
    with booted(_NAME, 1) as machine:
        peculiar.diverted(machine)
        peculiar.foreign_breakpoint(machine)


def events() -> None:
    """Tasks give way to others inside the kernel."""
    with booted(_NAME, 1) as machine:
        peculiar.preemption(machine)


_WINDOWS = (
    ".globl _start; _start: sub %sp, 512, %sp; mov 5, %l0; save %sp, -192, %sp; mov 7, %l0; mov 8, %o0; save %sp, -192, %sp;"
    "mov 9, %l0; probed: nop; mov 42, %o0; mov 188, %g1; ta 0x6d; nop"
)


def uprobes() -> None:
    """Return probes of functions that call themselves, and registers of windows that the program has not stored."""
    with booted_with(_NAME, 1, "/peculiar", {"windows": _WINDOWS}) as (machine, folder):
        peculiar.nested_returns(machine)
        place = peculiar.labels(folder / "windows")["probed"]
        machine.tracefs.write("uprobe_events", f"p:window /peculiar/windows:{place:#x} l0=%l0:u64 i0=%i0:u64\n")
        machine.tracefs.write("events/uprobes/enable", "1")
        text = traced(machine, "/peculiar/windows", 42)
        contains("registers of the innermost window", [r"window: \(0x[0-9a-f]+\) l0=9 i0=8$"], text)


def link() -> None:
    """An object that has its table of call sites is left as it is."""
    script = firmware_directory() / "arch" / _NAME / "recordmcount.py"
    with tempfile.TemporaryDirectory(prefix="emu-port-") as folder:
        file = Path(folder) / "a.o"
        source = "int called(void); int calls(void) { return called() + 1; }"
        command = [f"{tools(_NAME).prefix}gcc", "-pg", "-fno-pic", "-O2", "-c", "-x", "c", "-o", str(file), "-"]
        subprocess.run(command, input=source, text=True, check=True, capture_output=True)
        before = file.read_bytes()
        made = []
        for _ in range(2):
            subprocess.run([sys.executable, str(script), str(file)], check=True, capture_output=True)
            made.append(file.read_bytes())
    expect("recordmcount.py changes an object once", (True, True), (made[0] != before, made[0] == made[1]))


def _lines() -> Iterator[str]:
    yield from ("add %o0, %o1, %o2", "sub %g1, -4, %g2", "or %l0, 0xff, %l1", "and %i0, %i1, %i2", "xor %o0, 1, %o0")
    yield from ("sll %o0, 3, %o1", "sra %o0, 2, %o1", "mulx %o0, %o1, %o2", "udivx %o0, 3, %o1")
    yield from ("ldub [%o0 + 1], %o1", "lduh [%o0], %o1", "ld [%o0 + 4], %o1", "ldx [%o0 + %o1], %o2", "stb %o0, [%o1 + 3]")
    yield from ("st %o1, [%o0 + 4]", "stx %o1, [%o0 - 8]", "casx [%o0], %o1, %o2", "ldstub [%o0 + 4], %o1", "membar 2")
    yield from ("flush %o0 + 4", "jmpl %o0 + 4, %g1", "call there", "ba there", "bne,pt %xcc, there", "be,a,pn %xcc, here")
    yield from ("brz %o0, there", "brnz,pt %o0, back", "sethi 0x12345, %o0", "ta 3", "retl", "nop")


def race_lab() -> None:
    """The litmus assembler is the port's own; traps end CPUs."""
    peculiar.litmus_lines(_NAME, list(_lines()), {"membar 2": "membar #StoreLoad"})
    peculiar.litmus_faults(_NAME, {
        "unimp 0": "illegal_instruction", "ldx [%g0], %o0": "fast_data_access_MMU_miss", "restore": "fill",
        "ldx [%g1 + 1], %o0": "mem_address_not_aligned", "udivx %o0, %g0, %o0": "division_by_zero", "ta 3": "trap 0x3",
        "save %sp, -176, %sp": None,
    }, "0:g1 = x;")  # fmt: skip
