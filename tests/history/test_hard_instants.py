# SPDX-License-Identifier: GPL-2.0-only
"""Travel where an instant is hard to come to again: among NMIs, in timing models with a state of their own, and at instructions
that read and write devices."""

from __future__ import annotations

import ctypes
import functools
import random
import zlib

import pytest

from emu.cpu.arch.x86_64 import X86_64
from emu.cpu.native import io_window
from emu.cpu.native.cpu_records import VECTORS
from emu.cpu.pc.acpi import LOCAL_APIC
from emu.cpu.pc.state import _numbers
from emu.cpu.timing import CACHES, PIPELINE, STATIC
from emu.history.stops import Breakpoint, Reason, Stop, Watchpoint
from emu.linux.machine import LinuxMachine
from emu.machine import Machine
from tests.history.states import State
from tests.history.test_instants import COMMAND, IN_BACKGROUND, PATCHING, Journey, forward_only
from tests.lib.linux_kernel import boot_once, kernel_for_tests, shared_folder

MEMORY = 64 << 20
WATCHDOGS = "nmi_watchdog=1 watchdog_thresh=1"
SLOW = {"x86_64": 4_000_000, "sparc64": 10_000_000, "riscv64": 10_000_000}  # Hz: a second, after which an NMI comes, is short
BUSY = "busy 2 12; echo hi | wc"


def nmi_handler(machine: Machine) -> int:
    symbols = machine.kernel.image.symbols
    return next(symbols[name] for name in ("exc_nmi", "do_nmi") if name in symbols)


