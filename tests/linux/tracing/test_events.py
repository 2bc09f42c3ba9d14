# SPDX-License-Identifier: GPL-2.0-only
"""The events of a Linux guest: the host's tree has those of the guest's own, with the same numbers, fields and texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from emu.ftrace.event.call import EventCall
from emu.linux.machine import LinuxMachine
from emu.linux.tracing.events.reader import image_table
from tests.lib.linux_kernel import insert, machines_kept_in
from tests.lib.trace_dat import linux_formats

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

TRACING = "/sys/kernel/tracing"
SYSTEMS = "sched irq raw_syscalls kmem tcp vsyscall xen"  # with everything that formats have
MODULE = "watchdog"  # has events


def formats_inside(machine: LinuxMachine, systems: str) -> Mapping[str, str]:
    """The guest's own, by SYSTEM/NAME."""
    done = machine.run(f"cd {TRACING}/events && for s in {systems}; do grep -H '' $s/*/format; done")
    found: defaultdict[str, str] = defaultdict(str)
    for line in done.output.decode().splitlines(keepends=True):
        path, _, text = line.partition("/format:")
        found[path] += text
    return {path: text for path, text in found.items() if not path.startswith("ftrace/")}


@pytest.mark.parametrize("systems", [SYSTEMS, pytest.param("*", marks=pytest.mark.long("reads 1,500 files in the guest"))])
def test_formats_are_the_guests(shared: LinuxMachine, systems: str) -> None:
    fs, inside = shared.tracefs, formats_inside(shared, systems)
    assert len(inside) > 80
    assert {path: text for path, text in inside.items() if fs.read(f"events/{path}/format") != text} == {}


def test_the_lists_are_the_guests(shared: LinuxMachine) -> None:
    fs = shared.tracefs
    assert fs.read("available_events") == shared.run(f"cat {TRACING}/available_events").output.decode()
    folders = shared.run(f"cd {TRACING}/events && ls -d */").output.decode().replace("/", "").split()
    assert sorted(name for name in fs.listdir("events") if fs.exists(f"events/{name}/enable")) == sorted({*folders} - {"ftrace"})


def test_formats_are_those_of_another_kernel(shared: LinuxMachine) -> None:
    """Of the same version. Only the events' numbers differ, and two print fmts: the kernels were configured differently."""
    fs, same, different = shared.tracefs, 0, set()
    if not shared._tracing.kernel.release.startswith("6.1."):
        pytest.skip("the other kernel is a Linux 6.1")
    for system, texts in linux_formats().items():
        for text in texts if system != "ftrace" else ():
            path = f"events/{system}/{text.split()[1]}/format"
            if not fs.exists(path):
                continue
            ours, theirs = (re.sub(r"^ID: \d+$", "", one, flags=re.MULTILINE).rstrip("\n") for one in (fs.read(path), text))
            same += ours == theirs
            if ours != theirs:
                different.add(path.split("/")[2])
    assert different == {"kmalloc", "mm_page_alloc_extfrag"} and same > 1_000


def facts(events: Mapping[int, EventCall]) -> dict[str, object]:
    return {call.path: (call.number, call.print_fmt, call.size, tuple(call.fields)) for call in events.values()}


@pytest.mark.long("boots afresh")
def test_before_the_boot_they_are_as_after_it(shared: LinuxMachine, real_kernel: Path, kept_machines: Path) -> None:
    """The kernel gives its events their numbers, and replaces names in print fmts, while it boots."""
    found: list[dict[str, object]] = []
    with LinuxMachine(kernel=real_kernel, fresh=True, prepare=lambda m: found.append(facts(m.trace_array.globals.events))):
        assert found == [facts(shared.trace_array.globals.events)]


def test_events_of_modules_come_and_go(machine: LinuxMachine, real_kernel: Path) -> None:
    """Their numbers are those that the guest gives them."""
    fs = machine.tracefs
    assert len(machine.trace_array.globals.events) > 1_000
    insert(machine, real_kernel, MODULE)
    inside = formats_inside(machine, MODULE)
    assert len(inside) > 2 and {path: fs.read(f"events/{path}/format") for path in inside} == inside
    first, *_ = inside
    fs.write(f"events/{first}/filter", "err == 0")
    machine.run(f"rmmod {MODULE}")
    assert not fs.exists(f"events/{MODULE}")
    assert fs.read("available_events") == machine.run(f"cat {TRACING}/available_events").output.decode()
    insert(machine, real_kernel, MODULE)
    assert fs.read(f"events/{first}/filter") == "none\n"
    assert {path: fs.read(f"events/{path}/format") for path in inside} == formats_inside(machine, MODULE)


def test_a_kept_machine_may_have_modules(machine: LinuxMachine, real_kernel: Path, tmp_path: Path) -> None:
    insert(machine, real_kernel, MODULE)
    inside = formats_inside(machine, MODULE)
    machine.save(tmp_path / "machine")
    with machines_kept_in(tmp_path), LinuxMachine.load(tmp_path / "machine") as loaded:
        assert {path: loaded.tracefs.read(f"events/{path}/format") for path in inside} == inside


def test_functions_alone_do_not_read_them(real_kernel: Path, kept_machines: Path) -> None:
    with LinuxMachine(kernel=real_kernel) as machine:
        fs = machine.tracefs
        fs.write("set_ftrace_filter", "vfs_read")
        fs.write("current_tracer", "function")
        fs.write("tracing_on", "1")
        machine.run("cat /proc/version")
        assert "vfs_read <-" in fs.read("trace")
        assert not machine.trace_array.globals.events._is_read


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long("one shows most")) for seed in range(2, 30))])
def test_damaged_events_are_told(real_kernel: Path, machines_folder: Path, seed: int) -> None:
    """A guest that has overwritten some of them is told of in a line. What comes before the damage is there."""
    random = Random(seed)
    with machines_kept_in(machines_folder), LinuxMachine(kernel=real_kernel) as machine:
        memory, catalogue = machine._tracing.kernel.memory, machine.trace_array.globals.events
        calls = image_table(machine._kernel, machine._guest.symbols, "ftrace_events")
        for address in random.sample(calls, 3):
            place = memory.host_address(address + random.randrange(0, 100, 8)) - machine.board.ram_address
            machine.board.ram[place : place + 8] = random.choice([bytes(8), b"\xff" * 8, random.randbytes(8), b"\x01" + bytes(7)])
        assert len(catalogue) >= 18 and len(machine.warnings) <= 2
        assert all(re.match("the (guest's events|kernel's system calls) cannot be read: ", said) for said in machine.warnings)
        for path in machine.tracefs.read("available_events").split():
            machine.tracefs.read(f"events/{path.replace(':', '/')}/format")


# What is refused


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("sched:sched_swtch", "there is no event 'sched:sched_swtch'; did you mean sched:sched_switch?"),
        ("drm", "there is no event 'drm'"),
        ("printk:console2", "there is no event 'printk:console2'; did you mean printk:console?"),
    ],
)
def test_an_event_that_does_not_exist(shared: LinuxMachine, word: str, why: str) -> None:
    with pytest.raises(OSError) as refused:
        shared.tracefs.write("set_event", word)
    assert str(refused.value) == f"set_event: {why} (EINVAL)"


def test_a_file_that_does_not_exist(shared: LinuxMachine) -> None:
    for path, why in (("events/drm/enable", "there is no 'drm' here"), ("events/irq/nosuch/format", "there is no 'nosuch' here")):
        with pytest.raises(OSError, match=why):
            shared.tracefs.read(path)
