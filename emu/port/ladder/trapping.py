# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of traps and interrupts, in the kernel's mode."""

from __future__ import annotations

from emu.cpu.cpu import CpuFault
from emu.port.ladder.arch import Trap
from emu.port.ladder.board import TIMER, BareBoard
from emu.port.ladder.board_memory import DATA
from emu.port.ladder.rung import RungFailed

__all__ = ["interrupts", "sleep", "traps"]

_NEVER = (1 << 64) - 1


def traps(arch: str) -> None:
    """Each kind of instruction traps with its cause and address, and the handler returns or skips it."""
    text = BareBoard(arch).text
    cases = [(text.undefined(), Trap.UNDEFINED, 0, "an undefined instruction"),
             (text.breakpoint(), Trap.BREAKPOINT, text.after_breakpoint, "a breakpoint")]  # fmt: skip
    cases += [(f"{fragment}; ", Trap.UNDEFINED, 0, f"`{fragment}`, which Unicorn executes wrongly,")
        for fragment in text.repaired]
    for fragment, trap, behind, name in cases:
        bare = BareBoard(arch)
        program = bare.start(
            text.load(0, 5) + text.load(1, 6) + text.load(3, "next") + "\ntrap:\n" + fragment + text.add(0, 100)
            + "\nnext:\n" + text.add(0, 1) + bare.report(0) + bare.report(1) + bare.stop(3)
        )  # fmt: skip
        bare.run(why=f"{name} traps, and the program goes on behind it")
        bare.expect(f"{name}: number of traps", 1, len(bare.taken))
        taken = bare.taken[0]
        bare.expect(f"{name}: cause", text.causes[trap], taken.cause)
        bare.expect(f"{name}: saved address", program.symbols["trap"] + behind, taken.place)
        bare.expect(f"{name}: the program's registers behind it", [6, 6], bare.reports())
        bare.expect(f"{name}: the register that the handler clears", 0, bare.result)
    _unending(arch)


def _unending(arch: str) -> None:
    """A trap whose handler is missing ends the machine, and does not hang the host."""
    bare = BareBoard(arch)
    without = bare.text.without_vector()
    if not without:
        return
    bare.start(without + bare.text.undefined() + bare.stop())
    try:
        bare.run(limit=1_000_000, why="")
    except RungFailed as failure:
        if failure.expected == "" and "for ever" not in failure.seen and "not ended" not in failure.seen:
            return
        bare.failed("a trap without a handler ends the machine (CpuFault)", failure.seen)
    bare.failed("a trap without a handler ends the machine (CpuFault)", "the program went on")


def _program(bare: BareBoard) -> str:
    """Switches interrupts on and off; labels on0, on1, ... are where one may come."""
    text = bare.text
    parts = [text.load(0, 0) + text.load(3, 0)]
    for n in range(3):
        parts.append("\n" + f"off{n}:\n" + text.add(0, 1) * 2 + text.interrupts(True) + f"\non{n}:\n" + text.add(0, 1) * (n + 1))
        parts.append(f"\nto{n}:\n" + text.interrupts(False))
    return "".join(parts) + "\nlast:\n" + text.add(0, 1) + bare.stop()


def interrupts(arch: str) -> None:
    """An interrupt is taken once, at the first instruction that allows it; the highest first; NMIs in between."""
    bare = BareBoard(arch)
    program = bare.start(_program(bare))
    cpu, symbols = bare.cpu, program.symbols
    path: list[int] = []
    while cpu.pc != symbols["last"]:
        if len(path) > 300:
            bare.failed("steps come to the program's end", f"pc {cpu.pc:#x} after {len(path)} steps")
        path.append(cpu.pc)
        cpu.step()
    vector = bare.vector(0)
    allowed = [pc for pc in path if any(symbols[f"on{n}"] <= pc <= symbols[f"to{n}"] for n in range(3))]
    for at in range(0, len(path)):
        if path[at] < symbols["first"]:
            continue
        inside = [n for n in range(3) if symbols[f"to{n}"] < path[at] < (symbols[f"off{n + 1}"] if n < 2 else symbols["last"])]
        if inside:
            continue  # between the instructions that switch interrupts off, it may come
        bare = BareBoard(arch)
        bare.start(_program(bare))
        for _ in range(at):
            bare.cpu.step()
        bare.cpu.raise_interrupt(vector)
        bare.run(why=f"a program that is interrupted at {path[at]:#x}")
        expected = [pc for pc in path[at:] if pc in allowed][:1]
        bare.expect(f"where an interrupt that becomes pending at {path[at]:#x} is taken", expected, [t.place for t in bare.taken])
        bare.expect("the handler's cause", [bare.text.interrupt_cause(vector)] * len(expected), [t.cause for t in bare.taken])
        bare.expect("the interrupted program's sum", 13, bare.result)
        bare.expect("interrupts counted by the host", len(expected), bare.cpu.record.taken)
        if bare.text.counts_traps:
            bare.expect("traps that came while interrupts were on", len(expected), bare.cpu.record.trapped)
    _priorities(arch)
    _timers(arch)
    _nmi(arch)


