# SPDX-License-Identifier: GPL-2.0-only
"""How the guest handles a breakpoint, for each kind of handler."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.ftrace.sites.patching import Patch, Synchronise, Write
from emu.machine import GuestPanic, Machine
from emu.race.machine.breakpoint_handlers import breakpoint_handler
from emu.race.machine.lab_module import LabModule, LabSite
from emu.race.scenario.scenario import Handler
from tests.lib.booted_machine import booted_machine
from tests.lib.directed import come_to, direct, put, walk

INT3 = b"\xcc"


@pytest.fixture
def machine() -> Iterator[Machine]:
    with booted_machine("x86_64", cpus=1) as booted:
        booted.run("modprobe race_lab")
        yield booted


def come_to_breakpoint(machine: Machine, handler: Handler, misses: bool = False) -> tuple[LabSite, Patch]:
    """Brings the CPU in front of a breakpoint at a site that is being changed."""
    lab = LabModule(machine.kernel)
    direct(machine, lab)
    site = lab.sites[61][0]
    nop = machine.ftrace.arch.nop
    patch = Patch(site.address, nop, machine.ftrace.arch.call(site.address, machine.kernel.image.symbol("ftrace_caller")))
    lab.visit(0, site)
    come_to(machine, machine.board.cpus[0], site)
    driver = machine.patching
    driver.breakpoint_handler = breakpoint_handler(machine, handler, {site.address} if misses else ())
    driver.protocol = lambda patches, breakpoint: [Write(site.address, nop[:1], breakpoint), Synchronise()]
    driver.held = True
    driver.start([patch], lambda: None)
    driver.step()
    assert machine.site(site.name).state == "breakpoint"
    put(machine, site, machine.site(site.name).code)
    return site, patch


@pytest.mark.parametrize("handler", [Handler.EMULATE, Handler.RETRY])
def test_the_new_call_is_made(machine: Machine, handler: Handler) -> None:
    site, _ = come_to_breakpoint(machine, handler)
    (cpu,) = machine.board.cpus
    walk(machine, cpu, machine.kernel.image.symbol("ftrace_caller"))
    walk(machine, cpu, site.address + 5)
    assert machine.patching.breakpoints_hit == 1


def test_an_nmi_within_the_handler_comes_to_the_breakpoint_too(machine: Machine) -> None:
    site, _ = come_to_breakpoint(machine, Handler.EMULATE)
    (cpu,) = machine.board.cpus
    lab = LabModule(machine.kernel)
    lab.visit_in_nmi(0, site)
    walk(machine, cpu, machine.kernel.image.symbol("exc_int3"))
    cpu.raise_nmi()
    walk(machine, cpu, site.address)
    for _ in range(2):
        walk(machine, cpu, machine.kernel.image.symbol("ftrace_caller"))
        walk(machine, cpu, site.address + 5)
    walk(machine, cpu, lab.home)
    assert machine.patching.breakpoints_hit == 2


def test_the_new_call_is_skipped(machine: Machine) -> None:
    site, _ = come_to_breakpoint(machine, Handler.SKIP)
    (cpu,) = machine.board.cpus
    with pytest.raises(AssertionError):
        walk(machine, cpu, machine.kernel.image.symbol("ftrace_caller"))
    walk(machine, cpu, site.address)
    walk(machine, cpu, site.address + 5)
    assert machine.patching.breakpoints_hit > 1


@pytest.mark.parametrize(
    ("handler", "misses"), [(Handler.DIE, False), (Handler.EMULATE, True), (Handler.SKIP, True), (Handler.RETRY, True)]
)
def test_the_guest_dies_of_a_breakpoint_that_its_handler_does_not_know(machine: Machine, handler: Handler, misses: bool) -> None:
    site, _ = come_to_breakpoint(machine, handler, misses)
    machine.advance(100_000)
    (oops,) = machine.warnings
    assert oops.startswith("guest oops on CPU 0\n  task race_lab/0")
    assert f"ip {site.address + 1:016x}" in oops
    assert machine.patching.breakpoints_hit == 0


def test_a_breakpoint_that_has_gone_is_tried_again(machine: Machine) -> None:
    site, patch = come_to_breakpoint(machine, Handler.RETRY, misses=True)
    (cpu,) = machine.board.cpus
    machine.kernel.step(cpu)
    assert cpu.pc != site.address
    put(machine, site, patch.old)
    walk(machine, cpu, site.address)
    walk(machine, cpu, site.address + 5)
    assert machine.warnings == []


def test_one_that_a_protocol_has_left_ends_the_kernel(machine: Machine) -> None:
    site, _ = come_to_breakpoint(machine, Handler.EMULATE)
    machine.patching.held = False
    with pytest.raises(GuestPanic, match=rf"breakpoint at {site.name}\+0x0/0xb \[race_lab\], a call site that is not being"):
        machine.advance(100_000)
