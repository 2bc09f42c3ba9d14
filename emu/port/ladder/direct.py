# SPDX-License-Identifier: GPL-2.0-only
"""Direct calls that a module changes: one by one, of several functions at once, and what it must not do."""

from __future__ import annotations

from emu.machine import Machine
from emu.port.ladder.guest import run
from emu.port.ladder.rung import expect

__all__ = ["check_changes"]

_MODULE = "sample_direct"
_PARAMETERS = f"/sys/module/{_MODULE}/parameters"
_ANSWER = 42  # of sample_direct_42


def _do(machine: Machine, command: str) -> str:
    """Has the module call the kernel: what it says, "" if that succeeds."""
    said = machine.run(f"echo '{command}' > {_PARAMETERS}/do").output.decode(errors="replace").strip()
    return said.rpartition(": ")[2]


def _calls(machine: Machine) -> int:
    """How often a call of getpid() has counted."""
    before, _, after = run(machine, f"cat {_PARAMETERS}/calls; getpid; cat {_PARAMETERS}/calls").split()
    return int(after) - int(before)


def check_changes(machine: Machine) -> None:
    """Sites call what the module says, of a filter that it changes, and refuse what cannot be."""
    run(machine, f"insmod /lib/modules/{_MODULE}.ko")
    count, answer = (machine.kernel.modules.symbol(_MODULE, f"{_MODULE}_{name}") for name in ("tramp", "42"))
    site = machine.site("sys_getpid").address

    def does(command: str, *numbers: int, error: str = "") -> None:
        words = " ".join([command, *(f"{number:x}" for number in numbers)])
        expect(f"what `{words}` has the kernel say", error, _do(machine, words))

    def listed(*names: str) -> None:
        lines = machine.tracefs.read("enabled_functions").splitlines()
        expect("functions with direct calls", sorted(names), sorted(line.split()[0] for line in lines if line[0] != "\t"))

    does("r", site, 0, error="Invalid argument")
    does("u", site, count, error="No such device")
    does("r", site, answer)
    expect("the result of getpid(), whose site calls a function that returns 42", _ANSWER, int(run(machine, "getpid")))
    does("r", site, count, error="Device or resource busy")
    does("m", site, answer, count)
    expect("calls of a function, once for getpid()", 1, _calls(machine))
    does("u", site, 0, error="Invalid argument")
    does("u", site, count)
    listed()
    does("R", count, error="Invalid argument")
    does("=sys_getp*id")
    does("+sys_getuid")
    does("R", count)
    listed("sys_getpid", "sys_getppid", "sys_getpgid", "sys_getuid")
    expect("calls of a function, for one of several", 1, _calls(machine))
    does("+sys_getgid", error="Device or resource busy")
    does("f", site, 1, 0, error="Device or resource busy")
    does("M", answer)
    expect("the result of getpid(), one of several whose sites return 42", _ANSWER, int(run(machine, "getpid")))
    does("U", count, error="Invalid argument")
    does("U", answer)
    listed()
    does("+!sys_getp*id")
    does("+!sys_getp*id", error="No such file or directory")
    does("f", site, 0, 0)
    does("R", count)
    listed("sys_getpid", "sys_getuid")
    does("U", count)
    does("f", site, 0, 1)
    does("R", count)
    listed("sys_getpid")
    does("U", count)
    does("=", error="Invalid argument")
    does("f", site + 1, 0, 0, error="Invalid argument")
    run(machine, f"rmmod {_MODULE}")
