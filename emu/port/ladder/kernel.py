# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of the guest's kernel: it links, it boots, its programs run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from emu.cpu import arch as cpu_arch
from emu.installation import firmware_directory, image_directory
from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.machine import GuestPanic, Machine
from emu.port.ladder import arch as templates_of
from emu.port.ladder.guest import booted, booted_with, contains, quiet, run, runs
from emu.port.ladder.rung import RungFailed, expect, fail

__all__ = ["boot", "link", "programs"]

_LAST_LINES = 25
_SIGILL, _SIGFPE, _SIGSEGV = 4, 8, 11
_NMIS, _SHORT = 3, 1_000_000  # nanoseconds
_SURVIVED = 1  # a program's status


def link(arch: str) -> str | None:
    """The kernel, its modules and programs are built from the sources as they are, and the host can read the image."""
    note = _build(arch)
    kernels, hardware = kernel_arch.load(arch), cpu_arch.load(arch)
    image = read_image(image_directory(arch) / "vmlinux", machine=kernels.elf_machine)
    expect("the image's byte order, as CpuArch.byte_order", {"little": "<", "big": ">"}[hardware.byte_order], image.byte_order)
    text = image.symbol("_text")
    expect("the physical address of _text", 16 << 20, text - hardware.kernel_map)
    if kernels.page_table is not None:
        image.symbol(kernels.page_table)
    if len(image.sites) < 1000:
        fail("over a thousand call sites in __mcount_loc", str(len(image.sites)))
    return note


def _build(arch: str) -> str | None:
    """Builds the images, unless they are those of the sources."""
    firmware = firmware_directory()
    command = [sys.executable, str(firmware / "tools/sources.py"), "--arch", arch]
    digest = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    recorded = image_directory(arch) / "SOURCES"
    if recorded.is_file() and recorded.read_text() == digest:
        return None
    make = ["make", f"-j{os.cpu_count() or 1}", "-C", str(firmware), f"ARCH={arch}"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(make, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path})
    if done.returncode:
        raise RungFailed(f"`make -C firmware ARCH={arch}` builds the images", "\n".join(done.stderr.splitlines()[-_LAST_LINES:]))
    return "built anew"


def boot(arch: str) -> None:
    """The kernel boots on 1, 2 and 4 CPUs, deterministically, and time and interrupts come to each."""
    most = cpu_arch.load(arch).max_cpus
    for cpus in (1, 2, 4):
        if cpus > most:
            continue
        with booted(arch, cpus, timing=None) as machine:
            expect("CPUs that are online", f"0-{cpus - 1}" if cpus > 1 else "0",
                run(machine, "cat /sys/devices/system/cpu/online").strip())
            runs(machine, "echo alive", "alive")
            run(machine, "; ".join(f"taskset -c {cpu} spin 20" for cpu in range(cpus)))
            lines = run(machine, "cat /proc/interrupts").splitlines()
            expect("columns of /proc/interrupts", cpus, len(lines[0].split()))
            counts = next(line for line in lines if line.lstrip().startswith("LOC:")).split()[1 : cpus + 1]
            if not all(map(int, counts)):
                fail("timer interrupts on each CPU", " ".join(counts))
            runs(machine, "uname -m", arch)
            if cpus > 1:
                for cpu in range(cpus):
                    expect(f"the CPU of a task that is bound to CPU {cpu}", f"{1 << cpu:x}",
                           run(machine, f"taskset -c {cpu} sh -c 'taskset -p $$'").split()[-1])  # fmt: skip
            contains("/proc/cpuinfo", [r"(?i)(processor|cpu)"], run(machine, "cat /proc/cpuinfo"))
            quiet(machine)
    ends = []
    for _ in range(2):
        with booted(arch, 2) as machine:
            run(machine, "ls / | wc -l")
            ends.append((machine.board.now, [cpu.record.instructions for cpu in machine.board.cpus]))
    expect("(time, instructions of each CPU) of the same run a second time", ends[0], ends[1])


def programs(arch: str) -> None:
    """Programs run: pipes, processes, threads, signals, faults, memory, timers."""
    with booted(arch, 2) as machine:
        runs(machine, "echo a b c | tr ' ' '\\n' | wc -l", "3")
        runs(machine, "echo $((6 * 7)) > /f; cat /f; test $(cat /f) = 42 && echo right", "42\nright")
        for command, expected in _COMMANDS.items():
            runs(machine, command, expected)
        for command, number in _FAULTS.items():
            run(machine, command, 128 + number)
        for what in ("priv", "hostcall"):
            status = machine.run(f"fault {what}").status
            if status not in (128 + _SIGILL, 128 + _SIGSEGV):
                fail(f"`fault {what}` is killed: status {128 + _SIGILL} or {128 + _SIGSEGV}", str(status))
        faults = ["SIGSEGV code 1 address right", "SIGSEGV code 2 address right", "SIGILL code", "SIGTRAP code"]
        status = machine.run("fault div0").status  # not everywhere does a division by zero trap
        if status == 128 + _SIGFPE:
            faults.insert(2, "SIGFPE code 1")
        elif status != _SURVIVED:
            fail(f"`fault div0`: status {128 + _SIGFPE}, or {_SURVIVED} if there is no such trap", str(status))
        contains("`signals faults`", faults, run(machine, "signals faults"))
        run(machine, "signals forged", 128 + _SIGSEGV)
        contains("a program with its mappings", [r"r-xp .*/bin/cat", r"\[stack\]"], run(machine, "cat /proc/self/maps"))
        expect("warnings about undefined instructions alone", [],
            [line for line in machine.warnings if "BUG" in line or "oops" in line])


        _interrupts(machine)
    _floating_point(arch)
    _peculiar(arch)
    _overflow(arch)


