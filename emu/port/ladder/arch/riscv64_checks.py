# SPDX-License-Identifier: GPL-2.0-only
"""What rungs check on RISC-V besides what they check everywhere: the function with a rung's name."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu import arch as cpu_arch
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arch import OutOfReach
from emu.port.ladder import peculiar
from emu.port.ladder.assembler import assemble
from emu.port.ladder.board import BareBoard
from emu.port.ladder.board_memory import DATA, USER_CODE, USER_DATA, USER_FRAMES
from emu.port.ladder.guest import booted, booted_with, contains, run, traced
from emu.port.ladder.peculiar import Probed
from emu.port.ladder.rung import expect, fail
from emu.race.litmus.arch.riscv64_assembler import TABLE

__all__ = [
    "backtraces", "events", "kprobes", "live_patching", "page_faults", "programs", "race_lab", "stale_code", "traps", "uprobes",
]  # fmt: skip

_NAME = "riscv64"
_SITE, _FLAG = 0x140000, DATA + 0x100
_LOW, _HIGH = USER_FRAMES, USER_FRAMES + 0x10000


def stale_code() -> None:
    """A CPU executes what another one has stored once it has executed `fence.i`, and not before."""
    for fence, expected in (("fence.i; ", [1, 2, 2]), ("fence rw, rw; csrr t0, sepc; ", [1, 1, 1])):
        bare = BareBoard(_NAME, 2)
        bare.put(_SITE, "li s1, 1; ret")
        new = int.from_bytes(assemble(_NAME, "li s1, 2; ret", 0).code, "little")
        flag, call = f"li s2, {bare.virtual(_FLAG):#x}; ", f"li s3, {bare.virtual(_SITE):#x}; jalr s3; {bare.report(0)}"
        wait = f"70: {bare.text.relax()}ld t0, {{}}(s2); beqz t0, 70b; "
        bare.start(f"{flag}{call}li t0, 1; sd t0, 8(s2); {wait.format(0)}{fence}{call}{call}{bare.stop()}", 1)
        bare.start(f"{flag}{wait.format(8)}li s3, {bare.virtual(_SITE):#x}; li t0, {new:#x}; sw t0, (s3); fence.i; li t0, 1;"
                   f"sd t0, (s2); {bare.stop()}")  # fmt: skip
        bare.run(2, why="a CPU that calls a function which another one changes")
        bare.expect(f"what the function returns before and behind `{fence.rstrip('; ')}`", expected, bare.reports(1))


def traps() -> None:
    """A second trap before the handler has cleared sstatus.SDT ends the machine, and `sret` clears the bit."""
    bare = BareBoard(_NAME)
    bare.start("li t0, 1 << 24; csrs sstatus, t0; la t1, 70f; csrw sepc, t1; li t1, 0x100; csrs sstatus, t1; sret;"
               f"70: csrr s1, sstatus; and s1, s1, t0; {bare.stop()}")  # fmt: skip
    bare.run(why="a program that returns from a trap")
    bare.expect("sstatus.SDT behind `sret`", 0, bare.result)
    for misaligned, cause in (("lr.d t0, (s2)", 4), ("amoadd.d t0, t1, (s2)", 6)):
        bare = BareBoard(_NAME)
        bare.start(f"li s2, {bare.virtual(DATA) + 1:#x}; {bare.text.load(3, 'behind')}{misaligned}; behind: {bare.stop()}")
        bare.run(why=f"a program with a misaligned `{misaligned}`")
        bare.expect(f"the cause of a misaligned `{misaligned}`", [cause], [taken.cause for taken in bare.taken])


def _faulting(program: str) -> BareBoard:
    """A board whose CPU executes a program of user mode, behind whose page nothing is mapped. Its first system call ends it."""
    bare = BareBoard(_NAME)
    text = bare.text
    bare.handler(text.jump_if_zero(2, "goes") + bare.stop() + "\ngoes:\n" + text.map_page(USER_DATA, _HIGH, True)
        + text.map_page(USER_CODE + 4096, _LOW + 4096, False))
    bare.put(_LOW, program, USER_CODE)
    bare.start(text.map_page(USER_CODE, _LOW, False) + text.load(3, 0) + text.load(2, 0) + text.enter_user(USER_CODE, 0))
    return bare


def page_faults() -> None:
    """Atomic operations fault as stores; an instruction across the end of a page faults in the second page, and alone."""
    for atomic, cause in (("amoadd.d t0, t1, (s2)", 15), ("sc.d t0, t1, (s2)", 15), ("lr.d t0, (s2)", 13)):
        reserve = f"la t2, 70f; lr.d t0, (t2); {atomic}" if atomic.startswith("sc") else atomic
        bare = _faulting(f"li s2, {USER_DATA:#x}; {reserve}; li s3, 1; ecall; .balign 8; 70: .dword 0")
        bare.run(why=f"a program whose `{atomic}` faults")
        if atomic.startswith("sc") and len(bare.taken) == 1:  # without a reservation it may do nothing
            continue
        bare.expect(f"the cause of a fault of `{atomic}`", cause, bare.taken[0].cause)
    bare = _faulting("li s1, 0; j 70f; .org 4090; 70: addi s1, s1, 1; addi s1, s1, 1; lui s2, 0x12345; li s3, 1; ecall")
    bare.run(why="a program with an instruction across the end of a page")
    taken = bare.taken[0]
    bare.expect("the fault's cause, its instruction and its address", (12, USER_CODE + 4094, USER_CODE + 4096), taken)
    bare.expect("how often the instructions before it have been executed", 2, bare.result)


def programs() -> None:
    """The page of code that each program has."""
    with booted(_NAME, 1) as machine:
        contains("a program with its mappings", [r"r-xp .*\[vdso\]"], run(machine, "cat /proc/self/maps"))


def live_patching() -> None:
    """The code that FtraceArch makes is that of the assembler, and ends where it does not reach."""
    tracing = ftrace_arch.load(_NAME)
    here = cpu_arch.load(_NAME).kernel_map + (16 << 20)
    for distance in (0x1234, -0x1234, 0x7FF, 0x800, -0x800, 0x1234_5678):
        code = tracing.detour(here, here + distance)
        expected = assemble(_NAME, f".option norelax; 70: auipc t1, %pcrel_hi(70b + {distance});"
                                   "jalr zero, %pcrel_lo(70b)(t1)", here).code  # fmt: skip
        expect(f"FtraceArch.detour() over {distance:#x} bytes", expected, code)
    for distance in (0x1234, -0x1234, 0xFFFFE, -0x100000):
        expected = assemble(_NAME, f".option norvc; 70: jal zero, 70b + {distance}", here).code
        expect(f"FtraceArch.jump() over {distance:#x} bytes", expected, tracing.jump(here, here + distance))
    _out_of_reach("jump", lambda: tracing.jump(here, here + (1 << 20)))
    _out_of_reach("detour", lambda: tracing.detour(here, here + (1 << 31)))
    _out_of_reach("call", lambda: tracing.call(here, here + 0x800))
    try:
        tracing.keystone_mode()
    except ValueError:
        return
    fail("FtraceArch.keystone_mode() raises ValueError", "it does not")


def _out_of_reach(what: str, make: Callable[[], bytes]) -> None:
    try:
        make()
    except OutOfReach:
        return
    fail(f"FtraceArch.{what}() raises OutOfReach for a target that is too far away", "it does not")


_MARKED = (
    "plain: c.addi a0, 1; .option norvc; long: addi a0, a0, 1; load: ld a0, 8(a1); fence: sfence.vma; csr: csrr a0, sstatus;"
    "lr.d a0, (a1); sc.d a2, a0, (a1); behind: addi a0, a0, 1; amo: amoadd.d a0, a0, (a1)"
)


def backtraces() -> None:
    """Stacks of programs below deep kernel stacks."""
    with booted(_NAME, 2) as machine:
        peculiar.user_stacks(machine)


def events() -> None:
    """Tasks give way to others inside the kernel."""
    with booted(_NAME, 1) as machine:
        peculiar.preemption(machine)


_COUNTED = (
    ".globl _start; _start: la t0, count; probed: lhu a0, (t0); lhu t0, 2(t0); bnez t0, 70f; addi a0, a0, 40; 70: li a7, 94;"
    "ecall; .data; .balign 4; count: .2byte 0, 0"
)


def uprobes() -> None:
    """Return probes of functions that call themselves, and the counter that a probe increments in a program."""
    with booted_with(_NAME, 1, "/peculiar", {"counted": _COUNTED}) as (machine, folder):
        peculiar.nested_returns(machine)
        run(machine, "/peculiar/counted", 40)
        labels = peculiar.labels(folder / "counted")
        machine.tracefs.write("uprobe_events", f"p:counted /peculiar/counted:{labels['probed']:#x}({labels['count']:#x})\n")
        machine.tracefs.write("events/uprobes/enable", "1")
        run(machine, "/peculiar/counted", 41)


def kprobes() -> None:
    """Copies of instructions trap behind them, and tell where the CPU goes on."""
    here = cpu_arch.load(_NAME).kernel_map + (16 << 20)
    marked = Probed(_NAME, _MARKED, here)
    for label in ("plain", "long", "load", "fence", "csr", "behind", "amo"):
        marked.probed(label)
    probing = ftrace_arch.load(_NAME).probing()
    nop = bytes.fromhex("13000000")
    for what, code, size, behind in (("copy", probing.copy(nop, here, here), 4, here + 4),
                                     ("stepping_copy", probing.stepping_copy(nop, here, here), 4, here + 5),
                                     ("detour", probing.detour(here, here), 0, here + 1)):  # fmt: skip
        expect(f"Probing.{what}() traps behind the instruction", probing.breakpoint.hex(" "), code[size : size + 2].hex(" "))
        expect(f"Probing.{what}() tells where the CPU goes on", behind, int.from_bytes(code[8:16], "little"))
    with booted(_NAME, 1) as machine:
        tracefs = machine.tracefs
        tracefs.write("kprobe_events", "p:sstatus ksys_read sstatus=%status:x64\n")
        tracefs.write("events/kprobes/enable", "1")
        kernel_with_interrupts = r"sstatus: \(ksys_read\+0x0/0x[0-9a-f]+\) sstatus=0x[0-9a-f]*1[2367abef][0-9a-f]$"  # SPP, SPIE
        contains("sstatus at a call site", [kernel_with_interrupts], traced(machine, "cat /proc/version > /dev/null"))
        tracefs.write("events/kprobes/enable", "0")
        tracefs.write("kprobe_events", "")
        peculiar.diverted(machine)
        peculiar.foreign_breakpoint(machine)


_OPERANDS = {
    "d": "s3", "s": "a4", "t": "t5", "z": "a1", "i": "-77", "h": "45", "u": "0x12345", "l": "36(s7)", "m": "-4(a2)", "p": "(t1)",
    "b": "here", "j": "here", "f": "ow", "g": "ir", "c": "-3",
}  # fmt: skip
_SHORT = ("nop", "mv a0, a1", "li a0, -2048", "beqz a0, there", "bnez a0, back", "j there", "jal back", "jr t0", "jalr t0", "ret",
          "fence", "jalr t0, 32(gp)", "beq a0, a1, there", "sd a0, -8(sp)", "lui a0, 0xfffff")  # fmt: skip


def race_lab() -> None:
    """The litmus assembler is the port's own for each instruction; traps end CPUs."""
    lines = [f"{name} {', '.join(_OPERANDS[letter] for letter in format)}".strip() for name, (_, format) in TABLE.items()]
    compressed = {line: f".option rvc; {line}; .option norvc" for line in lines if line.startswith("c.")}
    # An odd number of compressed ones leaves the words behind them unaligned, which does not matter.
    peculiar.litmus_lines(_NAME, [*_SHORT, *lines], compressed, before=".option norvc; .option norelax")
    peculiar.litmus_faults(_NAME, {
        ".byte 0x7f 0 0 0": "illegal_instruction", "ld a0, (zero)": "load_page_fault", "sd a0, (zero)": "store_page_fault",
        "c.ebreak": "breakpoint", "lr.d a0, (s1)": "load_address_misaligned", "jr zero": "instruction_page_fault",
        "jr s0": "left the text, to 0x11000", "ld a0, 1(s0)": None, "amoadd.d a0, a0, (s0)": None,
    }, "0:s0 = x; 0:s1 = 0x11001;")  # fmt: skip
