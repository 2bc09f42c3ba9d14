# SPDX-License-Identifier: GPL-2.0-only
"""hardware:sample: what a sample represents, its address, and the error for counters that cannot be sampled."""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pytest

from emu.cpu.native.timing import record
from emu.ftrace.errors import TraceError
from emu.ftrace.tracers.hardware_events import SAMPLEABLE
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

EVENT = "events/hardware/sample"
COMMAND = "ls /bin | wc"
LINE = re.compile(
    r"^ +(?P<task>\S+)-\d+ +\[(?P<cpu>\d+)\] \S+ +[\d.]+: sample: "
    r"event=(?P<event>\S+) ip=(?P<ip>[^+ ]+)\S* period=(?P<period>\d+)$",
    re.MULTILINE,
)


class Sample(NamedTuple):
    """A line of the trace."""

    cpu: int
    event: str
    function: str
    period: int


@pytest.fixture
def counting() -> Iterator[Machine]:
    with booted_machine("x86_64", cpus=2, timing="caches") as machine:
        machine.tracefs.write("buffer_size_kb", "16384")
        yield machine


def samples(machine: Machine) -> Sequence[Sample]:
    found = LINE.finditer(machine.tracefs.read("trace"))
    return [Sample(int(line["cpu"]), line["event"], line["ip"], int(line["period"])) for line in found]


def counts(machine: Machine) -> Sequence[Mapping[str, int]]:
    assert machine.board.timing is not None
    return [dict(machine.board.timing.counts(index)) for index in range(2)]


def run_sampled(machine: Machine, command: str = COMMAND) -> Mapping[tuple[int, str], int]:
    """Runs a command while the event is enabled. Returns the counts of each CPU meanwhile."""
    machine.tracefs.write(f"{EVENT}/enable", "1")
    before = counts(machine)
    machine.run(command)
    after = counts(machine)
    machine.tracefs.write(f"{EVENT}/enable", "0")
    return {(cpu, name): after[cpu][name] - before[cpu][name] for cpu in range(2) for name in after[cpu]}


def refused(machine: Machine, text: str) -> int:
    with pytest.raises(TraceError) as error:
        machine.tracefs.append("hardware_events", text)
    return error.value.code


def test_all_samples_together_stand_for_what_was_counted(counting: Machine) -> None:
    """Samples each event, of every counter that can be sampled."""
    counting.tracefs.write("hardware_events", "\n".join(f"{name}:1" for name in SAMPLEABLE))
    counted = run_sampled(counting)
    told: Counter[tuple[int, str]] = Counter()
    for sample in samples(counting):
        told[sample.cpu, sample.event] += sample.period
    assert told == Counter({key: count for key, count in counted.items() if key[1] in SAMPLEABLE and count})
    assert {name for _, name in told} > {"L1-dcache-load-misses", "branch-misses", "coherence-transfers", "traps"}


