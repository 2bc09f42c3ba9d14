# SPDX-License-Identifier: GPL-2.0-only
"""Accesses of drivers to the board's device, which the host performs and traces."""

from __future__ import annotations

from emu.machine import Machine
from emu.port.ladder.guest import booted, contains, quiet, run, traced
from emu.port.ladder.rung import expect, fail

__all__ = ["check_devices", "check_places"]

_INSERT = "insmod /lib/modules/sample_io.ko"
_WORDS = ("W 1 0xf000000400 0xa1", "W 2 0xf000000402 0xb2b1", "W 4 0xf000000404 0xc4c3c2c1",
          "W 8 0xf000000408 0xd8d7d6d5d4d3d2d1", "R 8 0xf000000400 0xc4c3c2c1b2b100a1")  # fmt: skip
_TEXT = b"sample_io moves this text\0"
_READS = 8  # on each CPU


def _do(what: str) -> str:
    return f"echo {what} > /sys/module/sample_io/parameters/do"


def _accesses(trace: str) -> list[str]:
    """Kind, width, address and value of each access."""
    fields = [line.split() for line in trace.splitlines() if line[:2] in ("R ", "W ")]
    return [" ".join((kind, width, address, value)) for kind, width, _, _, address, value, *_ in fields]


def check_devices(machine: Machine) -> None:
    """Drivers find what they have written, with and without a trace, which has each access."""
    run(machine, f"{_INSERT}; {_do('words')}; {_do('strings')}; rmmod sample_io")
    machine.tracefs.write("current_tracer", "mmiotrace")
    text = traced(machine, "insmod /lib/modules/testmmiotrace.ko mmio_address=0xf000000000; rmmod testmmiotrace")
    contains("accesses to a device, which are read as they were written", [r"^MAP ", r"^W 1 \S+ 1 0xf0000000a0 0xa0 ",
        r"^R 1 \S+ 1 0xf0000000a0 0xa0 ", r"^UNMAP "], text)  # fmt: skip
    contains("the driver's own findings", ["read errors: 0 bytes, 0 words, 0 longs"], text)
    run(machine, _INSERT)
    places = [(f"{0xF000000400 + n:#x}", byte) for n, byte in enumerate(_TEXT)]
    strings = [f"{kind} 1 {place} {byte * times:#x}" for kind, times in (("W", 1), ("R", 1), ("W", 0)) for place, byte in places]
    expect("accesses of instructions for strings", strings, _accesses(traced(machine, _do("strings"))))
    expect("accesses of each width", list(_WORDS), _accesses(traced(machine, _do("words"))))
    read = _accesses(traced(machine, _do("cpus")))
    values = sorted(int(line.split()[3], 16) for line in read)
    if len(values) != 2 * _READS or values[-1] - values[0] != len(values) - 1:
        fail(f"{_READS} reads of each of two CPUs, each with the next number", "; ".join(read))
    contains("an access that is not understood", [r"^UNKNOWN "], traced(machine, _do("add")))
    contains("what the kernel says about it", [r"mmiotrace: unknown access"], run(machine, "dmesg"))
    machine.tracefs.write("current_tracer", "nop")
    contains("what the kernel says when the tracer is gone", ["purging non-iounmapped trace", "mmiotrace: disabled"],
             run(machine, "dmesg"))  # fmt: skip
    run(machine, f"{_do('words')}; {_do('strings')}; rmmod sample_io")
    quiet(machine)


def check_places(arch: str) -> None:
    """With mmiotrace.trace_pc, the trace has the instruction of each access."""
    with booted(arch, 1, command_line="mmiotrace.trace_pc=1") as machine:
        machine.tracefs.write("current_tracer", "mmiotrace")
        run(machine, _INSERT)
        lines = [line.split() for line in traced(machine, _do("words")).splitlines() if line[:2] in ("R ", "W ")]
        places = [machine.kernel.symbols.describe(int(line[6], 16)) for line in lines]
        expect("accesses from the module's code", [True] * len(_WORDS), ["[sample_io]" in place for place in places])