def _priorities(arch: str) -> None:
    bare = BareBoard(arch)
    text = bare.text
    vectors = [bare.vector(0), bare.vector(2), bare.vector(1)]
    bare.start(text.load(3, 0) + text.interrupts(False) + bare.report(0) + text.interrupts(True) + text.add(0, 1)
               + text.load(2, 100) + "\nloop:\n" + text.count_down(2, "loop") + bare.stop())  # fmt: skip

    def pend(cpu: object, first: int) -> int:
        for vector in vectors:
            bare.cpu.raise_interrupt(vector)
        return 0

    bare.run(on_report=pend, why="a program with three pending interrupts")
    bare.expect("three interrupts, the highest vector first", [text.interrupt_cause(v) for v in sorted(vectors, reverse=True)],
                [taken.cause for taken in bare.taken])  # fmt: skip
    bare.expect("interrupts are off at the program's start", True, bare.taken[0].place > bare.programs[0].symbols["first"])


def _timers(arch: str) -> None:
    """A timer's interrupt comes at the first block that begins at its deadline or after it, unless it is masked."""
    for deadline, masked in ((3000, False), (3001, False), (3000, True)):
        bare = BareBoard(arch)
        text = bare.text
        bare.start(
            text.load(3, 0) + text.load(0, deadline) + text.argument(0, 0) + text.host_call(TIMER) + text.interrupts(not masked)
            + text.load(2, 5000) + "\nloop:\n" + text.count_down(2, "loop") + text.interrupts(True) + text.add(0, 1) + bare.stop()
        )  # fmt: skip
        bare.handler(text.cycle_counter(8) + text.load(7, bare.virtual(DATA)) + text.store_word(7, 8))
        bare.run(why="a loop with a timer")
        bare.expect("interrupts of a timer", [text.interrupt_cause(bare.vector(1))], [taken.cause for taken in bare.taken])
        when, end = bare.read(DATA), bare.cpu.cycles
        symbols, place = bare.programs[0].symbols, bare.taken[0].place
        if masked:
            bare.expect("a masked timer's interrupt comes behind the loop", True, place > symbols["loop"] and when > 5000)
        elif not (deadline <= when < deadline + 100 and place == symbols["loop"]):
            bare.failed(f"an interrupt in the loop, at the deadline, {deadline}",
                f"at {place:#x}, time {when}; the end is at {end}")


def _nmi(arch: str) -> None:
    bare = BareBoard(arch)
    text = bare.text
    if text.nmi_cause is None:
        return
    bare.start(text.load(3, 0) + text.interrupts(False) + bare.report(0) + text.load(2, 100) + "\nloop:\n"
               + text.count_down(2, "loop") + bare.stop())  # fmt: skip

    def pend(cpu: object, first: int) -> int:
        bare.cpu.raise_nmi()
        return 0

    bare.run(on_report=pend, why="a program with interrupts off that gets an NMI")
    bare.expect("traps of an NMI while interrupts are off", [text.nmi_cause], [taken.cause for taken in bare.taken])


def sleep(arch: str) -> None:
    """A CPU sleeps until an interrupt is pending, and its sleep takes time."""
    bare = BareBoard(arch)
    text = bare.text
    timer = text.load(0, 500_000) + text.argument(0, 0) + text.host_call(TIMER)
    bare.start(text.load(3, 0) + timer + text.interrupts(True) + "\nasleep:\n" + text.sleep() + "\nawake:\n"
        + text.cycle_counter(0)
               + bare.stop())  # fmt: skip
    bare.run(why="a CPU that sleeps until its timer")
    if not 500_000 <= bare.result < 501_000:
        bare.failed("the CPU wakes at 500,000 cycles", f"at {bare.result}")
    bare.expect("the interrupt that woke it", [text.interrupt_cause(bare.vector(1))], [taken.cause for taken in bare.taken])
    slept = bare.cpu.cycles - bare.cpu.busy_cycles
    if not 490_000 < slept <= 501_000:
        bare.failed("nearly 500,000 cycles slept", str(slept))
    if bare.cpu.instructions > 1000:
        bare.failed("few instructions while the CPU sleeps", str(bare.cpu.instructions))
    # Nothing wakes it: the machine says so at once.
    bare = BareBoard(arch)
    bare.start(text.load(0, _NEVER) + text.argument(0, 0) + text.host_call(TIMER) + text.interrupts(True) + text.sleep()
        + bare.stop())
    try:
        for _ in range(20):
            if not bare.board.run(lambda cpu, number, arguments: cpu.answer(0)):
                break
        else:
            bare.failed("a CPU that nothing will wake makes the board idle", "it goes on")
    except CpuFault as fault:
        bare.failed("a CPU that nothing will wake makes the board idle", str(fault))
    bare.expect("Cpu.halted of a CPU that sleeps", True, bare.cpu.halted)
    # The end of a turn lets another CPU go on.
    bare = BareBoard(arch, 2, quantum=10_000)
    place = text.load(1, bare.virtual(DATA))
    bare.start(place + text.load(0, 1) + text.store_word(1, 0) + "\nwait:\n" + text.relax() + text.load(2, bare.virtual(DATA + 8))
               + text.load_word(0, 2) + text.jump_if_zero(0, "wait") + bare.stop())  # fmt: skip
    bare.start(place + "\nwait:\n" + text.relax() + text.load_word(0, 1) + text.jump_if_zero(0, "wait")
               + text.load(1, bare.virtual(DATA + 8)) + text.store_word(1, 0) + bare.stop(), 1)  # fmt: skip
    bare.run(2, why="two CPUs that wait for each other, ending their turns")
    for cpu in bare.board.cpus:
        if cpu.instructions > 2000:
            bare.failed("a CPU that ends its turn executes little", f"{cpu.instructions} instructions on CPU {cpu.index}", cpu)

