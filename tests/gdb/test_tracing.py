# SPDX-License-Identifier: GPL-2.0-only
"""gdb on a kernel that is being traced and patched."""

from __future__ import annotations

import re

from emu.ftrace import arch as ftrace_arch
from emu.machine import Machine
from tests.gdb.test_gdb import gdb
from tests.lib.booted_machine import booted_machine
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")


def names(backtrace: str) -> list[str]:
    """The kernel's functions of a backtrace, innermost first."""
    return re.findall(r"^#\d+ .* in (\w+) \(", backtrace, re.MULTILINE)


def callers(machine: Machine) -> list[str]:
    """What emu itself says of the CPU that stands in the kernel."""
    (cpu,) = (cpu for cpu in machine.board.cpus if not cpu.halted)
    addresses = machine.kernel.reports._chain(cpu, 0)
    return [machine.kernel.symbols.describe(address).split("+")[0] for address in addresses]


def test_a_breakpoint_of_one_cpu(arch: str) -> None:
    """Only the CPU whose thread it names stops at it."""
    command = "for i in 1 2 3 4; do cat /proc/version & done; wait"
    with booted_machine(arch) as machine:
        said = gdb(machine, "break vfs_read thread 2", "continue", "continue", "monitor when", command=command)
    assert re.findall(r'Thread (\d) "CPU \d" hit Breakpoint 1', said) == ["2", "2"]
    assert "CPU 1, branch" in said


def test_callers_behind_replaced_return_addresses(arch: str) -> None:
    """function_graph has made calls return to its trampoline: the callers are those that it has replaced."""
    with booted_machine(arch) as machine:
        machine.tracefs.write("current_tracer", "function_graph")
        said = gdb(
            machine, "break vfs_read", "continue", "delete", "break rw_verify_area", "continue", "bt", "finish", r"echo ==\n",
            "bt 3",
        )  # fmt: skip
        known = callers(machine)
    inner, outer = (names(text) for text in said.split("=="))
    assert inner[:5] == ["rw_verify_area", "vfs_read", "return_to_handler", "ksys_read", "return_to_handler"]
    assert inner.count("return_to_handler") == 3 and inner[5] == "sys_read"
    assert outer == ["vfs_read", "return_to_handler", "ksys_read"]
    assert known[:3] == ["vfs_read", "ksys_read", "sys_read"]


def test_callers_behind_a_return_probe(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.tracefs.write("kprobe_events", "r:reads vfs_read")
        machine.tracefs.write("events/kprobes/reads/enable", "1")
        said = gdb(machine, "break vfs_read", "continue", "delete", "break rw_verify_area", "continue", "bt")
    assert names(said)[:4] == ["rw_verify_area", "vfs_read", "arch_rethook_trampoline", "ksys_read"]


def test_each_write_to_a_call_site(arch: str) -> None:
    """A protocol's writes, one by one, forward and backward."""
    command = "echo function > /sys/kernel/tracing/current_tracer; cat /proc/version"
    size = len(ftrace_arch.load(arch).nop)
    with booted_machine(arch) as machine:
        before = machine.kernel.memory.read(site := machine.site("vfs_read").address, size)
        show = f"x/{size}xb {site:#x}"
        writes = 3 if ftrace_arch.load(arch).breakpoint is not None else 1
        forward = ["continue", show] * writes
        back = ["reverse-continue", show] * writes
        said = gdb(machine, f"watch *(char(*)[{size}]){site:#x}", *forward, "continue", show, *back, command=command)
        behind = machine.site("vfs_read").code
    assert said.count("The host has written at") == 2 * writes
    shown = [bytes(int(byte, 16) for byte in line.split()) for line in re.findall(r":((?:\s+0x\w\w)+)$", said, re.MULTILINE)]
    states = [before, *shown[:writes]]
    assert len({*states}) == writes + 1
    assert shown[writes:] == states[::-1]
    assert behind == before
