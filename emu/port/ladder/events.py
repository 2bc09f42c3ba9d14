# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of modules, static keys, events and system calls' metadata."""

from __future__ import annotations

import re

import numpy as np

from emu.machine import Machine
from emu.port.ladder.devices import check_devices, check_places
from emu.port.ladder.guest import booted, contains, quiet, run, runs, text_bytes, traced
from emu.port.ladder.rung import expect, fail

__all__ = ["events", "keys", "modules", "syscall_metadata"]

_CRASHES = {
    "null": r"\bip [0-9a-f]{16}  sample_crash_null", "text": r"\bip [0-9a-f]{16}  sample_crash_text",
    "jump": r"\bip [0-9a-f]{16}", "wild": r"\bip [0-9a-f]{16}",
}  # fmt: skip
_LATER = ("sample_use", "sample_crash", "sample_fail", "sample_bug", "sample_io", "testmmiotrace")
_MOST_LEFT_OUT = 20
_LOST = 200  # KiB: less than one ext2


def modules(arch: str) -> str:
    """Modules are loaded, relocated and unloaded; their functions are traced from the first instruction on."""
    with booted(arch, 2) as machine:
        names = [word.removesuffix(".ko") for word in run(machine, "ls /lib/modules").split() if word.endswith(".ko")]
        for name in names:
            if name not in _LATER:
                run(machine, f"insmod /lib/modules/{name}.ko && rmmod {name.replace('-', '_')}")
        both = "insmod /lib/modules/sample_export.ko; insmod /lib/modules/sample_use.ko; rmmod sample_use; rmmod sample_export"
        contains("two modules, one of which calls the other", ["the sum is 14"], run(machine, both))
        quiet(machine)
        tracefs = machine.tracefs
        tracefs.write("set_ftrace_filter", "*:mod:sample_timer")
        tracefs.write("current_tracer", "function")
        text = traced(machine, "insmod /lib/modules/sample_timer.ko period=1; sleep 0.01; rmmod sample_timer")
        contains("calls of a module's functions",
            [r"sample_timer_init \[sample_timer\] <-do_one_initcall",
                r"sample_count \[sample_timer\] <-sample_thread \[sample_timer\]", r"sample_timer_exit"], text)
        tracefs.write("current_tracer", "nop")
        tracefs.write("set_ftrace_filter", "")
        _disks(machine)
        before = _free_memory(machine)
        run(machine, "for n in 1 2 3 4 5 6 7 8; do modprobe ext2; rmmod ext2; done")
        lost = before - _free_memory(machine)
        if lost > _LOST:
            fail(f"loading a module eight times costs at most {_LOST} KiB of memory", f"{lost} KiB")
        quiet(machine)
    _protected(arch)
    return f"{len(names)} modules"


def _disks(machine: Machine) -> None:
    """ext2 has all kinds of relocations and calls."""
    run(machine, "modprobe ext2")
    contains("/proc/modules", [r"^ext2 \d+ 0 - Live 0x[0-9a-f]{16}"], run(machine, "cat /proc/modules"))
    run(machine, "mkdir -p /mnt; mount -t ext2 /dev/ram0 /mnt", machine.run("mkdir -p /mnt; mount -t ext2 /dev/ram0 /mnt").status)
    run(machine, "rmmod ext2")


def _free_memory(machine: Machine) -> int:
    """In KiB."""
    found = re.search(r"MemFree: +(\d+) kB", run(machine, "cat /proc/meminfo"))
    return int(found[1]) if found else 0


def _protected(arch: str) -> None:
    """The code of modules cannot be written, and what goes to places where nothing is, is an oops of its task alone."""
    for how, place in _CRASHES.items():
        with booted(arch, 2) as machine:
            machine.run(f"insmod /lib/modules/sample_crash.ko how={how} where=thread; sleep 0.01")
            contains(f"the report about a module that crashes by `{how}`", ["oops", place], "\n".join(machine.warnings))
            run(machine, "echo alive")


