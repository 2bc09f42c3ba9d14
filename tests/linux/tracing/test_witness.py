# SPDX-License-Identifier: GPL-2.0-only
"""What is recorded of a Linux is what an independent witness of all blocks has seen: each call, in order, and its nesting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from emu.cpu.cpu import Cpu
from emu.ftrace.buffers import entries
from emu.linux.machine import LinuxMachine
from tests.lib.graph_calls import outside_entries
from tests.lib.linux_witness import LinuxWitness, calls_in

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

# Processes that end by themselves, by a signal, within a system call; vfork, exec, pipes, threads of the kernel, a timer
LIVES = "sleep 9 & p=$!; trap 'echo got' USR1; kill -USR1 $$; kill -SEGV $p; wait; uname | cat; sh -c 'kill -9 $$'; usleep 3000"

Row = tuple[str, int, int, int]


class Functions:
    """The machine's functions: the places by which the trace names them, by where they begin, and their names."""

    def __init__(self, machine: LinuxMachine) -> None:
        functions = machine._tracing.functions
        self.places = dict(zip(functions.begins.tolist(), functions.addresses.tolist(), strict=True))
        self.names = dict(zip(functions.begins.tolist(), functions.functions.names, strict=True))


@pytest.fixture(scope="module")
def witness(started: tuple[LinuxMachine, object]) -> Iterator[LinuxWitness]:
    machine, _ = started
    witness = LinuxWitness(machine, Functions(machine).places, returns=True)
    yield witness
    witness.close()


@pytest.fixture
def watched(traced: LinuxMachine, witness: LinuxWitness) -> Iterator[LinuxMachine]:
    witness.clear()
    yield traced
    witness.on = False


def run(machine: LinuxMachine, witness: LinuxWitness, tracer: str, command: str) -> None:
    fs = machine.tracefs
    fs.write("current_tracer", tracer)
    fs.write("tracing_on", "1")
    witness.on = True
    machine.run(command)
    witness.on = False
    fs.write("tracing_on", "0")


def graph_of(machine: LinuxMachine, cpu: int) -> list[Row]:
    """(kind, function, depth, pid) of each event."""
    events = machine.trace_array.recorder.rings[cpu].unread()
    found, _ = outside_entries(events)
    is_exit = found["type"] == entries.EventType.FUNCGRAPH_EXIT
    columns = (column.tolist() for column in (is_exit, found["func"], found["depth"], found["pid"]))
    return [("exit" if left else "entry", function, depth, pid) for left, function, depth, pid in zip(*columns, strict=True)]


def check_graph(machine: LinuxMachine, witness: LinuxWitness) -> tuple[int, Counter[str]]:
    """Compares. Returns the number of events, and the functions that were left."""
    functions = Functions(machine)
    logs = [witness.rows(cpu.index) for cpu in machine.board.cpus]
    last = next(begin for begin, name in functions.names.items() if name == "do_task_dead")
    events, left = calls_in(logs, functions.places, last)
    for cpu, seen in enumerate(events):
        expected = [(event.kind, functions.places[event.function], event.depth, event.pid) for event in seen]
        assert graph_of(machine, cpu) == expected
    return sum(map(len, events)), Counter(functions.names[function] for function in left)


def test_calls_nest_as_the_stack_pointers_say(watched: LinuxMachine, witness: LinuxWitness) -> None:
    """Tasks of all kinds, interrupts, page faults; and NMIs, wherever they come."""
    board, symbols, calls = watched.board, watched._guest.symbols, 0

    def disturb(cpu: Cpu, address: int) -> None:
        nonlocal calls
        calls += 1
        if calls % 40 == 0:
            cpu.raise_nmi()

    handler = board.python_handler(disturb)
    places = [symbols.address(name) for name in ("_raw_spin_lock", "kmem_cache_free", "handle_mm_fault", "irqtime_account_irq")]
    for place in filter(None, places):
        board.callouts.notice(place, handler)
    run(watched, witness, "function_graph", LIVES)
    for place in filter(None, places):
        board.callouts.notice(place, None)
    events, left = check_graph(watched, witness)
    assert events > 200_000 and calls > 1000
    assert left == {} and watched._tracing.calls.left == 0  # those of a task that has ended are none


def test_each_call_is_an_event_of_its_task(watched: LinuxMachine, witness: LinuxWitness) -> None:
    run(watched, witness, "function", LIVES)
    functions = Functions(watched)
    counts: Counter[str] = Counter()
    for cpu in watched.board.cpus:
        rows, events = witness.rows(cpu.index), watched.trace_array.recorder.rings[cpu.index].unread()
        rows = rows[[address in functions.places for address in rows["address"].tolist()]]
        found = events.entries(entries.FUNCTION)
        assert found["ip"].tolist() == [functions.places[address] for address in rows["address"].tolist()]
        assert (found["parent_ip"] == rows["returns_to"]).all() and (found["pid"] == rows["pid"]).all()
        assert (events.time.astype(int)[1:] >= events.time.astype(int)[:-1]).all()
        counts.update(functions.names[address] for address in rows["address"].tolist())
    assert counts["_raw_spin_lock"] > 1000 and sum(counts.values()) > 100_000
