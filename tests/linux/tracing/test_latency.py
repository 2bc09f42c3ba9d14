# SPDX-License-Identifier: GPL-2.0-only
"""The latency tracers on a Linux guest: what they find is what independent witnesses find in another run of the same command, and
nothing of the guest shows that they look."""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from emu.cpu.cpu import Cpu
from emu.cpu.pc.state import PAGE, used_pages
from emu.ftrace.btf import Btf
from emu.ftrace.buffers import entries
from emu.ftrace.errors import TraceError
from emu.linux.checkpoint import LinuxCheckpoint
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from emu.linux.tracing import tracing
from emu.linux.tracing.wakeups import Wakers
from tests.lib.golden import read_golden
from tests.lib.linux_kernel import machines_kept_in
from tests.lib.scheduled import DEADLINE, FIFO, scheduled
from tests.lib.section_witness import Section, SectionWitness, sections_in

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

# A command that wakes tasks of all kinds: of a real-time policy, with a deadline, with another nice value; on a busy machine
LOAD = (
    "for n in 1 2; do /tmp/fifo /bin/usleep 900 & /tmp/deadline /bin/usleep 700 & done; uname -a | cat; renice -n -9 $$; "
    "for n in 1 2; do usleep 600 & done; wait; cat /proc/interrupts"
)
SECTIONS = {"irqsoff": (True, False), "preemptoff": (False, True), "preemptirqsoff": (True, True)}
WAKEUPS = {"wakeup": 140, "wakeup_rt": 100, "wakeup_dl": 0}
ENOUGH_KB, NEVER_US = "30000", "1000000"

Run = tuple[object, ...]


@dataclass
class Started:
    """A machine with two CPUs, and its state before each test."""

    machine: LinuxMachine
    checkpoint: LinuxCheckpoint
    untraced: Run  # what LOAD does before anything is traced
    witness: SectionWitness  # of that command


def run(machine: LinuxMachine) -> Run:
    """What LOAD prints, and the state in which it leaves the machine: all counts, all registers, all of RAM."""
    done = machine.run(LOAD)
    assert (done.status, done.errors) == (0, b"")
    counts = [(cpu.cycles, cpu.instructions, cpu.record.taken, cpu.record.slept) for cpu in machine.board.cpus]
    registers = [dict(cpu.registers()) for cpu in machine.board.cpus]
    return done.output, counts, registers, hash_of(machine.board.ram)


def hash_of(ram: memoryview) -> str:
    """Of all pages that are not zeros, and their numbers."""
    pages = used_pages(ram)
    return hashlib.sha256(pages.tobytes() + np.frombuffer(ram, np.uint8).reshape(-1, PAGE)[pages].tobytes()).hexdigest()


@pytest.fixture(scope="module")
def started(real_kernel: Path, machines_folder: Path) -> Iterator[Started]:
    with machines_kept_in(machines_folder), LinuxMachine(kernel=real_kernel) as machine:
        programs = {"fifo": scheduled(FIFO, 5), "deadline": scheduled(DEADLINE, 0, (200_000, 1_000_000, 1_000_000))}
        for name, program in programs.items():
            assert machine.run(f"cat > /tmp/{name}; chmod +x /tmp/{name}", stdin=program).status == 0
        checkpoint = machine.checkpoint()
        untraced = run(machine)
        machine.restore(checkpoint)
        with SectionWitness(machine) as witness:
            assert run(machine) == untraced
        yield Started(machine, checkpoint, untraced, witness)


@pytest.fixture
def guest(started: Started) -> Iterator[LinuxMachine]:
    """The machine as it was at the beginning. Functions are not traced."""
    machine = started.machine
    machine.restore(started.checkpoint)
    machine.tracefs.write("options/function-trace", "0")
    yield machine
    fs = machine.tracefs
    fs.write("current_tracer", "nop")
    for name in fs.listdir("instances"):
        fs.rmdir(f"instances/{name}")
    for name, text in {"options/function-trace": "1", "options/display-graph": "0", "tracing_thresh": "0", "trace": ""}.items():
        fs.write(name, text)
    assert machine.warnings == []


