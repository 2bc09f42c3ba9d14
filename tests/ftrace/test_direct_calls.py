# SPDX-License-Identifier: GPL-2.0-only
"""Direct calls: modules set the targets of call sites. Linux's samples, and `sample_direct`, which tests control."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.guest.requests import GuestRequests
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

_ARCH = "x86_64"  # as in Linux 6.1, the only one with direct calls
_WOKEN = re.compile(r"my_direct_func \[ftrace_direct\]: waking up sleep-\d+")


@pytest.fixture
def machine() -> Iterator[Machine]:
    with booted_machine(_ARCH) as booted:
        yield booted


def _load(machine: Machine, module: str) -> None:
    assert machine.run(f"insmod /lib/modules/{module}.ko").status == 0


@contextmanager
def _sample(machine: Machine, module: str) -> Iterator[None]:
    """One of Linux's samples, which leaves no site changed."""
    _load(machine, module)
    yield
    assert machine.run(f"rmmod {module}").status == 0
    assert machine.tracefs.read("enabled_functions") == ""


def _trace(machine: Machine, command: str) -> str:
    machine.tracefs.write("trace", "")
    machine.run(command)
    return machine.tracefs.read("trace")


class _Direct:
    """The module sample_direct."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        _load(machine, "sample_direct")
        self.count, self.answer = (machine.kernel.modules.symbol("sample_direct", f"sample_direct_{n}") for n in ("tramp", "42"))

    def do(self, command: str, *numbers: int) -> int:
        """0, or the errno returned by the kernel's function."""
        words = " ".join([command, *(f"{number:x}" for number in numbers)])
        done = self._machine.run(f"echo '{words}' > /sys/module/sample_direct/parameters/do")
        texts = {os.strerror(code): code for code in (errno.EINVAL, errno.ENODEV, errno.EBUSY, errno.ENOENT)}
        return next((code for text, code in texts.items() if text.encode() in done.output), 0 if not done.status else -1)

    @property
    def calls(self) -> int:
        return int(self._machine.run("cat /sys/module/sample_direct/parameters/calls").output)


def test_a_tracer_and_a_kprobe_on_the_same_function(machine: Machine) -> None:
    tracefs = machine.tracefs
    with _sample(machine, "ftrace-direct"):
        where = r"my_tramp\+0x0/0x1b \[ftrace_direct\]\n"
        alone = tracefs.read("enabled_functions")
        assert re.fullmatch(rf"wake_up_process \(1\) R   D ->{where}\tdirect-->{where}", alone)
        assert machine.site("wake_up_process").state == "call my_tramp+0x0/0x1b [ftrace_direct]"
        assert machine.site("wake_up_process").wanted_by == ("a direct call",)
        assert _WOKEN.search(_trace(machine, "sleep 0.01"))

        tracefs.write("set_ftrace_filter", "wake_up_process")
        for tracer, called in (("function", "ftrace_caller"), ("function_graph", "ftrace_graph_caller")):
            tracefs.write("current_tracer", tracer)
            assert re.match(rf"wake_up_process \(2\) R   D ->{called}\+.*\n\tdirect-->{where}", tracefs.read("enabled_functions"))
        assert re.search(r"\|  wake_up_process\(\) {\n.*/\* waking up sleep-\d+ \*/\n.*\|  }\n", _trace(machine, "sleep 0.01"))

        tracefs.write("current_tracer", "nop")
        tracefs.write("kprobe_events", "p:begin wake_up_process task=+0($arg1):x64\nr:end wake_up_process woken=$retval")
        tracefs.write("events/kprobes/enable", "1")
        both = _trace(machine, "sleep 0.01")
        assert re.search(r"begin: \(wake_up_process.*\n.*waking up sleep-\d+\n(?:.*\n)*?.*end: .* woken=0x1\n", both)
        tracefs.write("events/kprobes/enable", "0")
        assert tracefs.read("enabled_functions") == alone
        with pytest.raises(TraceError) as refused:
            machine.patch("wake_up_process", asm="ret")
        assert refused.value.code == errno.EBUSY
        assert b"Device or resource busy" in machine.run("echo 0 > /proc/sys/kernel/ftrace_enabled").output


