# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of call sites: as compiled, as nops, one that changes, and all of them under load."""

from __future__ import annotations

from emu.cpu import arch as cpu_arch
from emu.cpu.disassembly import disassemble
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arch import FtraceArch, OutOfReach
from emu.installation import image_directory
from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.machine import Machine
from emu.port.ladder.guest import booted, quiet, run, text_bytes
from emu.port.ladder.rung import RungFailed, expect, fail

__all__ = ["nops", "one_site", "protocols", "sites"]

_FUNCTION = "ksys_read"
_SWITCHES = 15
_FAR = 1 << 33


def sites(arch: str) -> str:
    """Each entry of __mcount_loc is in text, aligned, and holds what the compiler makes of a call site."""
    image = read_image(image_directory(arch) / "vmlinux", machine=kernel_arch.load(arch).elf_machine)
    hardware, tracing = cpu_arch.load(arch), ftrace_arch.load(arch)
    start, end = image.symbol("_text"), image.symbol("_etext")
    profiler = image.symbol(tracing.profiler)
    kinds: dict[str, int] = {}
    for address in map(int, image.sites):
        if not start <= address < end:
            fail(f"each site is in text, {start:#x} to {end:#x}", f"one at {address:#x}")
        if address % hardware.instruction_alignment:
            fail(f"each site is aligned to {hardware.instruction_alignment}", f"one at {address:#x}")
        if image.function_at(address) is None:
            fail("each site is in a function", f"one at {address:#x}")
        physical = address - hardware.kernel_map
        place, data = next((place, data) for place, data, _ in image.segments if place <= physical < place + len(data))
        code = data[physical - place : physical - place + len(tracing.nop)]
        called = code == tracing.call(address, profiler)
        kind = f"a call of {tracing.profiler}" if called else disassemble(hardware, code, address)[0].text
        kinds[kind] = kinds.get(kind, 0) + 1
    if len(kinds) > 1:
        few = min(kinds, key=lambda kind: kinds[kind])
        fail("all sites hold the same", f"{kinds[few]} hold `{few}`, the others `{max(kinds, key=lambda kind: kinds[kind])}`")
    return f"{len(image.sites)} sites, each {next(iter(kinds))}"


def nops(arch: str) -> None:
    """After the boot each site is a nop, and CPUs have executed many of them."""
    with booted(arch, 2) as machine:
        nop = machine.ftrace.arch.nop
        memory = machine.kernel.memory
        others = [int(at) for at in machine.ftrace.sites.addresses if memory.read(int(at), len(nop)) != nop]
        if others:
            code = memory.read(others[0], len(nop))
            fail(f"each site is the nop {nop.hex(' ')}",
                f"{len(others)} are not; the first, at {others[0]:#x}, is {code.hex(' ')}")
        lines = disassemble(machine.board.arch, nop, others[0] if others else machine.site(_FUNCTION).address)
        if len(lines) != 1:
            fail("the nop is one instruction", "; ".join(line.text for line in lines))
        expect("Site.state", "nop", machine.site(_FUNCTION).state)
        expect("available functions", True, _FUNCTION in machine.tracefs.read("available_filter_functions").split())
        quiet(machine)


def one_site(arch: str) -> None:
    """One site becomes a call on one CPU, the tracer sees the call with its caller, and the site becomes a nop again."""
    with booted(arch, 1) as machine:
        before, tracing, tracefs = text_bytes(machine), machine.ftrace.arch, machine.tracefs
        site = machine.site(_FUNCTION)
        tracefs.write("set_ftrace_filter", _FUNCTION)
        tracefs.write("current_tracer", "function")
        caller = machine.kernel.image.symbol("ftrace_caller")
        expect(f"the site of {_FUNCTION}, a call of ftrace_caller", tracing.call(site.address, caller), site.code)
        expect("Site.state", "call ftrace_caller", site.state)
        expect("the site's disassembly is one instruction", False, ";" in site.disassembly)
        changed = [n for n, (old, new) in enumerate(zip(before, text_bytes(machine), strict=True)) if old != new]
        start = machine.kernel.image.symbol("_text")
        other = [start + n for n in changed if not site.address <= start + n < site.address + len(tracing.nop)]
        expect("addresses of other code that has changed", [], other)
        tracefs.write("trace", "")
        run(machine, "dd if=/proc/version bs=7 count=1 2> /dev/null > /dev/null")
        lines = [line for line in tracefs.read("trace").splitlines() if line and not line.startswith("#")]
        wrong = [line for line in lines if f": {_FUNCTION} <-sys_read" not in line]
        if not lines or wrong:
            fail(f"lines that end with `{_FUNCTION} <-sys_read`", wrong[0] if wrong else "no line")
        tracefs.write("current_tracer", "nop")
        expect("Site.state afterwards", "nop", site.state)
        expect("the whole text is as before", True, text_bytes(machine) == before)
        count = len(tracefs.read("trace").splitlines())
        run(machine, "cat /proc/version")
        expect("lines of the trace while no tracer is on", count, len(tracefs.read("trace").splitlines()))
        far = [(caller + way + n) % 2**64 for way in (_FAR, -_FAR) for n in range(0, 0x2000, 0x400)]
        if not any(_is_out_of_reach(tracing, site.address, target) for target in far):
            fail("FtraceArch.call() raises OutOfReach for a target that is too far away", f"none, as far as {_FAR >> 30} GiB")
        quiet(machine)


def _is_out_of_reach(tracing: FtraceArch, address: int, target: int) -> bool:
    try:
        tracing.call(address, target)
    except OutOfReach:
        return True
    return False


def protocols(arch: str) -> str:
    """All sites change under load on 4 CPUs, by each protocol, and the load's results are right."""
    names = ftrace_arch.load(arch).protocols
    for protocol in names:
        with booted(arch, 4, patching=protocol) as machine:
            _switch(machine, protocol)
    return ", ".join(names)


def _switch(machine: Machine, protocol: str) -> None:
    before = text_bytes(machine)
    run(machine, "busy 6 1 > /busy.log &")
    for n in range(_SWITCHES):
        machine.tracefs.write("current_tracer", ("function", "nop")[n % 2])
        machine.advance(20_000)
    machine.tracefs.write("current_tracer", "nop")
    expect(f"{protocol}: the whole text is as before", True, text_bytes(machine) == before)
    for _ in range(100):
        if not machine.advance(50_000_000, host_limit=60):
            break
    log = run(machine, "cat /busy.log")
    if " 0 errors" not in log:
        raise RungFailed(f"{protocol}: `busy 6 1` finds 0 errors while sites change", log or "it has not ended")
    tracing = machine.ftrace.arch
    if tracing.breakpoint is not None and protocol == tracing.protocols[0] and not machine.patching.breakpoints_hit:
        fail(f"{protocol}: some CPUs hit breakpoints at sites that are half changed", "none did")
    quiet(machine)
