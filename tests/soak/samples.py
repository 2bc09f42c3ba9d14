# SPDX-License-Identifier: GPL-2.0-only
"""Linux's tracing samples are loaded and removed while four CPUs work, tracers change, and events and probes are switched: the
samples' hooks exist exactly while they are loaded, the load is not affected, and a second run gives the same results."""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass

from emu.machine import Machine
from tests.lib.tracer_switches import text_bytes
from tests.lib.trampoline_places import free_places, trampolines

__all__ = ["Loaded", "ModuleFailure", "load"]

_CPUS = 4
_MEMORY = 64 << 20
_TRACING = "/sys/kernel/tracing"
_LOAD = (
    "rm -f /done; (ls /bin | sed s/[aeiou]/z/g > /names; busy 4 1; threads -n 3 count; memhog 1; cat /names; "
    "hackbench -g 1 -f 2 -l 10 > /dev/null; echo $?; > /done) > /busy.log 2>&1 &"
)
_CHECKED = 15  # changes between checks of everything
_LONGEST = 50_000  # cycles between two changes
_PERIOD = 220_000_000  # cycles in which every sample's threads have done something
_BUFFER_KB = 64

# The functions with a direct call to each module. A function can have one direct call, and then no module may probe it.
_DIRECT = {
    "ftrace-direct": {"wake_up_process"},
    "ftrace-direct-too": {"handle_mm_fault"},
    "ftrace-direct-modify": {"schedule"},
    "ftrace-direct-multi": {"wake_up_process", "schedule"},
    "ftrace-direct-multi-modify": {"wake_up_process", "schedule"},
}
_PROBED = ("kernel_clone", "vfs_read", "handle_mm_fault", "do_exit")
_PARAMETERS = {"kprobe_example": "symbol", "kretprobe_example": "func"}
_OTHERS = (*_PARAMETERS, "sample_kprobes", "sample-trace-array", "trace-events-sample")
_WROTE = re.compile(r" \[ftrace_direct\w*\]: |: foo_\w+: |: trace_array_printk: |: sample_event: ")
_REGISTERED = re.compile(r"^(\w+) \(\d+\) [R ] [I ] D", re.MULTILINE)

_TRACERS = ("function", "function_graph", "nop", "nop", "irqsoff", "wakeup_rt")
_FILTERS = ("", "schedule wake_up_process handle_mm_fault", "*:mod:ftrace_direct*", "vfs_* my_direct_func*", "kernel_clone")
_KPROBES = (
    "p:one wake_up_process task=$arg1", "r:two handle_mm_fault ret=$retval", "p:three schedule", "r:four kernel_clone $retval",
)  # fmt: skip
_EVENTS = ("sched", "irq", "raw_syscalls", "kprobes", "sample-trace", "sample-subsystem", "module")
_OF_SAMPLE_KPROBES = (
    ("probe", ("sample_kprobes_work", "sample_kprobes_work+8", "vfs_read", "finish_task_switch", "-")),
    ("retprobe", ("sample_kprobes_depth", "vfs_write", "try_to_wake_up", "kernel_clone", "-")),
    ("enabled", ("0", "1")),
)  # fmt: skip


class ModuleFailure(AssertionError):
    """The guest made an error."""


@dataclass(frozen=True)
class Loaded:
    """The results of a run. `digest`: of the traces, and of RAM at the end."""

    modules: int  # loaded
    refused: int  # because a function already has a direct call or a probe
    wrote: int  # lines of the modules in traces
    digest: str


def load(arch: str, changes: int, seed: int) -> Loaded:
    """Makes `changes` changes; half of them load or remove a module.

    Raises:
        ModuleFailure: the load was affected, there was a warning, tracing is off, or the hooks are not those of the modules.
        GuestPanic: the guest panicked.
    """
    with Machine(arch=arch, cpus=_CPUS, seed=seed, memory=_MEMORY) as machine:
        return _Session(machine, random.Random(seed)).run(changes)


