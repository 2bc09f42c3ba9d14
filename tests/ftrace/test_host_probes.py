# SPDX-License-Identifier: GPL-2.0-only
"""Machine.probe: Python functions that are called when CPUs reach an address."""

from __future__ import annotations

import errno

import pytest

from emu.cpu.disassembly import disassemble
from emu.ftrace.errors import TraceError
from emu.ftrace.probes.host_probes import Hit
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

_READ = "cat /proc/version > /dev/null"
_FIRST_ARGUMENT = {"x86_64": "di", "sparc64": "o0", "riscv64": "a0"}
_PC = {"x86_64": "ip", "sparc64": "pc", "riscv64": "pc"}


class _Sentinel(Exception):
    """The exception that a callback raises."""


def _instructions(machine: Machine, name: str) -> list[tuple[int, str]]:
    """The instructions of a function: addresses and texts."""
    function = next(one for one in machine.kernel.image.functions if one.name == name)
    code = machine.kernel.memory.read(function.address, function.size)
    return [(one.address, one.text) for one in disassemble(machine.board.arch, code, function.address)]


def test_what_a_hit_tells(arch: str) -> None:
    hits: list[Hit] = []
    with booted_machine(arch) as machine:
        args = "fd=$arg1:s32 count=$arg3 task=$comm text=\\\"fixed\" pair=+0($stack):x64[2]"
        with machine.probe("ksys_read", hits.append, args=args) as probe:
            machine.run(_READ)
            assert (probe.active, probe.hits) == (True, len(hits))
        machine.run(_READ)
        assert (probe.active, probe.hits) == (False, len(hits))
        first = machine.site("ksys_read")
        assert first.state == "nop"
        hit = hits[0]
        assert (hit.comm, hit.args["task"], hit.args["fd"], hit.args["text"]) == ("cat", "cat", 3, "fixed")
        assert hit.address == hit.registers[_PC[arch]]
        assert hit.registers[_FIRST_ARGUMENT[arch]] == 3
        assert isinstance(hit.args["pair"], list)
        assert hit.returns_to is None
        with pytest.raises(AttributeError):
            _ = hit.return_value
        with pytest.raises(RuntimeError, match="has gone on"):
            hit.registers[_FIRST_ARGUMENT[arch]] = 0
        assert machine.kernel.symbols.describe(hit.address).startswith("ksys_read+0x0/")


def test_an_argument_is_changed(arch: str) -> None:
    def nothing(hit: Hit) -> None:
        if hit.comm == "cat":
            hit.registers[_FIRST_ARGUMENT[arch]] = 99  # a file descriptor that is not open

    with booted_machine(arch) as machine:
        before = machine.run("cat /proc/version")
        with machine.probe("ksys_read", nothing):
            done = machine.run("cat /proc/version")
        assert done.status == 1
        assert b"Bad file" in done.output
        assert machine.run("cat /proc/version") == before


def test_a_return_value_is_changed(arch: str) -> None:
    found: list[tuple[int, str]] = []

    def change(hit: Hit) -> None:
        assert hit.returns_to is not None
        found.append((hit.return_value, machine.kernel.symbols.describe(hit.address).split("/")[0]))
        if hit.comm == "getpid":
            hit.return_value = 4711

    with booted_machine(arch) as machine:
        with machine.probe("sys_getpid", change, returns=True, args="value=$retval"):
            assert machine.run("getpid").output == b"4711\n"
        assert found[-1][1] == "sys_getpid+0x0"
        assert int(machine.run("getpid").output) > found[-1][0] > 1


def test_a_probe_behind_the_first_instruction(arch: str) -> None:
    hits: list[int] = []
    with booted_machine(arch) as machine:
        instructions = _instructions(machine, "sys_getpid")
        probed = 0
        for address, text in instructions:
            try:
                with machine.probe(address, lambda hit: hits.append(hit.address)) as probe:
                    machine.run("getpid")
            except TraceError as error:
                assert error.errno == errno.EINVAL, text
            else:
                probed += probe.hits > 0
        assert probed >= 3
        assert set(hits) <= {address for address, _ in instructions}


def test_an_exception_ends_the_run_and_the_machine_goes_on(arch: str) -> None:
    def fail(hit: Hit) -> None:
        raise _Sentinel(hit.comm)

    with booted_machine(arch) as machine:
        with machine.probe("ksys_read", fail), pytest.raises(_Sentinel, match="cat") as raised:
            machine.run(_READ)
        assert raised.value.__context__ is None
        assert raised.traceback[-1].name == "fail"
        assert machine.run("echo alive").output == b"alive\n"


def test_a_callback_removes_its_probe(arch: str) -> None:
    hits: list[Hit] = []

    def once(hit: Hit) -> None:
        hits.append(hit)
        probe.remove()

    with booted_machine(arch) as machine:
        for place in ("ksys_read", _instructions(machine, "ksys_read")[4][0]):
            hits.clear()
            probe = machine.probe(place, once)
            other = machine.probe(place, lambda hit: None)
            assert machine.run(f"{_READ}; {_READ}").status == 0
            assert (len(hits), probe.active) == (1, False)
            assert other.hits > 2
            other.remove()
        machine.settle()
        assert machine.site("ksys_read").state == "nop"


def test_the_machine_stands_while_a_callback_runs(arch: str) -> None:
    refused: list[str] = []

    def run(hit: Hit) -> None:
        assert machine.tracefs.read("current_tracer") == "nop\n"
        assert machine.cpus[hit.cpu].symbol
        for action in (
            lambda: machine.run("true"),
            lambda: machine.advance(1),
            lambda: machine.tracefs.write("current_tracer", "function"),
            lambda: machine.probe("ksys_write", print),
            lambda: machine.patch("sys_getpid", to="sys_getppid"),
            machine.checkpoint,
        ):
            with pytest.raises(RuntimeError) as failed:
                action()
            refused.append(str(failed.value))

    with booted_machine(arch) as machine:
        with machine.probe("ksys_read", run) as probe:
            assert machine.run(_READ).status == 0
        assert len(refused) == 6 * probe.hits > 0
        assert machine.tracefs.read("current_tracer") == "nop\n"


@pytest.mark.parametrize(
    ("place", "args", "code"),
    [
        ("no_such_function", "", errno.ENOENT),
        ("ksys_read+1", "", errno.EILSEQ),
        ("", "", errno.EINVAL),
        (0x1234, "", errno.EINVAL),
        ("ksys_read", "a=%no_such_register", errno.EINVAL),
        ("ksys_read", "a=$retval", errno.EINVAL),
    ],
)
def test_what_is_refused(arch: str, place: str | int, args: str, code: int) -> None:
    with booted_machine(arch) as machine, pytest.raises(TraceError) as failed:
        machine.probe(place, print, args=args)
    assert failed.value.errno == code


def test_a_module_that_is_not_there_yet(arch: str) -> None:
    with booted_machine(arch) as machine:
        probe = machine.probe("sample_bug:sample_bug_max", lambda hit: None)
        machine.run("insmod /lib/modules/sample_bug.ko")
        machine.advance(3_000_000)
        assert probe.hits > 0
        machine.run("rmmod sample_bug")
        probe.remove()