def trace(machine: LinuxMachine, tracer: str, longest: str = "0") -> Run:
    """Runs LOAD with a tracer. Shorter latencies than `longest`, in microseconds, are not kept. Tracing is off then."""
    fs = machine.tracefs
    fs.write("tracing_on", "0")
    fs.write("current_tracer", tracer)
    fs.write("tracing_max_latency", longest)
    fs.write("tracing_on", "1")
    found = run(machine)
    fs.write("tracing_on", "0")
    return found


def sections(started: Started, tracer: str) -> Sequence[Section]:
    irqs, preemption = SECTIONS[tracer]
    return sections_in(started.witness, len(started.machine.cpus), irqs=irqs, preemption=preemption)


def longest_kept(found: Sequence[Section]) -> Section:
    """The section that is kept at last: the longest, but for those during which another CPU's was kept."""
    best, kept_at = None, -1
    for section in found:
        if (best is None or section.end - section.start > best.end - best.start) and section.numbers[0] > kept_at:
            best, kept_at = section, section.numbers[1]
    assert best is not None
    return best


@pytest.mark.parametrize("tracer", SECTIONS)
def test_the_longest_section_is_the_witness_s(started: Started, guest: LinuxMachine, tracer: str) -> None:
    assert trace(guest, tracer) == started.untraced
    longest, worst = longest_kept(sections(started, tracer)), guest.trace_array.max_latency
    ns = guest.board.nanoseconds
    assert (worst.start, worst.data().latency) == (ns(longest.start), ns(longest.end) - ns(longest.start))
    assert worst.data().cpu == longest.cpu
    assert int(guest.tracefs.read("tracing_max_latency")) == worst.data().latency // 1000
    name = guest._guest.symbols.lookup(longest.begins).split("+")[0]
    first = next(line for line in guest.tracefs.read("trace").splitlines() if not line.startswith("#"))
    assert re.search(rf" {longest.cpu}\S+ +0us.: {re.escape(name)}( <-\S+)?$", first)


@pytest.mark.parametrize("tracer", SECTIONS)
def test_every_section_is_the_witness_s(started: Started, guest: LinuxMachine, tracer: str) -> None:
    """Where it starts and ends, and when; all of them, also those that an interrupt ends before another block."""
    guest.tracefs.write("buffer_size_kb", ENOUGH_KB)
    trace(guest, tracer, NEVER_US)
    found, count = sections(started, tracer), 0
    assert tracer == "preemptoff" or sum(section.is_cut for section in found) > 10
    for cpu in guest.board.cpus:
        events = guest.trace_array.recorder.rings[cpu.index].unread()
        told = zip(events.time.tolist(), events.entries(entries.FUNCTION)["ip"].tolist(), strict=True)
        of_cpu = sorted((section for section in found if section.cpu == cpu.index), key=lambda section: section.start)
        expected = [place for one in of_cpu for place in ((one.start, one.begins), (one.end, one.ends))]
        got = [place for place, _ in zip(told, expected, strict=False)]  # the machine stops in a section
        assert got == [(guest.board.nanoseconds(cycles), address) for cycles, address in expected]
        count += len(expected)
    assert count > 5_000


@dataclass
class Switch:
    """A moment of the scheduler's: a task is woken (by `current`, with that priority), or gets a CPU."""

    cycles: int
    cpu: int
    woken: bool
    pid: int
    prio: int
    current: int


