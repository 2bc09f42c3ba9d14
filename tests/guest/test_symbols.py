# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's symbols: names that Linux users know, variables, and functions that gcc has cloned."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from emu.trace.machine_description import kallsyms
from emu.trace.symbols import KernelSymbols
from tests.lib.booted_machine import booted_machine

CLONE = "__sched_fork.constprop.0"


@pytest.fixture(scope="module")
def booted(arch: str) -> Iterator[Machine]:
    with booted_machine(arch) as machine:
        yield machine


@pytest.fixture(autouse=True)
def tidy(booted: Machine) -> Iterator[None]:
    yield
    for file, text in (("kprobe_events", ""), ("current_tracer", "nop"), ("set_ftrace_filter", ""), ("trace", "")):
        booted.tracefs.write(file, text)


def probed(machine: Machine, command: str, *probes: str) -> str:
    """The trace of probes while a command runs."""
    machine.tracefs.write("kprobe_events", "\n".join(probes))
    machine.tracefs.write("events/kprobes/enable", "1")
    assert machine.run(command).status == 0
    machine.tracefs.write("events/kprobes/enable", "0")
    return machine.tracefs.read("trace")


def test_the_directory_of_an_instance_is_made_by_its_function(booted: Machine) -> None:
    instances = "/sys/kernel/tracing/instances"
    made = probed(booted, f"mkdir {instances}/mine; rmdir {instances}/mine", "p:made tracefs_create_dir name=+0($arg1):string")
    assert re.findall(r"made: \(tracefs_create_dir\+0x0/0x\w+\) name=\"(\w+)\"$", made, re.M) == ["mine"]


def test_proc_version_is_made_from_the_banner(booted: Machine) -> None:
    text = probed(booted, "cat /proc/version", "p:shown version_proc_show banner=@linux_proc_banner:string")
    (banner,) = re.findall(r' banner="(.*)\n"$', text, re.M)
    system, release, version = booted.run("uname -s; uname -r; uname -v").output.decode().splitlines()
    assert booted.run("cat /proc/version").output.decode() == banner % (system, release, version) + "\n"


@pytest.mark.parametrize("command", ["sysctl -w kernel.watchdog_thresh=9", "modprobe kprobe_example; rmmod kprobe_example"])
def test_no_cpu_comes_meanwhile(booted: Machine, command: str) -> None:
    locked = probed(booted, command, "p:lock cpus_read_lock", "p:unlock cpus_read_unlock")
    calls = re.findall(r" (lock|unlock): \(cpus_read_", locked)
    assert calls and calls == ["lock", "unlock"] * (len(calls) // 2)


def test_a_histogram_names_variables(booted: Machine) -> None:
    lock = booted.kernel.image.symbol("tasklist_lock")
    for modifier, name in (("sym", "tasklist_lock"), ("sym-offset", r"tasklist_lock\+0x0/0x\w+")):
        trigger = f"hist:keys=lock_addr.{modifier}"
        booted.tracefs.write("events/lock/contention_begin/trigger", trigger)
        booted.run("for i in 1 2 3 4 5 6; do true & true & true; done; wait; hackbench -g 2 -l 3")
        table = booted.tracefs.read("events/lock/contention_begin/hist")
        booted.tracefs.append("events/lock/contention_begin/trigger", f"!{trigger}")
        assert re.search(rf"^{{ lock_addr: \[{lock:x}\] {name} +}} hitcount:", table, re.M), table


def test_an_argument_names_variables(booted: Machine) -> None:
    """symstr for variables of the kernel and of a module; an address behind the kernel's end has no name."""
    booted.run("modprobe sample_timer")
    probes = ("p:irq _raw_spin_lock_irq lock=$arg1:symstr", "p:save _raw_spin_lock_irqsave lock=$arg1:symstr")
    text = probed(booted, "usleep 20000; rmmod sample_timer", *probes)
    names = set(re.findall(r' lock="(\w+)\+0x\w+/0x\w+( \[\w+\])?"$', text, re.M))
    assert {("tasklist_lock", ""), ("lock", " [sample_timer]")} <= names, names
    symbols = booted.trace_array.recorder.globals.symbols
    end = booted.kernel.image.symbol("_end")
    assert symbols.function(end) is None and symbols.function(end - 1) is not None


def test_of_several_symbols_the_one_is_shown_that_linux_shows(booted: Machine) -> None:
    """Variables come before labels of the linker script, and names with fewer underscores first."""
    shown = KernelSymbols(kallsyms(booted.kernel).encode())
    image = booted.kernel.image
    assert image.symbol("idle_sched_class") == image.symbol("__begin_sched_classes")
    assert shown.name_of(image.symbol("__begin_sched_classes")) == "idle_sched_class"
    symbols = booted.trace_array.recorder.globals.symbols
    assert symbols.function("idle_sched_class") == symbols.function(image.symbol("__begin_sched_classes"))


def test_the_host_lists_what_the_kernel_lists(booted: Machine) -> None:
    """The only difference: of several symbols at one address, all except the first are absolute in the host's list."""
    booted.run("modprobe sample_timer")
    host, guest = (
        re.findall(r"^(\w{16}) (\S) (.*)$", text, re.M)
        for text in (kallsyms(booted.kernel), booted.run("cat /proc/kallsyms").output.decode())
    )
    booted.run("rmmod sample_timer")
    own, theirs = ([(address, name) for address, _, name in lines if "\t" not in name] for lines in (host, guest))
    assert own == theirs
    assert all(kind in ("A", theirs) for (_, kind, name), (_, theirs, _) in zip(host, guest, strict=False) if "\t" not in name)
    shown = [address for address, kind, name in host if kind != "A" and name != "_stext"]
    assert len(shown) == len(set(shown))
    assert {"beats\t[sample_timer]", "period\t[sample_timer]"} <= {name for _, _, name in host}
    assert {address for address, _, _ in guest} <= {address for address, _, _ in host}


def test_functions_that_gcc_has_cloned(booted: Machine) -> None:
    """They are listed, filtered, probed and suggested by gcc's names."""
    tracefs = booted.tracefs
    functions = tracefs.read("available_filter_functions").splitlines()
    for kind in ("isra", "constprop"):
        clones = [name for name in functions if f".{kind}." in name]
        assert len(clones) > 10
        tracefs.write("set_ftrace_filter", f"*.{kind}.*")
        assert tracefs.read("set_ftrace_filter").splitlines() == clones
    assert CLONE in functions and CLONE.partition(".")[0] not in functions
    with pytest.raises(TraceError, match=f"did you mean {CLONE}"):
        tracefs.write("set_ftrace_filter", CLONE.partition(".")[0])

    tracefs.write("set_ftrace_filter", f"{CLONE}\nsched_fork")
    tracefs.write("current_tracer", "function_graph")
    booted.run("true")
    assert "  sched_fork() {\n" in (graph := tracefs.read("trace")) and f"    {CLONE}();\n" in graph
    tracefs.write("current_tracer", "nop")

    text = probed(booted, "true", f"p {CLONE}", f"r {CLONE}")
    assert re.search(rf" p___sched_fork_constprop_0_0: \({CLONE}\+0x0/0x\w+\)$", text, re.M)
    assert re.search(rf" r___sched_fork_constprop_0_0: \(sched_fork\+0x\w+/0x\w+ <- {CLONE}\)$", text, re.M)