def keys(arch: str) -> str:
    """A static key's branches follow it, under load on 4 CPUs, and change nothing else."""
    protocols = []
    with booted(arch, 2) as machine:
        branches = _branches(machine)
        tracing, memory = machine.ftrace.arch, machine.kernel.memory
        size = len(tracing.key_nop)
        off = {code: memory.read(code, size) for code, _ in branches}
        wrong = [code for code, held in off.items() if held != tracing.key_nop]
        if len(wrong) > _MOST_LEFT_OUT:
            fail(f"branches of keys that are off hold {tracing.key_nop.hex(' ')}", f"{len(wrong)} of {len(off)} do not")
        before = text_bytes(machine)
        machine.tracefs.write("events/sched/enable", "1")
        on = [(code, target) for code, target in branches if memory.read(code, size) != off[code]]
        if not on:
            fail("branches that change when events are enabled", "none")
        for code, target in on:
            expect(f"the branch at {code:#x} while its key is on", tracing.jump(code, target), memory.read(code, size))
        text = traced(machine, "getpid > /dev/null; sleep 0.001")
        contains("events behind branches", ["sched_switch: prev_comm=", "sched_wakeup: comm="], text)
        machine.tracefs.write("events/sched/enable", "0")
        expect("the text with all keys off again is as before", True, before == text_bytes(machine))
        quiet(machine)
    for protocol in tracing.protocols:
        with booted(arch, 4, patching=protocol) as machine:
            protocols.append(protocol)
            run(machine, "busy 6 1 > /busy.log &")
            for n in range(10):
                machine.tracefs.write("events/enable", str((n + 1) % 2))
                machine.advance(20_000)
            for _ in range(100):
                if not machine.advance(50_000_000, host_limit=60):
                    break
            contains(f"{protocol}: a load while keys change", [" 0 errors"], run(machine, "cat /busy.log"))
            quiet(machine)
    return f"{len(branches)} branches; {', '.join(protocols)}"


def _branches(machine: Machine) -> list[tuple[int, int]]:
    """The address and the target of each branch of a static key in the kernel."""
    memory, image = machine.kernel.memory, machine.kernel.image
    layout = image.structure("jump_entry", ("code", "target", "key"))
    start, stop = image.symbol("__start___jump_table"), image.symbol("__stop___jump_table")
    table = np.frombuffer(memory.read(start, stop - start), layout)
    return [(code, target) for code, target, _ in table.tolist()]


def events(arch: str) -> None:
    """Events of the scheduler, interrupts, system calls and page faults; filters, triggers and histograms; latency tracers."""
    with booted(arch, 2) as machine:
        tracefs = machine.tracefs
        for name in ("sched/sched_switch", "irq", "timer", "kmem/kmalloc", "task", "signal"):
            tracefs.write(f"events/{name}/enable", "1")
        text = traced(machine, "ls /bin | wc -l > /dev/null; fault ud 2> /dev/null; taskset -c 1 spin 10; sleep 0.001", 0)
        contains("events", [r"task_newtask: pid=\d+ comm=sh"], text)
        for pattern in (r"sched_switch: prev_comm=", r"irq_handler_entry|softirq_entry",
            r"hrtimer_expire_entry|timer_expire_entry",
                        r"kmalloc: call_site=\w+\+0x", r"signal_generate: sig=4"):  # fmt: skip
            contains("events", [pattern], text)
        tracefs.write("events/enable", "0")
        # A string of the program's memory, and one that a histogram has as its key.
        tracefs.write("events/syscalls/sys_enter_openat/filter", 'filename.ustring ~ "/proc/ver*"')
        tracefs.write("events/syscalls/sys_enter_openat/enable", "1")
        lines = [line for line in traced(machine, "cat /proc/version /proc/cpuinfo > /dev/null").splitlines()
            if "sys_openat" in line]
        expect("opens of /proc/version that a filter lets through", 1, len(lines))
        tracefs.write("events/enable", "0")
        tracefs.write("events/sched/sched_switch/trigger", "hist:keys=stacktrace if prev_state == 1")
        run(machine, "sleep 0.001")
        contains("a histogram of stacks", [r"^ +schedule\+0x", "hitcount:"], tracefs.read("events/sched/sched_switch/hist"))
        tracefs.write("events/sched/sched_switch/trigger", "!hist:keys=stacktrace if prev_state == 1")
        quiet(machine)
        _latencies(machine)
        _preemptirq(machine)
        has_devices = "mmiotrace" in tracefs.read("available_tracers").split()
        if has_devices:
            check_devices(machine)
    if has_devices:
        check_places(arch)