class WakeupWitness:
    """Notes wakeups and switches where functions of the kernel begin."""

    def __init__(self, machine: LinuxMachine) -> None:
        kernel = read_kernel(machine._kernel_path)
        symbols, btf = Symbols(kernel), kernel_btf(kernel)
        self._machine, self._memory, self._btf = machine, LinuxMemory(machine.board.ram, symbols), btf
        self._areas, self._current = symbols.address("__per_cpu_offset") or 0, Structures(btf, symbols).per_cpu.current_task
        self.events: list[Switch] = []
        by_name = {"ttwu_do_activate": self._woken, "post_init_entity_util_avg": self._created, "__switch_to_asm": self._switched}
        if symbols.address("ttwu_do_wakeup"):
            by_name["ttwu_do_wakeup"] = by_name.pop("ttwu_do_activate")
        elif btf.has("task_struct.se.sched_delayed"):
            by_name["enqueue_task"] = self._enqueued
        self._handlers = {symbols.address(name): machine.board.python_handler(function) for name, function in by_name.items()}

    def __enter__(self) -> WakeupWitness:
        for place, handler in self._handlers.items():
            self._machine.board.callouts.notice(place, handler)
        return self

    def __exit__(self, *_: object) -> None:
        for place in self._handlers:
            self._machine.board.callouts.notice(place, None)

    def _member(self, task: int, name: str, size: int = 4) -> int:
        place = task + self._btf.offset(f"task_struct.{name}")
        return int.from_bytes(self._memory.read(place, size), "little", signed=True)

    def _note(self, cpu: Cpu, task: int, *, woken: bool) -> None:
        current = self._memory.word(self._memory.word(self._areas + 8 * cpu.index) + self._current)
        priorities = [self._member(one, "prio") for one in (task, current)]
        self.events.append(Switch(cpu.cycles, cpu.index, woken, self._member(task, "pid"), *priorities))

    def _woken(self, cpu: Cpu, address: int) -> None:
        self._note(cpu, cpu.registers()["rsi"], woken=True)

    def _enqueued(self, cpu: Cpu, address: int) -> None:
        """Only what went to sleep and stayed on its run queue: with ENQUEUE_DELAYED of Linux 6.12."""
        if cpu.registers()["rdx"] & 0x200:
            self._note(cpu, cpu.registers()["rsi"], woken=True)

    def _created(self, cpu: Cpu, address: int) -> None:
        self._note(cpu, cpu.registers()["rdi"], woken=True)

    def _switched(self, cpu: Cpu, address: int) -> None:
        self._note(cpu, cpu.registers()["rsi"], woken=False)


def longest_wait(events: Sequence[Switch], limit: int) -> tuple[int, int, int]:
    """The cycles of the longest wait, its start, and its pid, by Linux's rules. `limit`: of priorities."""
    best, followed = (0, 0, 0), None
    for event in events:
        if not event.woken:
            if followed is not None and event.pid == followed.pid:
                best = max(best, (event.cycles - followed.cycles, followed.cycles, followed.pid), key=lambda wait: wait[0])
                followed = None
        elif event.prio < limit and not (followed is not None and followed.prio < 0):
            precedes = event.prio < event.current and (followed is None or event.prio < followed.prio)
            if event.prio < 0 or precedes:
                followed = event
    return best


def test_the_longest_wait_is_the_witness_s(started: Started, guest: LinuxMachine) -> None:
    with WakeupWitness(guest) as witness:
        assert run(guest) == started.untraced
    assert {event.prio for event in witness.events if event.woken} >= {-1, 94, 111, 120}
    for tracer, limit in WAKEUPS.items():
        guest.restore(started.checkpoint)
        assert trace(guest, tracer) == started.untraced
        cycles, start, pid = longest_wait(witness.events, limit)
        worst, ns = guest.trace_array.max_latency, guest.board.nanoseconds
        assert cycles > 0 and (worst.start, worst.data().latency) == (ns(start), ns(start + cycles) - ns(start))
        assert worst.data().pid == pid


def test_functions_show_and_change_nothing(started: Started, guest: LinuxMachine) -> None:
    guest.tracefs.write("options/function-trace", "1")
    assert trace(guest, "irqsoff") == started.untraced
    text = guest.tracefs.read("trace")
    assert len(re.findall(r"us.: \w+ <-\w+$", text, re.MULTILINE)) > 5
    guest.restore(started.checkpoint)
    guest.tracefs.write("options/display-graph", "1")
    assert trace(guest, "wakeup_rt") == started.untraced
    assert re.search(r"us +\|  +(__)?update_load_avg\w*\(\);\n", guest.tracefs.read("trace"))


HEADER = re.compile(r"^#[^\n]*\n", re.MULTILINE)


