# SPDX-License-Identifier: GPL-2.0-only
"""The arguments of tracepoints from outside, beside what kprobes inside see where the kernel calls the tracepoints' functions.

Two instances inside have each event on. So a tracepoint has two functions, and the kernel calls its iterator, where a probe is.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from emu.ftrace.btf import Btf
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from tests.lib.events_on_both_sides import TextEvent, compare, events_of, kernel_of
from tests.linux.test_events_inside import LONG

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

TRACING = "/sys/kernel/tracing"
INSIDE = ("%si", "%dx", "%cx", "%r8", "%r9")  # behind the functions' data
MOST = 200
REACHED = 60  # at least
# Those that the command reaches. Tracing inside itself does what some others tell of, such as rcu and ftrace.
SYSTEMS = (
    "exceptions", "filelock", "filemap", "initcall", "ipi", "irq", "irq_vectors", "kmem", "maple_tree", "mmap", "mmap_lock",
    "pagemap", "power", "printk", "raw_syscalls", "sched", "signal", "task", "timer", "vmalloc", "workqueue", "writeback",
)  # fmt: skip


def chosen(guest: LinuxMachine, fs: TraceFS, btf: Btf, seed: int) -> Iterator[tuple[str, str, int]]:
    """Tracepoints that the command reaches, in random order: the system and the name of an event, and how many arguments are
    compared."""
    done = guest.run(f"mount -t tracefs t {TRACING} 2>/dev/null; grep ^__traceiter_ {TRACING}/available_filter_functions")
    iterators = set(done.output.decode().split())
    found = [line.split(":") for line in fs.read("available_events").split()]
    happen = reached(guest, fs)
    found = [event for event in found if event[1] in happen]
    random.Random(seed).shuffle(found)
    for system, name in found:
        prototype = btf.prototype(f"btf_trace_{name}")
        if f"__traceiter_{name}" in iterators and prototype is not None:
            yield system, name, min(len(prototype.parameters) - 1, len(INSIDE))


def reached(guest: LinuxMachine, fs: TraceFS) -> frozenset[str]:
    """The names of events that happen while the command runs."""
    before = guest.checkpoint()
    available = {line.partition(":")[0] for line in fs.read("available_events").split()}
    for system in [system for system in SYSTEMS if system in available]:
        fs.append("set_event", system)
    fs.write("tracing_on", "1")
    guest.run(LONG)
    fs.write("tracing_on", "0")
    fs.write("set_event", "")
    found = frozenset(event.text.partition(":")[0] for event in events_of(fs.read("trace")))
    guest.restore(before)
    fs.write("trace", "")
    return found


def put_outside(fs: TraceFS, name: str, count: int) -> bool:
    """Whether a tracepoint can be seen from outside. Then it is."""
    arguments = "".join(f" a{n}=$arg{n + 1}:x64" for n in range(count))
    fs.append("dynamic_events", f"t:n_{name} {name}{arguments}")
    try:
        fs.write(f"events/tracepoints/n_{name}/enable", "1")
    except TraceError as error:
        assert "cannot be seen from outside" in error.why, error.why
        return False
    return True


def put_inside(guest: LinuxMachine, tracepoints: Sequence[tuple[str, str, int]]) -> None:
    lines = [f"cd {TRACING}", "echo 0 > tracing_on", "echo x86-tsc > trace_clock", "echo 20000 > buffer_size_kb"]
    lines += [f"mkdir instances/{name} && echo 0 > instances/{name}/tracing_on" for name in "ab"]
    for system, name, count in tracepoints:
        arguments = "".join(f" a{n}={register}:x64" for n, register in enumerate(INSIDE[:count]))
        lines.append(f"echo 'p:n_{name} __traceiter_{name}{arguments}' >> kprobe_events")
        lines += [f"echo 1 > instances/{instance}/events/{system}/{name}/enable" for instance in "ab"]
    done = guest.run("sh", stdin="\n".join([*lines, "echo 1 > events/kprobes/enable", ""]).encode())
    assert (done.status, done.errors) == (0, b""), done


def what(event: TextEvent) -> tuple[int, str, str]:
    """The task, the tracepoint, and its arguments."""
    name, _, rest = event.text.partition(": ")
    return event.pid, name, rest.partition(") ")[2]


@pytest.mark.long("probes at hundreds of tracepoints inside")
@pytest.mark.parametrize("version", ["6.1.", "6.12."])
@pytest.mark.parametrize("seed", [1, 2])
def test_arguments_are_those_that_the_kernel_passes(version: str, seed: int) -> None:
    kernel = kernel_of(version).path
    with LinuxMachine(kernel=kernel, warn=lambda text: None) as machine:
        fs = machine.tracefs
        fs.write("tracing_on", "0")
        fs.write("trace_clock", "x86-tsc")
        fs.write("buffer_size_kb", "20000")
        all_of_them = chosen(machine, fs, kernel_btf(read_kernel(kernel)), seed)
        tracepoints: list[tuple[str, str, int]] = []
        for system, name, count in all_of_them:
            if len(tracepoints) < MOST and put_outside(fs, name, count):
                tracepoints.append((system, name, count))
        put_inside(machine, tracepoints)
        fs.write("tracing_on", "1")
        done = machine.run(f"cd {TRACING}; echo 1 > tracing_on; {{ {LONG}; }} > /dev/null 2>&1; echo 0 > tracing_on")
        fs.write("tracing_on", "0")
        assert done.status == 0
        inside = events_of(machine.run(f"cat {TRACING}/trace").output.decode())
        profile = machine.run(f"cat {TRACING}/kprobe_profile").output.decode().split()
        outside = events_of(fs.read("trace"))
    missed = Counter({name: int(count) for name, count in zip(profile[::3], profile[2::3], strict=True) if int(count)})
    found = compare(inside, outside, what)
    late = 100_000
    left = list(found.outside_only)
    for event in found.inside_only:  # an interrupt has come between the tracepoint and the call of its functions
        same = next((other for other in left if what(other) == what(event) and abs(other.time - event.time) < late), None)
        assert same is not None, event
        left.remove(same)
    lost = Counter(what(event)[1] for event in left)  # inside, a probe that is hit while another one is handled is only counted
    assert not lost - missed, (lost, missed)
    assert lost.total() < found.same // 20
    assert len(found.names) >= REACHED, sorted(found.names)