def test_backtraces_go_through_the_trampoline(machine: Machine) -> None:
    tracefs = machine.tracefs
    with _sample(machine, "ftrace-direct-too"):
        tracefs.write("set_ftrace_filter", "my_direct_func")
        tracefs.write("options/func_stack_trace", "1")
        tracefs.write("current_tracer", "function")
        stack = r"my_direct_func \[\w+\]\n => my_tramp \[\w+\]\n => handle_mm_fault\n => \w*fault\w*\n"
        trace = _trace(machine, "true")
        assert re.search(stack, trace)
        assert re.search(r"my_direct_func \[\w+\]: handle mm fault vma=\w+ address=[0-9a-f]+ flags=[0-9a-f]+\n", trace)
        tracefs.write("current_tracer", "nop")


@pytest.mark.parametrize("module", ["ftrace-direct-modify", "ftrace-direct-multi-modify"])
def test_calls_change_while_they_are_made(machine: Machine, module: str) -> None:
    with _sample(machine, module):
        called = re.findall(r"my_direct_func(\d) \[\w+\]: my direct func(\d)(?: ip ([0-9a-f]+))?\n", _trace(machine, "sleep 2.5"))
        first = [one == two for one, two, _ in called]
        assert all(first) and {one for one, *_ in called} == {"1", "2"}
        sites = {machine.kernel.symbols.describe(int(ip, 16)).partition("/")[0] for *_, ip in called if ip}
        assert sites == ({"schedule+0x5", "wake_up_process+0x5"} if "multi" in module else set())


def test_several_functions_at_once(machine: Machine) -> None:
    with _sample(machine, "ftrace-direct-multi"):
        enabled = re.findall(r"^(\w+) \(1\) R   D", machine.tracefs.read("enabled_functions"), re.MULTILINE)
        assert sorted(enabled) == ["schedule", "wake_up_process"]


def test_an_architecture_without_them() -> None:
    with booted_machine("sparc64") as machine:
        assert b"No such file" in machine.run("insmod /lib/modules/ftrace-direct.ko 2>&1").output
        site, target = (machine.site(name).address for name in ("schedule", "sys_getpid"))
        assert GuestRequests(machine.kernel, machine.trace_array, machine.ftrace).direct_call([site], 0, target) == -errno.ENODEV


def test_what_is_refused(machine: Machine) -> None:
    direct, site = _Direct(machine), machine.site("sys_getpid").address
    symbol = machine.kernel.image.symbol
    assert direct.do("r", symbol("hostcall"), direct.count) == errno.ENODEV  # it has no call site
    assert direct.do("r", site + 8, direct.count) == errno.ENODEV
    assert direct.do("r", site, 0) == direct.do("r", site, 0x1000) == direct.do("r", site, symbol("jiffies")) == errno.EINVAL
    assert direct.do("u", site, direct.count) == direct.do("m", site, direct.count, direct.answer) == errno.ENODEV
    machine.ftrace.call_directly([site], 0, 0)  # the guest's kernel never does this: nothing changes
    with machine.patch("sys_getpid", asm="ret"):
        assert direct.do("r", site, direct.count) == errno.EBUSY
    assert direct.do("r", site, direct.count) == 0
    assert direct.do("r", site, direct.answer) == errno.EBUSY
    assert direct.do("u", site, direct.answer) == direct.do("m", site, direct.answer, direct.count) == errno.EINVAL
    assert direct.do("m", site, direct.count, direct.answer) == 0
    assert machine.run("getpid").output == b"42\n"  # it returns to the function's caller
    assert direct.do("u", site, direct.answer) == 0
    assert machine.run("getpid").output != b"42\n"

    # Filters
    assert direct.do("R", direct.count) == direct.do("=no_such_function") == direct.do("f", symbol("hostcall")) == errno.EINVAL
    assert direct.do("f", site) == direct.do("+sys_getpp*") == direct.do("+sys_gettid") == direct.do("+!sys_gettid") == 0
    assert direct.do("+!sys_gettid") == direct.do("f", symbol("schedule"), 1) == errno.ENOENT
    assert direct.do("R", direct.count) == 0
    assert re.findall(r"^(\w+) \(", machine.tracefs.read("enabled_functions"), re.MULTILINE) == ["sys_getpid", "sys_getppid"]
    assert direct.do("R", direct.count) == direct.do("U", direct.answer) == errno.EINVAL
    assert direct.do("r", site, direct.answer) == direct.do("+sys_gettid") == errno.EBUSY
    assert direct.do("M", direct.answer) == direct.do("U", direct.answer) == 0
    assert machine.tracefs.read("enabled_functions") == ""