class _Session:
    """A machine, and the modules that are loaded.

    Args:
        machine: an unused one.
        choose: the random generator.
    """

    def __init__(self, machine: Machine, choose: random.Random) -> None:
        self._machine = machine
        self._choose = choose
        self._there: dict[str, set[str]] = {}  # by module: the functions with its direct calls or probes
        here = machine.run("ls /lib/modules").output.decode().split()
        self._modules = [name for name in (*_DIRECT, *_OTHERS) if f"{name}.ko" in here]
        self._come = self._refused = self._wrote = 0
        self._digest = hashlib.sha256()

    def run(self, changes: int) -> Loaded:
        machine, choose = self._machine, self._choose
        machine.run(f"dmesg -n 1; {_LOAD}")
        right = self._worked()
        machine.tracefs.write("buffer_size_kb", str(_BUFFER_KB))
        before = text_bytes(machine)
        for n in range(changes):
            if n % _CHECKED == 0:
                machine.patching.protocol = choose.choice(machine.ftrace.arch.protocols)
                machine.run(_LOAD)
            (self._come_or_go if choose.random() < 0.5 else self._change)()
            machine.advance(choose.randrange(_LONGEST))
            if (n + 1) % _CHECKED == 0 or n + 1 == changes:
                if (result := self._worked()) != right:
                    raise ModuleFailure(f"{right}\nhas become\n{result}")
                machine.advance(_PERIOD)
                self._check()
        self._take_back()
        if text_bytes(machine) != before:
            raise ModuleFailure("everything was taken back, and the kernel's code is not what it was")
        self._digest.update(machine.board.ram)
        if (places := free_places(machine)) != (all_places := len(trampolines(machine))):
            raise ModuleFailure(f"everything was taken back, and of {all_places} places for code {places} are free")
        return Loaded(self._come, self._refused, self._wrote, self._digest.hexdigest())

    # Changes

    def _come_or_go(self) -> None:
        """Loads or removes a module; a third of the time while the guest sets a tracer."""
        name = self._choose.choice(self._modules)
        command, allowed, hooked = f"rmmod {name.replace('-', '_')}", True, _DIRECT.get(name, set())
        if name not in self._there:
            command = f"insmod /lib/modules/{name}.ko"
            if name in _PARAMETERS:
                hooked = {probed := self._choose.choice(_PROBED)}
                command += f" {_PARAMETERS[name]}={probed}"
            allowed = not any(hooked & others for other, others in self._there.items() if {name, other} & _DIRECT.keys())
        if self._choose.random() < 0.3:
            command = f"{command} & echo {self._choose.choice(_TRACERS)} > {_TRACING}/current_tracer; wait $!"
        done = self._machine.run(command)
        if (done.status == 0) != allowed or not (allowed or b"resource busy" in done.output):
            raise ModuleFailure(f"{command}, with {self._there}: {done.output.decode(errors='replace')}")
        if name in self._there:
            del self._there[name]
        elif allowed:
            self._there[name] = hooked
            self._come += 1
        else:
            self._refused += 1

    def _change(self) -> None:
        choose, tracefs = self._choose, self._machine.tracefs
        match choose.randrange(7):
            case 0 | 1:
                tracefs.write("current_tracer", choose.choice(_TRACERS))
            case 2:
                tracefs.write("set_ftrace_filter", "")
                tracefs.write("set_ftrace_filter", choose.choice(_FILTERS[: None if "ftrace-direct" in self._there else 2]))
            case 3 | 4:
                if tracefs.exists(f"events/{(system := choose.choice(_EVENTS))}"):
                    tracefs.write(f"events/{system}/enable", choose.choice("0111"))
            case 5:
                self._switch_kprobe(choose.choice(_KPROBES))
            case _:
                self._use_module()

    def _switch_kprobe(self, line: str) -> None:
        """Removes an event if it exists; otherwise defines and enables it."""
        tracefs = self._machine.tracefs
        _, _, name = line.split()[0].partition(":")
        if tracefs.exists(enable := f"events/kprobes/{name}/enable"):
            tracefs.write(enable, "0")
            tracefs.append("kprobe_events", f"-:{name}")
        else:
            tracefs.append("kprobe_events", line)
            tracefs.write(enable, "1")

    def _use_module(self) -> None:
        """sample_kprobes probes something else, and calls its functions; sample-trace-array's instance is removed if allowed."""
        machine, choose = self._machine, self._choose
        if "sample_kprobes" in self._there:
            file, words = choose.choice(_OF_SAMPLE_KPROBES)
            command = f"cd /sys/module/sample_kprobes/parameters; (echo {choose.choice(words)} > {file}) 2> /dev/null"
            if (depth := machine.run(f"{command}; echo 7 > depth; cat depth").output) != b"7\n":
                raise ModuleFailure(f"{command}: {depth!r}")
        elif machine.tracefs.exists("instances/sample-instance"):
            status = machine.run(f"rmdir {_TRACING}/instances/sample-instance").status
            if (status == 0) == ("sample-trace-array" in self._there):
                raise ModuleFailure(f"the instance's rmdir has the status {status}, with {self._there}")

    def _take_back(self) -> None:
        tracefs = self._machine.tracefs
        tracefs.write("current_tracer", "nop")
        tracefs.write("events/enable", "0")
        tracefs.write("kprobe_events", "")
        for name in reversed(self._there):
            if self._machine.run(f"rmmod {name.replace('-', '_')}").status:
                raise ModuleFailure(f"{name} cannot go")
        self._there.clear()
        for name in tracefs.listdir("instances"):
            tracefs.rmdir(f"instances/{name}")
        self._check()
        if left := tracefs.read("enabled_functions") + self._kprobes():
            raise ModuleFailure(f"everything was taken back, and there are {left}")

    # Checks

    def _worked(self) -> str:
        """The load's output after it has ended."""
        return self._machine.run("until [ -e /done ]; do usleep 500; done; cat /busy.log").output.decode(errors="replace")

    def _kprobes(self) -> str:
        return self._machine.run("cat /sys/kernel/debug/kprobes/list").output.decode(errors="replace")

    def _check(self) -> None:
        machine, tracefs = self._machine, self._machine.tracefs
        if machine.warnings:
            raise ModuleFailure("\n".join(machine.warnings))
        if tracefs.read("tracing_on") != "1\n" or not machine.ftrace_enabled:
            raise ModuleFailure("tracing is off")
        registered = set(_REGISTERED.findall(tracefs.read("enabled_functions")))
        if registered != (wanted := set().union(*(_DIRECT.get(name, set()) for name in self._there))):
            raise ModuleFailure(f"{registered} make direct calls, and {wanted} should, with {self._there}")
        folders = ["", *(f"instances/{name}/" for name in tracefs.listdir("instances"))]
        for folder in folders:
            text = tracefs.read(f"{folder}trace")
            self._wrote += len(_WROTE.findall(text))
            self._digest.update(text.encode())
            tracefs.write(f"{folder}trace", "")
