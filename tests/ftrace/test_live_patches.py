# SPDX-License-Identifier: GPL-2.0-only
"""Machine.patch: functions of the kernel and of modules are replaced while the guest runs."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.gnu_assembler import gnu_assembler

_RETURN_42 = {"x86_64": "mov eax, 42; ret", "sparc64": "retl; mov 42, %o0", "riscv64": "li a0, 42; ret"}
_CALL = {  # a function that calls another, and adds 1000
    "x86_64": "call sys_getppid; add eax, 1000; ret",
    "sparc64": "save %sp, -176, %sp; call sys_getppid; nop; add %o0, 1000, %i0; ret; restore",
    "riscv64": "addi sp, sp, -16; sd ra, 8(sp); call sys_getppid; addi a0, a0, 1000; ld ra, 8(sp); addi sp, sp, 16; ret",
}
_SECOND_ARGUMENT = {"x86_64": "mov rax, rsi; ret", "sparc64": "retl; mov %o1, %o0", "riscv64": "mv a0, a1; ret"}


@pytest.fixture(autouse=True)
def assembler(request: pytest.FixtureRequest) -> Iterator[None]:
    with gnu_assembler(request.getfixturevalue("arch") if "arch" in request.fixturenames else ""):
        yield


def _getpid(machine: Machine) -> int:
    return int(machine.run("getpid").output)


def test_asm(arch: str) -> None:
    with booted_machine(arch) as machine:
        before = _getpid(machine)
        with machine.patch("sys_getpid", asm=_RETURN_42[arch]) as patch:
            assert _getpid(machine) == 42
            assert patch.active
            assert patch.function == "sys_getpid"
            assert machine.site("sys_getpid").wanted_by == ("a live patch",)
        assert not patch.active
        assert _getpid(machine) > before
        assert machine.site("sys_getpid").state == "nop"


def test_asm_may_call(arch: str) -> None:
    with booted_machine(arch) as machine, machine.patch("sys_getpid", asm=_CALL[arch]):
        assert 1000 < _getpid(machine) < 2000


def test_arguments_are_there(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        machine.run("insmod /lib/modules/sample_bug.ko")
        with machine.patch("sample_bug_max", asm=_SECOND_ARGUMENT[arch]):  # which is always the larger one
            machine.advance(1_000_000)
            found = _wrong(machine)
            machine.advance(5_000_000)
            assert _wrong(machine) == found
        machine.advance(5_000_000)
        assert _wrong(machine) > found


def test_another_function_and_tracers(arch: str) -> None:
    with booted_machine(arch) as machine, machine.patch("sys_getpid", to="sys_getppid"):
        tracefs = machine.tracefs
        tracefs.write("set_ftrace_filter", "sys_getpid sys_getppid")
        for tracer, expected in (
            ("function", r"sys_getpid <-do_syscall\S*\n.* sys_getppid <-do_syscall"),
            ("function_graph", r"sys_getpid\(\) {\n.*\|    sys_getppid\(\);\n.*\|  }"),
        ):
            tracefs.write("current_tracer", tracer)
            assert machine.run("getpid", trace=True).status == 0
            assert re.search(expected, tracefs.read("trace"))
            assert re.search(r"^sys_getpid \(2\) R I   ->ftrace_\w*caller\+", tracefs.read("enabled_functions"), re.MULTILINE)


def test_kprobes_at_the_same_site(arch: str) -> None:
    with booted_machine(arch) as machine, machine.patch("sys_getpid", asm=_RETURN_42[arch]):
        machine.tracefs.write("kprobe_events", "p:probed sys_getpid")
        machine.tracefs.write("events/kprobes/probed/enable", "1")
        assert _getpid(machine) == 42
        assert "probed: (sys_getpid+0x0/" in machine.tracefs.read("trace")
        machine.tracefs.write("events/kprobes/probed/enable", "0")
        assert _getpid(machine) == 42


def _wrong(machine: Machine) -> int:
    return int(machine.run("cat /sys/module/sample_bug/parameters/wrong").output)


def test_a_module_while_all_cpus_call_it(arch: str) -> None:
    with booted_machine(arch, cpus=4) as machine:
        machine.run("insmod /lib/modules/sample_bug.ko")
        machine.advance(5_000_000)
        with machine.patch("sample_bug_max", to="sample_bug_max_repaired") as patch:
            machine.advance(1_000_000)  # until active calls are counted
            found = _wrong(machine)
            machine.advance(5_000_000)
            assert _wrong(machine) == found > 0
        machine.advance(5_000_000)
        assert _wrong(machine) > found
        with machine.patch("sample_bug_max", to="sample_bug_max_repaired") as patch:
            assert machine.run("rmmod sample_bug").status == 0
            assert not patch.active
        machine.run("insmod /lib/modules/sample_bug.ko")
        machine.advance(5_000_000)
        assert _wrong(machine) > 0


def test_ftrace_enabled(arch: str) -> None:
    with booted_machine(arch) as machine:
        with machine.patch("sys_getpid", asm=_RETURN_42[arch]):
            with pytest.raises(TraceError) as failed:
                machine.ftrace_enabled = False
            assert failed.value.errno == errno.EBUSY
            assert b"Device or resource busy" in machine.run("echo 0 > /proc/sys/kernel/ftrace_enabled").output
            assert _getpid(machine) == 42
        assert machine.run("echo 0 > /proc/sys/kernel/ftrace_enabled").status == 0
        with pytest.raises(TraceError) as failed:
            machine.patch("sys_getpid", asm=_RETURN_42[arch])
        assert failed.value.errno == errno.EBUSY


@pytest.mark.parametrize(
    ("function", "code", "expected"),
    [
        ("sys_getpid", {"to": "sys_getpid"}, errno.EINVAL),
        ("sys_getpid", {"to": "sys_getpidd"}, LookupError),
        ("no_such_function", {"to": "sys_getpid"}, LookupError),
        ("sys_getpid", {"asm": "frobnicate"}, ValueError),
        ("sys_getpid", {"asm": "nop", "to": "sys_getppid"}, TypeError),
        ("sys_getpid", {}, TypeError),
    ],
)
def test_what_is_refused_changes_nothing(
    arch: str, function: str, code: dict[str, str], expected: int | type[Exception]
) -> None:
    with booted_machine(arch) as machine:
        before = machine.board.now
        with pytest.raises(TraceError if isinstance(expected, int) else expected) as failed:
            machine.patch(function, **code)
        if isinstance(failed.value, TraceError):
            assert failed.value.errno == expected
        assert machine.board.now == before


def test_riscv64_has_no_assembler() -> None:
    with booted_machine("riscv64") as machine, pytest.raises(ValueError, match=r"no assembler for riscv64.*`to`"):
        machine.patch("sys_getpid", asm="ret")


def test_two_on_one_function(arch: str) -> None:
    with booted_machine(arch) as machine, machine.patch("sys_getpid", asm=_RETURN_42[arch]):
        with pytest.raises(TraceError) as failed:
            machine.patch("sys_getpid", to="sys_getppid")
        assert failed.value.errno == errno.EBUSY
        assert _getpid(machine) == 42


def test_sparc64_keeps_what_loses_an_argument_before_its_site() -> None:
    with booted_machine("sparc64") as machine, pytest.raises(TraceError, match="changes its argument 1") as failed:
        machine.patch("sys_umask", to="sys_getpid")
    assert failed.value.errno == errno.EINVAL


def test_checkpoints_have_patches(arch: str) -> None:
    with booted_machine(arch) as machine:
        before = machine.checkpoint()
        patch = machine.patch("sys_getpid", asm=_RETURN_42[arch])
        after = machine.checkpoint()
        machine.restore(before)
        assert not patch.active
        assert _getpid(machine) != 42
        machine.restore(after)
        assert patch.active
        assert _getpid(machine) == 42


def test_a_module_that_a_patch_leads_into_stays(machine: Machine) -> None:
    assert machine.run("insmod /lib/modules/sample_bug.ko").status == 0
    patch = machine.patch("sys_getppid", to="sample_bug_max_repaired")
    refused = machine.run("rmmod sample_bug")
    assert refused.status != 0 and b"is in use" in refused.output
    patch.remove()
    assert machine.run("rmmod sample_bug").status == 0