def _interrupts(machine: Machine) -> None:
    """Each kind of interrupt is counted where it comes."""
    text = templates_of.load(machine.board.arch.name)
    run(machine, "head -c 4096 /dev/ram0 > /dev/null")
    before = _counts(machine)
    for name in ("BLK", "RES", "CAL"):
        if not any(before[name]):
            fail(f"interrupts {name} in /proc/interrupts", "none")
    for _ in range(_NMIS):
        for cpu in range(len(before["NMI"]) if text.nmi_cause is not None else 0):
            machine.inject_nmi(cpu)
        machine.advance(_SHORT)
    if text.unused_vector is not None:
        machine.board.cpus[1].raise_interrupt(text.unused_vector)
        machine.advance(_SHORT)
    after = _counts(machine)
    if text.nmi_cause is not None:
        expect(f"NMIs on each CPU, after {_NMIS}", [count + _NMIS for count in before["NMI"]], after["NMI"])
    if text.unused_vector is not None:
        expect("spurious interrupts of CPU 1, after one", before["SPU"][1] + 1, after["SPU"][1])


def _counts(machine: Machine) -> dict[str, list[int]]:
    """/proc/interrupts: the counts of each CPU, by kind."""
    lines = [line.split() for line in run(machine, "cat /proc/interrupts").splitlines()]
    return {line[0].rstrip(":"): [int(count) for count in line[1 : 1 + len(lines[0])]] for line in lines[1:]}


def _overflow(arch: str) -> None:
    """A task that overflows its kernel stack ends the guest with a report of its calls."""
    with booted(arch, 2) as machine:
        try:
            machine.run("usleep 100; echo EXHAUST_STACK > /dev/lkdtm")
        except GuestPanic as panic:
            contains("the report of an overflow of the kernel's stack", [r"guest panic.*[Ss]tack", r"^  recursive_loop\+0x",
                r"^  lkdtm_EXHAUST_STACK\+0x"], str(panic))  # fmt: skip
        else:
            fail("a guest panic when a task overflows its kernel stack", "the guest goes on")


def _floating_point(arch: str) -> None:
    """Programs that take turns on one CPU keep their own registers of floating point, and begin with clear ones."""
    source = templates_of.load(arch).floating_point
    if not source:
        return
    with booted_with(arch, 1, "/floats", {"floats": source}) as (machine, _):
        run(machine, "/floats/floats", _RIGHT)
        runs(machine, "for n in 1 2 3; do (/floats/floats; echo $?) & done; wait", "\n".join([str(_RIGHT)] * 3))
        quiet(machine)


def _peculiar(arch: str) -> None:
    """Programs about what the architecture alone has."""
    programs = templates_of.load(arch).programs
    if not programs:
        return
    sources = {f"program{n}": source for n, source in enumerate(programs.values())}
    with booted_with(arch, 2, "/peculiar", sources) as (machine, _):
        for file, name in zip(sources, programs, strict=True):
            expect(f"the status of a program about {name}", _RIGHT, machine.run(f"/peculiar/{file}").status)
        quiet(machine)


_RIGHT = 42
_COMMANDS = {
    "getpid > /p; test $(cat /p) -gt 1 && echo right": "right",
    "signals handler": "caught 100, sum 4950",
    "signals restart": "with SA_RESTART: 1 x, caught 1\nwithout: -1 Interrupted system call, caught 2\n"
    "sleep: -1 Interrupted system call, some left 1",
    "signals altstack": "on the alternate stack 1, flags 1\non the alternate stack 0, flags 0\non the alternate stack 1, flags 1",
    "signals suspend": "Interrupted system call, caught 1\nblocked again 1",
    "signals queue | tail -1": "signal 0 code 0 from me value 0",
    "signals stop | tail -1": "SIGSEGV: killed by 11",
    "threads": "4 threads: counter 800, sum of results 6",
    "memcheck | sed 's/[0-9]* checks/checks/'": "memcheck: checks, 0 errors",
    "timers": "timers: 47 checks, 0 errors",
    "busy 4 1": "busy: 4 workers, 4 rounds, 0 errors",
    "swapexec 2 2": "swapexec: 2 workers, 4 rounds, 0 errors",
    "recurse 50 2": "-7600709040049988895",
    "nostack 10001; nostack fffffffffffff000; echo $?": "0",
    "exit17; echo $?": "17",
    "pingpong 20 > /dev/null; echo $?": "0",
    "hackbench -g 1 -l 5 > /dev/null; echo $?": "0",
}
_FAULTS = {
    "fault segv": _SIGSEGV, "fault kernel": _SIGSEGV, "fault stack 10000": _SIGSEGV, "fault stack fffffffffffff000": _SIGSEGV,
    "fault sleep 10000": _SIGSEGV, "fault sleep 400200": _SIGSEGV, "fault ud": _SIGILL,
    "fault exec": _SIGSEGV,
}  # fmt: skip