def _latencies(machine: Machine) -> None:
    tracefs = machine.tracefs
    for tracer, mode in (("irqsoff", "irq"), ("preemptoff", "preempt")):
        tracefs.write("current_tracer", tracer)
        tracefs.write("tracing_max_latency", "0")
        sections = f"test_mode={mode} delay=2000 burst_size=4"
        run(machine, f"insmod /lib/modules/preemptirq_delay_test.ko {sections}; sleep 0.02; rmmod preemptirq_delay_test")
        latency = int(tracefs.read("tracing_max_latency"))
        if not 2000 <= latency < 4000:
            fail(f"{tracer} finds a delay of 2,000 us", f"{latency} us")
        ends = [r"=> started at: preemptirqtest_\d", r" tracer_(hardirqs|preempt)_on <-preemptirqtest_\d"]
        contains(f"the trace of {tracer}", ends, tracefs.read("trace"))
    tracefs.write("current_tracer", "wakeup_rt")
    tracefs.write("tracing_max_latency", "0")
    run(machine, "chrt -f 5 usleep 1000")
    if not 0 < int(tracefs.read("tracing_max_latency")) < 10_000:
        fail("wakeup_rt finds a latency below 10,000 us", tracefs.read("tracing_max_latency").strip())
    tracefs.write("current_tracer", "nop")
    quiet(machine)


def _preemptirq(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("events/preemptirq/enable", "1")
    text = traced(machine, "getpid > /dev/null; fault segv 2> /dev/null", 128 + 11)
    for name in ("irq_disable", "irq_enable", "preempt_disable", "preempt_enable"):
        contains("events of the interrupt mask and of preemption", [rf"{name}: caller=\w+"], text)
    tracefs.write("events/enable", "0")
    if "exceptions" in tracefs.listdir("events"):
        tracefs.write("events/exceptions/enable", "1")
        contains("page faults", [r"page_fault_user: address="], traced(machine, "getpid > /dev/null"))
        tracefs.write("events/enable", "0")


def syscall_metadata(arch: str) -> str:
    """System calls have events with their arguments and results, numbered as programs call them."""
    with booted(arch, 2) as machine:
        tracefs = machine.tracefs
        for name in ("raw_syscalls/sys_enter", "raw_syscalls/sys_exit", "syscalls"):
            tracefs.write(f"events/{name}/enable", "1")
        text = traced(machine, "getpid > /p; dd if=/proc/version bs=7 count=1 2> /dev/null > /dev/null; nosuch 2> /dev/null", 127)
        tracefs.write("events/enable", "0")
        pid = run(machine, "cat /p").strip()
        mine = "\n".join(line for line in text.splitlines() if f"getpid-{pid} " in line)
        contains("events of getpid()", [r"sys_enter: NR (\d+) \(", r"sys_getpid\(\)$", r"sys_exit: NR \d+ = ",
            r"sys_getpid -> 0x"], mine)
        number = re.search(r"sys_enter: NR (\d+) .*\n.*sys_getpid\(\)", mine)
        result = re.search(r"sys_getpid -> 0x([0-9a-f]+)", mine)
        expect("the result of getpid() in its event, and what the program prints", int(pid), int(result[1], 16) if result
            else None)
        contains("a read with its arguments", [r"sys_read\(fd: [0-9a-f]+, buf: [0-9a-f]+, count: 7\)", r"sys_read -> 0x7$"], text)
        contains("an error's result", [r"sys_\w+ -> 0xf{14}[0-9a-f]{2}$"], text)
        known = [name for name in tracefs.listdir("events/syscalls") if name.startswith("sys_enter_")]
        if len(known) < 100:
            fail("events of more than 100 system calls", str(len(known)))
        quiet(machine)
        runs(machine, "getpid > /p; test $(cat /p) -gt 1; echo $?", "0")
        return f"{len(known)} system calls; getpid is number {number[1] if number else '?'}"
