# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of a CPU that executes: its state, a host call, steps and turns, blocks."""

from __future__ import annotations

from itertools import pairwise

from emu.cpu import arch as cpu_arch
from emu.cpu.cpu import Cpu
from emu.cpu.disassembly import disassemble
from emu.cpu.snapshot.cpus import CpuStates
from emu.cpu.timing import CACHES, PIPELINE
from emu.port.ladder.board import IPI, REPORT, TIMER, BareBoard
from emu.port.ladder.board_memory import CODE, DATA
from emu.port.ladder.rung import NotSupported, fail
from emu.port.ladder.summaries import summaries
from emu.port.native.block_log import BlockLog

__all__ = ["blocks", "hello", "slices", "state"]

_SMALLEST_STATE, _LARGEST_STATE = 64, 1 << 20  # bytes
_WORD = 0x1122_3344_5566_7788
_INVALID = (1 << 64) - 22
_OTHER = CODE + 0x2000
_ROUNDS, _COPIES = 100, 4
_LINE, _LINES, _WARM, _MISS = 64, 32, 3, 5  # bytes of a cache's line; lines; passes until they are in caches; cycles at least


def state(arch: str) -> None:
    """The host finds a CPU's state in Unicorn, resets it and shows it."""
    found = cpu_arch.load(arch)
    found.layout()
    size = found.state_size()
    if not _SMALLEST_STATE <= size <= _LARGEST_STATE:
        fail(f"CpuArch.state_size(): {_SMALLEST_STATE} to {_LARGEST_STATE} bytes", str(size))
    for place in found.program_counters():
        if not 0 <= place <= size - 8:
            fail(f"CpuArch.program_counters(): offsets within {size} bytes of state", str(place))
    bare = BareBoard(arch, 2)
    entry = bare.virtual(_OTHER)
    for cpu in bare.board.cpus:
        cpu.start(entry, 0x1234_5678_9ABC_DEF0, 0)
        registers = cpu.registers()
        missing = [name for name in (*bare.text.registers, *bare.text.arguments) if name not in registers]
        bare.expect("registers that CpuArch.registers() does not name", [], missing, cpu)
        bare.expect("the program counter after reset is the entry", entry, cpu.pc, cpu)
        values = [registers[name] for name in bare.text.arguments]
        bare.expect("the two arguments after reset", [0x1234_5678_9ABC_DEF0, cpu.index], values, cpu)
        others = [name for name in bare.text.registers if registers[name]]
        bare.expect("registers that reset does not set to 0", [], others, cpu)
        bare.expect("in_user_mode after reset", False, cpu.in_user_mode, cpu)
        bare.expect("interrupts are off after reset", True, cpu.irqs_off, cpu)
    saved = CpuStates(bare.cpu)
    before = saved.save()
    bare.cpu.start(entry + 8, 1, 0)
    saved.put_back(before)
    bare.expect("the program counter of a state that was saved and put back", entry, bare.cpu.pc)


def hello(arch: str) -> None:
    """A program executes, and calls the host, which answers."""
    bare = BareBoard(arch)
    text = bare.text
    greeting = "".join(text.load(0, ord(letter)) + bare.report(0) for letter in "hello")
    bare.start(greeting + bare.stop())
    bare.run(why="a program that says hello by host calls")
    bare.expect("the letters that host calls told", "hello", "".join(map(chr, bare.reports())))
    # Registers live through host calls, words are in the CPU's byte order, and results and arguments arrive.
    bare = BareBoard(arch)
    values = [0x0101_0101_0101_0101 * (n + 1) for n in range(9)]
    loads = "".join(text.load(n, value) for n, value in enumerate(values))
    bare.start(
        loads + text.argument(0, 1) + text.argument(1, 2) + text.host_call(REPORT) + text.argument(1, 8) + text.host_call(REPORT)
        + text.load(0, bare.virtual(DATA)) + text.load(1, _WORD) + text.store_word(0, 1) + text.load_word(2, 0) + bare.report(2)
        + text.load(0, 8) + text.load(1, 3) + "\nagain:\n" + text.add(0, 2) + text.count_down(1, "again") + bare.report(0)
        + text.load(0, 77) + bare.report(0) + text.result(0) + bare.report(0)
        + text.load(0, 9) + text.argument(0, 0) + text.load(1, 0) + text.argument(1, 1) + text.host_call(IPI)
        + text.result(0) + bare.report(0)
        + text.load(0, (1 << 64) - 1) + text.argument(0, 0) + text.host_call(TIMER) + text.result(0) + bare.report(0)
        + bare.stop()
    )  # fmt: skip
    program = bare.programs[0]
    bare.run(on_report=lambda cpu, first: first + 1, why="a program of arithmetic, memory and host calls")
    first, second, *others = [(call.first, call.second) for call in bare.calls if call.number == REPORT]
    bare.expect("a host call's two arguments", (values[1], values[2]), first)
    bare.expect("the register behind a host call, in another argument", values[8], second[1])
    bare.expect("a word that was stored and loaded", _WORD, others[0][0])
    bare.expect("the word in RAM, in CpuArch.byte_order", _WORD, bare.read(DATA))
    bare.expect("a sum that a loop has made", 14, others[1][0])
    bare.expect("an argument, and the result of a host call that Python answers with one more", [77, 78],
        [n for n, _ in others[2:4]])
    bare.expect("the results of host calls that the board answers: -EINVAL, 0", [_INVALID, 0], [n for n, _ in others[4:6]])
    lines = disassemble(bare.arch, program.code[: 4 * 15], bare.virtual(CODE))
    if not lines or any(line.text.startswith(".") for line in lines[:2]) or len({line.text for line in lines}) < 2:
        bare.failed("disassembly of the program's first instructions", "; ".join(line.text for line in lines))