def test_a_module_that_goes_without_a_word(machine: Machine) -> None:
    """Its own calls end in time, and so do those of its functions."""
    direct = _Direct(machine)
    _load(machine, "sample_bug")
    assert direct.do("r", machine.site("schedule").address, direct.count) == 0
    assert direct.do("r", machine.site("sample_bug_max").address, direct.count) == 0
    machine.advance(1_000_000)
    assert direct.calls > 10
    assert machine.run("rmmod sample_bug").status == 0
    assert "sample_bug" not in machine.tracefs.read("enabled_functions")
    assert machine.run("rmmod sample_direct").status == 0
    assert machine.tracefs.read("enabled_functions") == ""
    assert b"direct call of sample_direct_tramp+0x0/0x1b [sample_direct] by schedule ends" in machine.run("dmesg").output
    assert machine.run("insmod /lib/modules/sample_direct.ko keep=1").status != 0
    assert machine.tracefs.read("enabled_functions") == ""


def test_a_breakpoint_calls_what_is_to_be_called(machine: Machine) -> None:
    """A CPU that reaches a site while it is being changed behaves as the new instruction will."""
    direct, site, patching = _Direct(machine), machine.site("sys_getpid").address, machine.patching

    def at_breakpoint(command: str) -> bytes:
        patching.held = True
        machine.run(f"echo '{command}' > /sys/module/sample_direct/parameters/do &")
        machine.advance(100_000)
        patching.step()  # writes it
        patching.step()  # makes the CPUs see it
        machine.advance(100_000)
        assert machine.site("sys_getpid").state == "breakpoint"
        before = patching.breakpoints_hit
        output = machine.run("getpid").output
        assert patching.breakpoints_hit > before
        patching.held = False
        machine.run("wait")
        return output

    assert at_breakpoint(f"r {site:x} {direct.count:x}") != b"42\n"
    assert direct.calls > 0
    assert at_breakpoint(f"m {site:x} {direct.count:x} {direct.answer:x}") == b"42\n" == machine.run("getpid").output
    assert direct.do("u", site, direct.answer) == 0


def test_an_oops_shows_the_caller_of_the_function(machine: Machine) -> None:
    direct = _Direct(machine)
    assert direct.do("r", machine.site("sys_getpid").address, direct.count) == 0
    with machine.patch("sample_direct_count", asm="ud2"):
        machine.run("getpid")
    assert re.search(rb" sys_getpid\+0x5/0x1b\n.*  do_syscall_64\+", machine.run("dmesg").output)


class _Asking:
    """A CPU that makes host calls unknown to its guest."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._cpu = machine, machine.board.cpus[0]
        self.results: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cpu, name)

    def answer(self, result: int) -> None:
        self.results.append(result)

    def ask(self, name: str, *arguments: int) -> int:
        number = self._machine.kernel.image.constant(name)
        self._machine.kernel.host_calls.answer(self, number, [*arguments, 0, 0, 0, 0][:4])  # type: ignore[arg-type]  # as a Cpu
        return self.results.pop()


def test_whatever_the_guest_hands_over(machine: Machine) -> None:
    cpu, huge, text = _Asking(machine), (1 << 64) - 1, machine.kernel.image.symbol("_text")
    site = machine.site("sys_getpid").address
    for bad in (0, 1, 0x1000, text, huge, 1 << 63):
        assert cpu.ask("HC_FTRACE_LOCATION", bad) == 0
        assert cpu.ask("HC_FTRACE_MATCH", text, huge, bad, huge) in (0, -errno.EFAULT)
        for call in ((bad, huge, 0, site), (bad, 1, 0, site), (bad, 1 << 18, site, 0), (text, 4, bad, bad)):
            assert cpu.ask("HC_FTRACE_DIRECT", *call) in (-errno.EINVAL, -errno.ENODEV, -errno.EFAULT)
        assert bad == text or cpu.ask("HC_TRACE_ARRAY_GET", bad) == -errno.EINVAL  # the name is empty
        for name in ("PUT", "DESTROY", "PRINTK", "EVENT"):
            assert cpu.ask(f"HC_TRACE_ARRAY_{name}", bad, bad, bad, huge) < 0
    assert machine.tracefs.read("enabled_functions") == ""
