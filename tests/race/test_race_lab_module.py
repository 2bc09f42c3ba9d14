# SPDX-License-Identifier: GPL-2.0-only
"""The guest's module race_lab: CPUs visit the sites that the host selects, also in NMIs, and execute their code."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.ftrace.sites.patching import Park, Patch, Release, Write
from emu.machine import Machine
from emu.race import arch as race_arch
from emu.race.machine.lab_module import LabModule
from emu.race.scenario.scenario import LINE
from tests.lib.booted_machine import booted_machine
from tests.lib.directed import LONGEST_WAY, come_to, direct, directing, put, walk

# A call's opcode and the rest of the nop; no instruction.
TORN = {"x86_64": bytes.fromhex("e81f440000"), "sparc64": bytes(4), "riscv64": bytes(4)}


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as booted:
        assert booted.run("modprobe race_lab").status == 0
        yield booted
        assert booted.run("rmmod race_lab; lsmod; ps | grep race_lab/").output.count(b"\n") == 1
        assert booted.warnings == []


@pytest.fixture(scope="module")
def lab(machine: Machine) -> LabModule:
    return LabModule(machine.kernel)


@pytest.fixture
def directed(machine: Machine, lab: LabModule) -> Iterator[Machine]:
    """The machine with all CPUs at home, and nothing that would take them away from there."""
    with directing(machine, lab):
        yield machine


def test_sites_lie_at_chosen_offsets_of_lines_of_their_own(machine: Machine, lab: LabModule) -> None:
    assert set(race_arch.load(machine.board.arch.name).places) <= set(lab.sites)
    sites = [site for group in lab.sites.values() for site in group]
    assert all(len(group) >= 2 for place, group in lab.sites.items() if place < LINE)
    size = len(machine.ftrace.arch.nop)
    lines = [{site.address // LINE, (site.address + size - 1) // LINE} for site in sites]
    assert len(set().union(*lines)) == sum(len(one) for one in lines)
    assert len(lines[-1]) == (2 if machine.board.arch.name == "x86_64" else 1)  # the last ones cross a cache line
    traceable = machine.tracefs.read("available_filter_functions").splitlines()
    recorded = [site for site in sites if site.address % len(machine.ftrace.arch.nop) == 0 or machine.ftrace.arch.breakpoint]
    assert len(recorded) >= 4
    for site in recorded:
        assert f"{site.name} [race_lab]" in traceable
        assert machine.site(site.name).address == site.address and machine.site(site.name).state == "nop"


def test_the_function_tracer_sees_the_visits_of_each_cpu(machine: Machine, lab: LabModule) -> None:
    first, second = lab.sites[0]
    lab.visit(0, first)
    lab.visit(1, second)
    machine.tracefs.write("set_ftrace_filter", "*:mod:race_lab")
    machine.tracefs.write("current_tracer", "function")
    machine.advance(50_000)
    lines = [line.split() for line in machine.tracefs.read("trace").splitlines() if "<-" in line]
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_ftrace_filter", "")
    lab.visit(0, None)
    lab.visit(1, None)
    seen = {(line[0].rpartition("-")[0], line[1], line[-4], line[-2]) for line in lines}
    assert seen == {
        ("race_lab/0", "[000]", first.name, "<-race_lab_home"),
        ("race_lab/1", "[001]", second.name, "<-race_lab_home"),
    }
    assert len(lines) > 100


def test_an_nmi_calls_all_handlers_in_the_order_of_their_registration(machine: Machine, lab: LabModule) -> None:
    machine.tracefs.write("events/nmi/enable", "1")
    for site in (None, lab.sites[0][0]):
        lab.visit_in_nmi(1, site)
        machine.inject_nmi(1)
        machine.advance(20_000)
    lab.visit_in_nmi(1, None)
    machine.tracefs.write("events/nmi/enable", "0")
    trace = machine.tracefs.read("trace")
    machine.tracefs.write("trace", "")
    assert re.findall(r"nmi_handler: (\w+)(?: \[race_lab\])?\(\) delta_ns: \d+ handled: (\d)", trace) == [
        ("watchdog_nmi_handler", "0"),
        ("race_lab_nmi", "0"),
        ("watchdog_nmi_handler", "0"),
        ("race_lab_nmi", "1"),
    ]


def test_a_directed_cpu_comes_to_a_site_and_home_again(directed: Machine, lab: LabModule) -> None:
    cpu = directed.board.cpus[0]
    for site in (group[1] for group in lab.sites.values()):
        lab.visit(0, site)
        come_to(directed, cpu, site)
        before = cpu.instructions
        walk(directed, cpu, lab.home, longest=10)
        come_to(directed, cpu, site)
        assert cpu.instructions - before <= 10  # the whole round
        walk(directed, cpu, lab.home, longest=10)
        lab.visit(0, None)
        walk(directed, cpu, lab.home)


def test_an_nmi_comes_to_the_site_chosen_for_its_cpu(directed: Machine, lab: LabModule) -> None:
    site = next(reversed(lab.sites.values()))[0]
    lab.visit_in_nmi(1, site)
    first, second = directed.board.cpus
    second.raise_nmi()
    come_to(directed, second, site)
    walk(directed, second, lab.home)
    first.raise_nmi()
    with pytest.raises(AssertionError):
        come_to(directed, first, site)


def test_nmis_come_to_sites_while_cpus_wait_for_a_held_protocol(directed: Machine, lab: LabModule) -> None:
    driver, arch = directed.patching, directed.ftrace.arch
    site = next(reversed(lab.sites.values()))[0]
    patch = Patch(site.address, arch.nop, arch.call(site.address, directed.kernel.image.symbol("ftrace_caller")))
    finished: list[bool] = []
    driver.protocol, driver.held = "stop_machine", True
    driver.start([patch], lambda: finished.append(True))
    assert driver.busy and not driver.awaited
    driver.step()
    assert driver.steps == [Park(), Write(patch.address, patch.old, patch.new), Release()]
    for cpu in directed.board.cpus:
        while cpu.index in driver.awaited:
            directed.kernel.step(cpu)
        for _ in range(LONGEST_WAY):
            directed.kernel.step(cpu)
        assert cpu.irqs_off
        lab.visit_in_nmi(cpu.index, site)
        cpu.raise_nmi()
        come_to(directed, cpu, site)
        lab.visit_in_nmi(cpu.index, None)
    assert driver.steps == [Write(patch.address, patch.old, patch.new), Release()]
    assert directed.site(site.name).code == patch.old, "the last answer has performed the next step"
    driver.step()
    assert directed.site(site.name).code == patch.new and driver.steps == [Release()]
    driver.step()
    for cpu in directed.board.cpus:
        walk(directed, cpu, lab.home)
    assert driver.busy and not driver.awaited and not finished
    driver.step()
    assert finished == [True] and not driver.busy
    lab.visit(0, site)
    walk(directed, directed.board.cpus[0], directed.kernel.image.symbol("ftrace_caller"))
    walk(directed, directed.board.cpus[0], lab.home)
    put(directed, site, patch.old)


def test_torn_bytes_are_executed_and_the_guest_dies_of_them(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        with pytest.raises(LookupError, match="no module race_lab is loaded"):
            LabModule(machine.kernel)
        machine.run("modprobe race_lab")
        with pytest.raises(LookupError, match="the module race_lab has no symbol nothing"):
            machine.kernel.modules.symbol("race_lab", "nothing")
        lab = LabModule(machine.kernel)
        direct(machine, lab)
        (cpu,) = machine.board.cpus
        site = next(reversed(lab.sites.values()))[0]
        lab.visit(0, site)
        come_to(machine, cpu, site)
        put(machine, site, TORN[arch])
        dies_at = site.address
        if arch == "x86_64":
            dies_at += 5 + int.from_bytes(TORN[arch][1:], "little")
        machine.advance(10_000_000)
        (oops,) = machine.warnings
        assert oops.startswith("guest oops on CPU 0\n  task race_lab/0")
        assert f"ip {dies_at:016x}" in oops