def test_there_is_a_sample_every_so_many_events_on_each_cpu(counting: Machine) -> None:
    counting.tracefs.write("hardware_events", "L1-dcache-load-misses:100")
    counting.tracefs.append("hardware_events", "branch-misses 70")
    assert counting.tracefs.read("hardware_events") == "L1-dcache-load-misses 100\nbranch-misses 70\n"
    counted = run_sampled(counting)
    found = samples(counting)
    assert {sample.cpu for sample in found} == {0, 1}
    for name, period in (("L1-dcache-load-misses", 100), ("branch-misses", 70)):
        for cpu in range(2):
            periods = [sample.period for sample in found if (sample.cpu, sample.event) == (cpu, name)]
            assert periods == [period] * (counted[cpu, name] // period)


def test_recording_takes_no_time(counting: Machine) -> None:
    begun = counting.checkpoint()
    counting.run(COMMAND)
    alone = counts(counting), [cpu.cycles for cpu in counting.cpus]
    counting.restore(begun)
    counting.tracefs.write("hardware_events", "L1-dcache-load-misses:1")
    run_sampled(counting)
    assert len(samples(counting)) > 1000
    assert (counts(counting), [cpu.cycles for cpu in counting.cpus]) == alone


def test_where_it_is_is_what_copies(counting: Machine) -> None:
    """Half a megabyte goes through a buffer larger than any L1."""
    counting.tracefs.write("hardware_events", "L1-dcache-load-misses:20")
    run_sampled(counting, "dd if=/dev/zero of=/dev/ram0 bs=64k count=8")
    (function, hits), *_ = Counter(sample.function for sample in samples(counting)).most_common()
    assert function in ("copy_user_generic", "memcpy", "copy_page")
    assert hits > 100


def test_a_stack_begins_at_the_block(counting: Machine) -> None:
    counting.tracefs.write("hardware_events", "L1-dcache-load-misses:50")
    counting.tracefs.write("options/stacktrace", "1")
    run_sampled(counting)
    text = counting.tracefs.read("trace")
    stacks = re.findall(r"ip=([^+\n ]+)\+\S+ period=50\n.*<stack trace>\n((?: => .*\n)+)", text)
    assert len(stacks) > 20
    assert all(stack.startswith(f" => {function}\n") for function, stack in stacks)
    assert any(stack.endswith(" => do_syscall_64\n => entry_SYSCALL_64\n") for _, stack in stacks)


def test_a_filter_and_a_histogram(counting: Machine) -> None:
    counting.tracefs.write("hardware_events", "L1-dcache-load-misses:50\ntraps:1")
    counting.tracefs.write(f"{EVENT}/filter", 'event == "traps"')
    counting.tracefs.write(f"{EVENT}/trigger", "hist:keys=ip.sym,event:vals=period:sort=hitcount.descending")
    counted = run_sampled(counting)
    assert {sample.event for sample in samples(counting)} == {"traps"}
    rows = re.findall(
        r"ip: \[\w+\] (\S+) +, event: (\S+) +\} hitcount: +(\d+)  period: +(\d+)", counting.tracefs.read(f"{EVENT}/hist")
    )
    told: Counter[str] = Counter()
    for _, event, hits, period in rows:
        assert int(period) == int(hits) * (1 if event == "traps" else 50)
        told[event] += int(period)
    assert told["traps"] == counted[0, "traps"] + counted[1, "traps"]
    assert told["L1-dcache-load-misses"] == sum(counted[cpu, "L1-dcache-load-misses"] // 50 * 50 for cpu in range(2))
    assert [int(hits) for _, _, hits, _ in rows] == sorted((int(hits) for _, _, hits, _ in rows), reverse=True)


def test_an_instance_has_it_too(counting: Machine) -> None:
    counting.tracefs.mkdir("instances/other")
    counting.tracefs.write("hardware_events", "traps:1")
    counting.tracefs.write(f"instances/other/{EVENT}/enable", "1")
    counting.run("true")
    counting.tracefs.write(f"instances/other/{EVENT}/enable", "0")
    assert LINE.search(counting.tracefs.read("instances/other/trace"))
    assert not samples(counting)
    counting.tracefs.rmdir("instances/other")


def test_what_is_taken_back_is_sampled_no_longer(counting: Machine) -> None:
    write, append, read = counting.tracefs.write, counting.tracefs.append, counting.tracefs.read
    write("hardware_events", "traps:1\nl2-misses:10\nbtb-misses:5\nbranch-misses:7")
    append("hardware_events", "!traps\n-:l2-misses\nbtb-misses:0  # no longer")
    assert read("hardware_events") == "branch-misses 7\n"
    run_sampled(counting)
    assert {sample.event for sample in samples(counting)} == {"branch-misses"}
    write("hardware_events", "")
    write("trace", "")
    run_sampled(counting)
    assert read("hardware_events") == ""
    assert not samples(counting)


def test_what_cannot_be_sampled_is_refused(counting: Machine) -> None:
    counting.tracefs.write("hardware_events", "traps:3")
    assert refused(counting, "L1-dcache-lod-misses:10") == errno.EINVAL
    assert refused(counting, "branches:10") == errno.ENODEV
    assert refused(counting, "branch-misses:often") == errno.EINVAL
    assert refused(counting, "!branch-misses") == errno.ENOENT
    assert counting.tracefs.read("hardware_events") == "traps 3\n"
    log = re.sub(r"\[ *[\d.]+\]", "[]", counting.tracefs.read("error_log"))
    assert log == (
        "[] hardware_events: error: Unknown counter\n  Command: L1-dcache-lod-misses:10\n           ^\n"
        "[] hardware_events: error: Counter cannot be sampled\n  Command: branches:10\n           ^\n"
        "[] hardware_events: error: Invalid period\n  Command: branch-misses:often\n                         ^\n"
        "[] hardware_events: error: Counter is not sampled\n  Command: !branch-misses\n            ^\n"
    )
    assert set(record.COUNTERS) > SAMPLEABLE
    counting.tracefs.write("error_log", "")


def test_pipelines_alone_have_no_misses_of_data() -> None:
    with booted_machine("x86_64", cpus=1, timing="pipeline") as machine:
        assert refused(machine, "L1-dcache-load-misses:10") == errno.ENODEV
        machine.tracefs.write("hardware_events", "branch-misses:10")
        machine.tracefs.write(f"{EVENT}/enable", "1")
        machine.run("true")
        assert {sample.event for sample in samples(machine)} == {"branch-misses"}


def test_static_has_no_such_event(arch: str) -> None:
    with booted_machine(arch, cpus=1, timing="static") as machine:
        assert not machine.tracefs.exists("hardware_events")
        assert not machine.tracefs.exists("events/hardware")
        assert refused(machine, "traps:1") == errno.ENOENT
        with pytest.raises(TraceError, match="there is no event 'hardware:sample'"):
            machine.tracefs.write("set_event", "hardware:sample")
