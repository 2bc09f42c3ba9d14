# SPDX-License-Identifier: GPL-2.0-only
"""Reports of errors in the guest kernel: its registers, and the backtrace."""

from __future__ import annotations

import re

import pytest

from emu.machine import GuestPanic, Machine
from tests.lib.arches import FACTS
from tests.lib.stepping import run_to, step


def test_a_panic_ends_the_run_with_a_report(arch: str) -> None:
    with Machine(arch=arch, cpus=1) as made:
        function = made.kernel.memory.physical(made.kernel.image.symbol("sys_kill"))
        made.board.write_code(function, FACTS[arch].undefined)
        with pytest.raises(GuestPanic) as caught:
            made.run("echo 1 > /proc/sys/kernel/panic_on_oops; echo before; kill 1")
        report = str(caught.value)
        assert "guest panic on CPU 0" in report
        assert re.search(r"^  ip [0-9a-f]{16}  sys_kill\+0x0/0x", report, re.MULTILINE)
        assert re.search(rf"^  {FACTS[arch].system_call}\+0x", report, re.MULTILINE)
        assert "last console lines:\n" in report and "sys_kill+0x0/0x" in report
        with pytest.raises(GuestPanic):
            made.run("true")


def backtrace(arch: str, tracer: str) -> list[str]:
    """The backtrace of the report if a function deep in a system call has an undefined instruction."""
    with Machine(arch=arch, cpus=1) as made:
        made.run("echo 1 > /proc/sys/kernel/panic_on_oops")
        made.tracefs.write("current_tracer", tracer)
        function = made.kernel.memory.physical(made.kernel.image.symbol("vfs_statx"))
        made.board.write_code(function, FACTS[arch].undefined)
        made.board.flush_page(function - function % made.board.arch.page_size)
        with pytest.raises(GuestPanic) as caught:
            made.run("ls /bin")
        calls = str(caught.value).split("backtrace:\n")[1].split("last console lines:")[0]
        return [line for line in calls.splitlines() if "+0x" in line]


def test_a_backtrace_shows_the_real_callers_while_function_graph_has_replaced_return_addresses(arch: str) -> None:
    callers = backtrace(arch, "function_graph")
    assert callers == backtrace(arch, "nop")
    assert len(callers) >= 4 and any("sys_newfstatat+" in line for line in callers)


def test_a_backtrace_from_where_a_traced_call_returns() -> None:
    """On x86-64, while the call's return address is on its way from function_graph's return stack back to the kernel's stack."""
    with Machine(arch="x86_64", cpus=1) as machine:
        (cpu,) = machine.board.cpus
        machine.tracefs.write("current_tracer", "function_graph")
        machine.run("(usleep 1000; ls /bin > /dev/null) &")
        run_to(machine, "rw_verify_area")
        while cpu.pc != machine.kernel.image.symbol("return_to_handler"):
            step(machine, cpu, 1)
        chains = []
        for _ in range(3):
            calls = machine.kernel.reports.panic(cpu, "", 0).split("backtrace:\n")[1]
            chains.append(re.findall(r"^  (\w+)\+0x", calls, re.MULTILINE))
            step(machine, cpu, 1)
    at_trampoline, at_stub, returned = chains
    assert at_trampoline[0] == "return_to_handler" and at_stub[0] == "ftrace_return_to_handler"
    assert at_trampoline[1:] == at_stub[1:] == returned
    assert returned[0].startswith("vfs_")