def _counting(bare: BareBoard, rounds: int) -> str:
    text = bare.text
    one = "".join(text.add(n, n + 1) for n in (0, 1))
    return text.load(0, 0) + text.load(1, 0) + text.load(2, rounds) + "\nloop:\n" + one + text.count_down(2, "loop")


def slices(arch: str) -> None:
    """Steps and turns of any length execute the same; every instruction is counted and takes time."""
    bare = BareBoard(arch)
    program = bare.start("".join(bare.text.add(0, 1) for _ in range(8)) + bare.stop())
    cpu = bare.cpu
    for _ in range(200):
        if cpu.pc == program.symbols["first"]:
            break
        cpu.step()
    else:
        bare.failed("steps of one instruction come to the program", f"pc {cpu.pc:#x} after 200 steps")
    start, count, cycles = cpu.registers()[bare.text.registers[0]], cpu.instructions, cpu.cycles
    for n in range(1, 5):
        cpu.step()
        bare.expect(f"the register after {n} steps", start + n, cpu.registers()[bare.text.registers[0]])
    bare.expect("instructions counted in four steps", 4, cpu.instructions - count)
    bare.expect("cycles of four additions", 4, cpu.cycles - cycles)
    cpu.step(3)
    bare.expect("the register after a step of three instructions", start + 7, cpu.registers()[bare.text.registers[0]])
    results = {}
    for quantum, cpus in ((1, 2), (7, 2), (1000, 2), (1000, 1)):
        bare = BareBoard(arch, cpus, quantum=quantum)
        for index in range(cpus):
            bare.start(_counting(bare, 500) + bare.stop(1), index)
        bare.run(cpus, why=f"loops on {cpus} CPUs with turns of {quantum} cycles")
        bare.expect("sums on each CPU", {1000}, {call.first for call in bare.calls})
        results[bare.cpu.instructions, bare.cpu.cycles] = quantum
    bare.expect("numbers of (instructions, cycles), whatever turns are like", 1, len(results))
    instructions, cycles = next(iter(results))
    if not 1500 <= instructions <= cycles <= 10_000:
        bare.failed("1,500 to 10,000 instructions, and as many cycles or more", f"{instructions} and {cycles}")
    _clock(arch)
    _replay(arch)


def _clock(arch: str) -> None:
    bare = BareBoard(arch)
    text = bare.text
    bare.start(text.cycle_counter(0) + bare.report(0) + text.load(2, 1000) + "\nloop:\n" + text.count_down(2, "loop")
               + text.cycle_counter(1) + bare.report(1) + bare.stop())  # fmt: skip
    clocks: list[int] = []

    def note(cpu: Cpu, first: int) -> int:
        clocks.append(cpu.cycles)
        return 0

    bare.run(on_report=note)
    for told, clock in zip(bare.reports(), clocks, strict=True):
        if not clock - 100 <= told <= clock:
            bare.failed(f"the cycle counter reads at most 100 cycles less than the CPU's clock, {clock}", str(told))
    first, second = bare.reports()
    if not 1000 <= second - first <= 5000:
        bare.failed("1,000 to 5,000 cycles for a loop of 1,000 rounds", str(second - first))


def _replay(arch: str) -> None:
    """What is saved of a CPU is enough to continue from there."""
    bare = BareBoard(arch)
    bare.start(_counting(bare, 20) + bare.stop(1))
    saved = CpuStates(bare.cpu)
    for _ in range(30):
        bare.cpu.step()
    before = saved.save()
    ends = []
    for _ in range(2):
        bare.run()
        ends.append((bare.result, bare.cpu.cycles, bare.cpu.instructions))
        saved.put_back(before)
        bare.calls.clear()
    bare.expect("the same end from a state that was put back", ends[0], ends[1])