def test_what_becomes_due_in_a_block_is_seen_at_its_end() -> None:
    """Going back from a timer's interrupt, to the block before: within it, the timer still runs."""
    with Machine(cpus=2, memory=MEMORY) as machine:
        travel, within = machine.travel, 0
        travel.begin("busy 2 1")
        travel.add(Breakpoint(machine.kernel.image.symbol("asm_sysvec_apic_timer_interrupt")))
        for _ in range(5):
            interrupt = travel.go()
            travel.back_step(interrupt.cpu)
            cpu, shown = machine.board.cpus[interrupt.cpu].record, travel.replay.shown
            if shown is not None and shown.done:
                within += cpu.timer <= shown.cycles
                assert not any(cpu.pending[n] for n in range(VECTORS // 64))
            travel.goto(interrupt.instant)
        assert within > 2


@pytest.mark.long("takes a minute")
@pytest.mark.parametrize("arch", ["x86_64", "sparc64", "riscv64"])
def test_among_nmis_of_watchdogs(arch: str) -> None:
    make = functools.partial(Machine, arch=arch, cpus=2, memory=MEMORY, frequency=SLOW[arch], command_line=WATCHDOGS)
    with make() as machine:
        journey = Journey(machine, BUSY, machine.kernel.image.symbols.get, seed=3)
        travel, handler = journey.travel, Breakpoint(nmi_handler(machine))
        travel.goto(travel.first)
        travel.add(handler)
        nmis = []
        while (stopped := travel.go()).reason == Reason.BREAKPOINT:
            nmis.append(stopped.instant)
        assert (stopped.reason, journey.state()) == (Reason.ENDED, journey.end_state)
        assert len(nmis) > 3
        assert [travel.back().instant for _ in nmis] == nmis[::-1]
        travel.remove(handler)
        for n, instant in enumerate(nmis[:5]):
            travel.goto(instant)
            journey.check()
            travel.back_step(instant.cpu, 1 + n)
            journey.check()
            travel.step(instant.cpu, 2 + n)
            journey.check()
            travel.step(instant.cpu, 200)
            journey.check()
            travel.back_step(instant.cpu, 200)
            journey.check()
        journey.stops.append(handler)
        journey.go(16)
    with make() as machine:
        forward_only(machine, arch, BUSY, journey.states)


# Timing models: what a block costs depends on what was executed before


@pytest.mark.long("takes minutes")
@pytest.mark.parametrize("command", [PATCHING, COMMAND.format(IN_BACKGROUND)], ids=["patching", "plain"])
@pytest.mark.parametrize("cpus", [2, 4])
@pytest.mark.parametrize(
    ("timing", "cpu_model"), [(timing, model) for timing in (PIPELINE, CACHES) for model in X86_64().cpu_models]
)
def test_in_timing_models(timing: str, cpu_model: str, cpus: int, command: str) -> None:
    make = functools.partial(Machine, cpus=cpus, seed=1, memory=MEMORY, timing=timing, cpu_model=cpu_model)
    with make() as machine:
        journey = Journey(machine, command, machine.kernel.image.symbols.get, seed=5)
        journey.go(24)
    with make() as machine:
        forward_only(machine, "x86_64", command, journey.states)


# Devices: a read changes them


DEVICE, SIZE = 0xF0_0000_0000, 16 << 10
USES_DEVICE = f"insmod /lib/modules/testmmiotrace.ko mmio_address={DEVICE:#x} read_far=0x100000; dmesg | tail -n 2"
PLACES = [*range(0, 256, 50), *range(1024, 5 * 1024, 1000), *range(5 * 1024, SIZE, 3000)]


class DeviceState(State):
    """With the board's device, which counts accesses."""

    def __call__(self, acting: int | None = None) -> int:
        assert self._board.io is not None
        return zlib.crc32(ctypes.string_at(self._board.io.device.address, io_window.SIZE), super().__call__(acting))


class PcState(State):
    """With the devices of a PC."""

    def __init__(self, machine: LinuxMachine) -> None:
        super().__init__(machine.board, "x86_64")
        self._pc = machine._guest.pc

    def __call__(self, acting: int | None = None) -> int:
        devices = [_numbers(self._pc.record), [_numbers(apic) for apic in self._pc.apics]]
        return zlib.crc32(repr((devices, [port.waiting for port in self._pc.serial])).encode(), super().__call__(acting))


def look_around(journey: Journey, stops: list[Stop], most: int) -> int:
    """Goes around each place where the machine stops, by single instructions. Returns the number of places."""
    travel, found = journey.travel, []
    travel.goto(travel.first)
    for stop in stops:
        travel.add(stop)
    while (stopped := travel.go()).reason in (Reason.WATCHPOINT, Reason.BREAKPOINT):
        found.append(stopped.instant)
        journey.check()
    assert (travel.now, journey.state()) == (journey.end, journey.end_state)
    for stop in stops:
        travel.remove(stop)
    for place in random.Random(1).sample(found, min(most, len(found))):
        travel.goto(place)
        journey.check()
        for count in (-1, 1, -3, 1, 1, 1, 4, -2, -2, 9, -9):
            if count > 0:
                travel.step(place.cpu, count)
            else:
                travel.back_step(place.cpu, -count)
            journey.check()
        assert travel.go().reason in (Reason.ENDED, Reason.FAILED)
        assert (travel.now, journey.state()) == (journey.end, journey.end_state)
    return len(found)


@pytest.mark.long("takes a minute")
@pytest.mark.parametrize("timing", [STATIC, PIPELINE, CACHES])
def test_at_accesses_to_the_device(timing: str) -> None:
    with Machine(cpus=2, memory=MEMORY, timing=timing) as machine:
        state = DeviceState(machine.board, "x86_64")
        journey = Journey(machine, USES_DEVICE, machine.kernel.image.symbols.get, 2, state)
        stops: list[Stop] = [Watchpoint(DEVICE + at, 1, reads=True, physical=True) for at in PLACES]
        assert look_around(journey, stops, 12) >= 2 * len(PLACES)


@pytest.mark.long("boots a Linux")
def test_at_accesses_to_devices_of_a_pc(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The local APIC, which a timer and messages use, and serial ports, whose data a read takes."""
    with boot_once(kernel_for_tests(), shared_folder(tmp_path_factory, "linux")) as machine:
        find = machine._guest.symbols.address
        journey = Journey(machine, "echo hi > /dev/kmsg; sleep 0.01; cat /proc/uptime", find, 1, PcState(machine))
        stops: list[Stop] = [Watchpoint(LOCAL_APIC, 4096, reads=True, physical=True)]
        stops += [Breakpoint(at) for name in ("io_serial_in", "io_serial_out", "native_apic_mem_write") if (at := find(name))]
        assert look_around(journey, stops, 12) > 40