def shape(text: str, tracer: str) -> list[str]:
    """A trace's header, without what depends on the machine."""
    lines = "".join(HEADER.findall(text)).replace(tracer, "TRACER").splitlines()
    numbers = [re.sub(r"\d+", "N", re.sub(r"(v1.1.5 on|task:|started at:|ended at: ) .*", r"\1", line)) for line in lines]
    return [line.rstrip() for line in numbers]


@pytest.mark.parametrize(("tracer", "golden"), [("irqsoff", "irqsoff-ftrace1-graph0"), ("wakeup_rt", "wakeup_rt-ftrace0-graph0")])
def test_the_text_is_linux_s(started: Started, guest: LinuxMachine, tracer: str, golden: str) -> None:
    trace(guest, tracer)
    text = guest.tracefs.read("trace")
    assert shape(text, tracer) == shape(read_golden(f"{golden}.txt"), tracer)
    body = [re.sub(r"^.{8}-\d+ +\d\S+ +\d+us.: +", "", line) for line in text.splitlines() if not line.startswith("#")]
    stacks = [number for number, line in enumerate(body) if line == "<stack trace>"]
    if tracer == "irqsoff":
        assert len(stacks) == 1 and len([line for line in body if not line.startswith(" => ")]) == 3
        return
    first, last = stacks
    assert re.fullmatch(r"\d+: *\d+:\w +\+ \[\d+\] +\d+: *(94|255):R usleep", body[first - 1])
    assert re.fullmatch(r"\d+: *\d+:\w ==> \[\d+\] +\d+: *(94|255):R usleep", body[last - 1])
    assert body[last - 2].startswith("__schedule") and body[last + 1 : last + 3] == [" => __switch_to_asm", " => __schedule"]
    assert body[first + 1].startswith(" => ttwu_do_") and body[first + 2] == " => try_to_wake_up"


def test_an_instance_a_threshold_and_a_mask(started: Started, guest: LinuxMachine) -> None:
    fs = guest.tracefs
    fs.mkdir("instances/one")
    fs.write("instances/one/tracing_cpumask", "1")
    fs.write("instances/one/options/function-trace", "0")
    fs.write("instances/one/current_tracer", "preemptoff")
    with pytest.raises(TraceError) as refused:
        fs.write("current_tracer", "irqsoff")
    assert refused.value.errno == errno.EBUSY
    fs.write("tracing_thresh", "20")
    assert run(guest) == started.untraced
    fs.write("instances/one/tracing_on", "0")
    ns = guest.board.nanoseconds
    of_cpu = [one for one in sections(started, "preemptoff") if one.cpu == 0 and ns(one.end) - ns(one.start) >= 20_000]
    worst = guest.trace_array.instances["one"].max_latency
    assert (worst.start, worst.data().cpu) == (ns(of_cpu[-1].start), 0)
    assert fs.read("instances/one/options/latency-format") == "1\n" and fs.read("options/latency-format") == "0\n"


def test_going_back_in_time_ends_what_has_begun(started: Started, guest: LinuxMachine) -> None:
    for tracer in ("preemptirqsoff", "wakeup"):
        trace(guest, tracer)
        guest.tracefs.write("tracing_on", "1")
        guest.run("true")
        guest.restore(started.checkpoint)
        guest.tracefs.write("tracing_max_latency", "0")
        guest.run("true")
        assert 0 <= int(guest.tracefs.read("tracing_max_latency")) < 10_000


def test_a_kernel_without_a_function_of_the_scheduler(
    kept_machines: Path, real_kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lacking(Wakers):
        def __init__(self, symbols: Symbols, btf: Btf) -> None:
            super().__init__(symbols, btf)
            self.missing = "set_task_cpu"

    monkeypatch.setattr(tracing, "Wakers", Lacking)
    with LinuxMachine(kernel=real_kernel) as machine:
        assert machine.tracefs.read("available_tracers").split() == [
            "function_graph", "preemptirqsoff", "preemptoff", "irqsoff", "function", "nop",
        ]  # fmt: skip
        assert machine.warnings == ["the kernel has no function set_task_cpu: there are no tracers of wakeups"]