def timing(arch: str) -> str:
    """Each timing model that follows a CPU charges what instructions take there."""
    models, programs = cpu_arch.load(arch).cpu_models, BareBoard(arch).text.timed
    if not models:
        raise NotSupported("CpuArch.cpu_models is empty")
    summaries(arch, models[0])
    for model in (PIPELINE, CACHES):
        for name, (part, least, most) in programs.items():
            cycles = _cost(arch, part, model, models[0])
            if not least <= cycles <= most:
                fail(f"{name}: {least} to {most} cycles with {model} of {models[0]}", f"{cycles:.2f}")
        for other in models[1:]:
            _cost(arch, next(iter(programs.values()))[0], model, other)
    _written_by_host(arch, models[0])
    return ", ".join(models)


def _written_by_host(arch: str, cpu_model: str) -> None:
    """A CPU has to load again what the host has written."""
    bare = BareBoard(arch, timing=CACHES, cpu_model=cpu_model)
    text = bare.text
    loads = "".join(text.load(0, bare.virtual(DATA + _LINE * n)) + text.load_word(1, 0) for n in range(_LINES))
    bare.start((loads + bare.report(0)) * 4 + bare.stop())
    clocks: list[int] = []

    def note(cpu: Cpu, first: int) -> int:
        clocks.append(cpu.cycles)
        if len(clocks) == _WARM:
            bare.board.write_code(DATA, bytes(_LINE * _LINES))
        return 0

    bare.run(on_report=note, why="a program that loads")
    _, second, third = (end - begin for begin, end in pairwise(clocks))
    if third < second + _LINES * _MISS:
        bare.failed(f"{_LINES} loads of what the host has written take {_MISS} cycles each, and more than {second} in all",
                    str(third))  # fmt: skip


def _cost(arch: str, part: str, model: str, cpu_model: str) -> float:
    """The cycles of a fragment that is repeated, without the loop around it."""
    clocks: list[int] = []

    def note(cpu: Cpu, first: int) -> int:
        clocks.append(cpu.cycles)
        return 0

    for inner in (part * _COPIES, ""):
        bare = BareBoard(arch, timing=model, cpu_model=cpu_model)
        text = bare.text
        loop = "\nloop{0}:\n" + inner + text.count_down(2, "loop{0}")
        rounds = text.load(2, _ROUNDS) + loop.format(0) + bare.report(2) + text.load(2, _ROUNDS) + loop.format(1) + bare.report(2)
        bare.start(rounds + bare.stop(2))
        bare.run(on_report=note, why=f"a program with the timing model {model}")
    begin, end, empty_begin, empty_end = clocks
    return (end - begin - (empty_end - empty_begin)) / (_ROUNDS * _COPIES)


def blocks(arch: str) -> str:
    """Jumps and changes of the interrupt mask end Unicorn's blocks; host calls do; additions do not. Peculiar instructions."""
    bare = BareBoard(arch)
    text = bare.text
    fragments = {
        "additions": text.add(0, 1) * 3,
        "a jump": text.jump("behind") + text.add(0, 1) + "\nbehind:\n",
        "interrupts on": text.interrupts(True),
        "interrupts off": text.interrupts(False),
        "a host call": bare.report(0),
        "reading the cycle counter": text.cycle_counter(1),
        "a load": text.load(0, bare.virtual(DATA)) + text.load_word(1, 0),
    }
    source = "".join(
        f"\npart{n}:\n{text.jump(f'in{n}')}{text.add(0, 1)}\nin{n}:\n{part}" for n, part in enumerate(fragments.values())
    )
    program = bare.start(source + f"\npart{len(fragments)}:\n" + bare.stop())
    bare.cpu.step()
    log = BlockLog(bare.cpu)
    log.on = True
    bare.run()
    starts = log.addresses
    ended = {}
    for n, name in enumerate(fragments):
        inside = program.symbols[f"in{n}"], program.symbols[f"part{n + 1}"]
        ended[name] = any(inside[0] < start <= inside[1] for start in starts)
        bare.expect(f"a block begins behind a jump, at {inside[0]:#x}", True, inside[0] in starts)
    for name in ("a jump", "interrupts on"):
        bare.expect(f"{name}: ends a block", True, ended[name])
    bare.expect("additions end a block", False, ended["additions"])
    for name, (part, expected) in bare.text.peculiar.items():
        bare = BareBoard(arch)
        bare.start(part + bare.stop())
        bare.run(why=f"a program about {name}")
        bare.expect(f"{name}: register 0 at the program's end", expected, bare.result)
    return "blocks end behind " + ", ".join(name for name, does in ended.items() if does)
