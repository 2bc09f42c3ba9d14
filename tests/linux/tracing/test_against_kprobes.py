# SPDX-License-Identifier: GPL-2.0-only
"""Linux's own kprobes and the host's, with the same definitions, record the same run of the same machine: with the same values.

What differs has a reason: inside, `%ip` is behind the breakpoint, and a return probe replaces return addresses on the stack. The
host's probes are at instructions at which the guest has breakpoints. There is no symstr here: inside, it writes a zero to
KSYM_NAME_LEN - 1 bytes behind its place in the ring buffer, where other events are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.ftrace.errors import TraceError
from emu.linux.find import kernels
from emu.linux.machine import LinuxMachine
from tests.lib.linux_kernel import machines_kept_in

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

INSIDE = "/sys/kernel/tracing"
NAMES = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", *(f"r{number}" for number in range(8, 16)), "flags")
ALL = " ".join(f"{name}=%{name}" for name in NAMES)
ALL += " cs=%cs:u16 ss=%ss:u16"  # the rest of the words is not always stored
DEFINITIONS = (
    "p:ent vfs_read a=$arg1 c=$arg3:u64 di=%di sp=%sp fl=%flags st=$stack2 cm=$comm no=+0(+8(\\0)):string",
    "r:ret vfs_read v=$retval:s64 sp=%sp",
    "p:op do_sys_openat2 f=+0($arg2):ustring dfd=$arg1:s32 x=+0($arg2):x8[4] j=@jiffies_64:u64 b=$arg1:b4@2/16",
    "p:sy path_openat to=$stack0:symbol",
    "r:gn getname_flags n=+0(+0($retval)):string both=+0(+0($retval)):string",
    "r:fd do_sys_openat2 fd=$retval:s32",
)
RUN = "head -c 5 /proc/uptime; cat /etc/passwd; ls / | wc -l; cat /nosuch; sh -c 'echo $$ > /tmp/f; cat /tmp/f'"
LINE = re.compile(r"^ *(?P<comm>.{1,16})-(?P<pid>\d+) +\[(?P<cpu>\d+)\] \S+ +[\d.]+: (?P<what>.*)$")


def versions() -> list[object]:
    """All that are here."""
    long = pytest.mark.long("each kernel boots")
    return [pytest.param(kernel.path, id=kernel.version, marks=long) for kernel in kernels()]


@pytest.fixture
def machine(request: pytest.FixtureRequest, machines_folder: Path) -> Iterator[LinuxMachine]:
    """A machine of its own: the guest's kprobes stay."""
    with machines_kept_in(machines_folder), LinuxMachine(kernel=request.param) as machine:
        yield machine
        assert machine.warnings == []


def inside(machine: LinuxMachine, command: str) -> str:
    done = machine.run(command)
    assert done.status == 0, (command, done, machine.run(f"cat {INSIDE}/error_log").output.decode())
    return done.output.decode()


def middles(machine: LinuxMachine) -> list[str]:
    """Definitions of probes in the midst of functions that the command calls."""
    found = []
    for function in ("vfs_read", "ksys_read", "do_sys_openat2", "path_openat", "vfs_write", "getname_flags"):
        for offset in range(12, 120, 9):
            line = f"p:i_{function}_{offset} {function}+{offset} {ALL}"
            try:
                machine.tracefs.append("kprobe_events", line + "\n")
            except TraceError:
                continue
            done = machine.run(f"echo '{line}' >> {INSIDE}/kprobe_events")
            if done.status == 0:
                found.append(line)
            else:  # Linux changes the instruction itself, for its static keys or for a call
                machine.tracefs.append("kprobe_events", f"-:i_{function}_{offset}\n")
    return found


def recorded(text: str) -> dict[int, list[str]]:
    """The events of each task, by its pid."""
    tasks: dict[int, list[str]] = {}
    for found in map(LINE.match, text.splitlines()):
        if found and found["comm"].strip() != "init":
            tasks.setdefault(int(found["pid"]), []).append(f"{found['comm']} {found['cpu']} {found['what']}")
    return tasks


@pytest.mark.parametrize("machine", versions(), indirect=True)
def test_values_are_the_same(machine: LinuxMachine) -> None:
    fs = machine.tracefs
    fs.write("tracing_on", "0")
    for line in DEFINITIONS:
        inside(machine, f"echo '{line}' >> {INSIDE}/kprobe_events")
        fs.append("kprobe_events", line + "\n")
    between = middles(machine)
    assert len(between) > 12
    inside(machine, f"echo 0 > {INSIDE}/tracing_on; echo 1 > {INSIDE}/events/kprobes/enable")
    inside(machine, "sleep 0.2")  # the guest turns breakpoints into jumps
    fs.write("events/kprobes/enable", "1")
    inside(machine, f"echo > {INSIDE}/trace; echo 8192 > {INSIDE}/buffer_size_kb; echo 1 > {INSIDE}/tracing_on")
    fs.write("tracing_on", "1")
    machine.run(RUN)
    fs.write("tracing_on", "0")
    inside(machine, f"echo 0 > {INSIDE}/tracing_on")
    theirs, ours = recorded(inside(machine, f"cat {INSIDE}/trace")), recorded(fs.read("trace"))
    assert len(ours) > 5
    for pid, events in ours.items():
        for their, our in zip(theirs[pid], events, strict=False):
            assert their == our
        assert len(theirs[pid]) >= len(events)
    names = {event.split()[2].rstrip(":") for events in ours.values() for event in events}
    assert {"ent", "ret", "op", "sy", "gn", "fd"} <= names and len(names) > 15
