# SPDX-License-Identifier: GPL-2.0-only
"""Machines in their state after the boot. A used machine is restored to it, and serves other tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from emu.cpu import arch as cpu_arch
from emu.cpu.snapshot import Checkpoint
from emu.machine import Machine

__all__ = ["booted_machine"]

_KEPT = 8  # some 20 MiB each

_Options = frozenset[tuple[str, int | str]]


class _Idle(NamedTuple):
    """A machine that no test uses at the moment."""

    options: _Options
    machine: Machine
    after_boot: Checkpoint


_idle: list[_Idle] = []  # the most recently used one is at the end


@contextmanager
def booted_machine(arch: str, cpus: int = 2, **options: int | str) -> Iterator[Machine]:
    """A machine in its state after the boot: new, or restored to that state. Tests cannot tell the difference.

    It is for tests that keep no object of the machine. After an error, the machine is closed: no other test gets it.

    Args:
        arch: name of the architecture.
        cpus: the number of CPUs.
        options: other arguments of Machine. They must be numbers and texts, which need not be restored.
    """
    options.setdefault("timing", cpu_arch.load(arch).default_timing)
    wanted = frozenset({"arch": arch, "cpus": cpus, **options}.items())
    one = _take(wanted) or _boot(wanted)
    with ExitStack() as closed:
        closed.enter_context(one.machine)
        yield one.machine
        one.machine.restore(one.after_boot)
        closed.pop_all()
    _idle.append(one)
    if len(_idle) > _KEPT:
        _idle.pop(0).machine.close()


def _take(wanted: _Options) -> _Idle | None:
    for number, one in enumerate(_idle):
        if one.options == wanted:
            return _idle.pop(number)
    return None


def _boot(options: _Options) -> _Idle:
    machine = Machine(**dict(options))
    return _Idle(options, machine, machine.checkpoint())
