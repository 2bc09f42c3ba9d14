# SPDX-License-Identifier: GPL-2.0-only
"""machine.site: a call site, and its users."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine


@pytest.fixture
def tracing(machine: Machine) -> Iterator[Machine]:
    yield machine
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_ftrace_filter", "")


def test_a_site_is_seen_as_it_changes(tracing: Machine) -> None:
    site = tracing.site("vfs_read")
    assert (site.name, site.state, site.wanted_by) == ("vfs_read", "nop", ())
    assert site.code == tracing.ftrace.arch.nop and site.disassembly.startswith("nop")
    tracing.tracefs.write("current_tracer", "function")
    assert (site.state, site.wanted_by) == ("call ftrace_caller", ("function",))
    target = tracing.kernel.image.symbol("ftrace_caller")
    calls = {"x86_64": f"callq {target:#x}", "sparc64": f"call {target:#x}", "riscv64": f"jalr t0, gp, {target % 4096:#x}"}
    assert site.disassembly == calls[tracing.board.arch.name]
    tracing.tracefs.write("current_tracer", "function_graph")
    assert (site.state, site.wanted_by) == ("call ftrace_graph_caller", ("function_graph",))
    assert repr(site) == f"<site of vfs_read at {site.address:#x}: call ftrace_graph_caller, wanted by function_graph>"


def test_everybody_who_wants_it_is_named(tracing: Machine) -> None:
    site = tracing.site("vfs_read")
    tracing.tracefs.mkdir("instances/foo")
    tracing.tracefs.write("instances/foo/set_ftrace_filter", "vfs_*")
    tracing.tracefs.write("instances/foo/current_tracer", "function")
    tracing.tracefs.append("set_ftrace_filter", "vfs_read:traceoff:3")
    with tracing.probe("vfs_read", lambda hit: None), tracing.probe("vfs_read", lambda hit: None, returns=True):
        assert site.wanted_by == ("traceoff", "instances/foo: function", "a kprobe")
    assert site.wanted_by == ("traceoff", "instances/foo: function")
    tracing.tracefs.append("set_ftrace_filter", "!vfs_read:traceoff:0")
    tracing.tracefs.rmdir("instances/foo")
    assert (site.state, site.wanted_by) == ("nop", ())


def test_a_site_by_an_address_in_its_function(machine: Machine) -> None:
    address = machine.kernel.image.symbol("vfs_read")
    assert machine.site(address).address == machine.site(address + 40).address == machine.site("vfs_read").address
    assert machine.site(address).address - address in range(16)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("vfs_raed", r"there is no function 'vfs_raed' that can be traced; did you mean vfs_read\?$"),
        ("hostcall", "there is no function 'hostcall' that can be traced"),
        ("m_show", r"\d functions are called 'm_show': say which by address, 0x[0-9a-f]+(, 0x[0-9a-f]+)* or 0x"),
        (0x1000, "0x1000 is in no function"),
    ],
)
def test_what_has_no_site(machine: Machine, function: str | int, why: str) -> None:
    with pytest.raises(LookupError, match=f"^{why}"):
        machine.site(function)


def test_a_function_that_cannot_be_traced(machine: Machine) -> None:
    with pytest.raises(LookupError, match=r"^hostcall cannot be traced: it has no call site$"):
        machine.site(machine.kernel.image.symbol("hostcall"))


def test_a_site_goes_with_its_module(machine: Machine) -> None:
    machine.run("modprobe sample_timer")
    lines = machine.tracefs.read("available_filter_functions").splitlines()
    name = next(line.split()[0] for line in lines if "[sample_timer]" in line)
    site = machine.site(name)
    assert site.name == f"{name} [sample_timer]" and site.state == "nop"
    machine.run("rmmod sample_timer")
    for attribute in ("state", "name", "wanted_by"):
        with pytest.raises(LookupError, match="its module has been unloaded"):
            getattr(site, attribute)


def test_half_changed_sites_show_what_they_are(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        site = machine.site("vfs_read")
        site.code = bytes(len(site.code))
        assert site.state == "unexpected"
        with pytest.raises(ValueError, match="1 bytes: a site has"):
            site.code = b"\x90"
        if machine.ftrace.arch.breakpoint is not None:
            site.code = machine.ftrace.arch.breakpoint.code + site.code[1:]
            assert site.state == "breakpoint" and site.disassembly == "int3; addb %al, (%rax); addb %al, (%rax)"
