# SPDX-License-Identifier: GPL-2.0-only
"""Machines in their state after the boot. A used machine is restored to it, and serves other tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

from emu.cpu import arch as cpu_arch
from emu.cpu.snapshot import Checkpoint
from emu.machine import Machine

__all__ = ["booted_machine", "machine_of_command"]

_KEPT = 8  # some 20 MiB each


class _Calls:
    """What a command's machine calls, for one command after another. Each also gets what was called during the boot."""

    def __init__(self, callers: Mapping[str, Callable[..., object]]) -> None:
        self._callers = callers
        self._boot: list[tuple[str, object]] = []
        self.booting = True

    def call(self, name: str, value: object) -> None:
        if self.booting:
            self._boot.append((name, value))
        self._callers[name](value)

    def serve(self, callers: Mapping[str, Callable[..., object]]) -> None:
        self._callers = callers
        for name, value in self._boot:
            callers[name](value)


class _Booted(NamedTuple):
    """A machine, and its state after the boot. `calls`: of a command's machine."""

    options: frozenset[tuple[str, object]]
    machine: Machine
    after_boot: Checkpoint
    calls: _Calls | None = None


_idle: list[_Booted] = []  # those that nothing uses at the moment; the most recently used one is at the end


@contextmanager
def booted_machine(arch: str, cpus: int = 2, **options: int | str) -> Iterator[Machine]:
    """A machine in its state after the boot: new, or restored to that state. Tests cannot tell the difference.

    It is for tests that keep no object of the machine. After an error, the machine is closed: no other test gets it.

    Args:
        arch: name of the architecture.
        cpus: the number of CPUs.
        options: other arguments of Machine. They must be numbers and texts, which need not be restored.
    """
    wanted = {"arch": arch, "cpus": cpus, **options}
    key = _key(wanted)
    one = _take(key, of_command=False)
    if one is None:
        machine = Machine(**wanted)
        one = _Booted(key, machine, machine.checkpoint())
    with ExitStack() as closed:
        closed.enter_context(one.machine)
        yield one.machine
        one.machine.restore(one.after_boot)
        closed.pop_all()
    _keep(one)


def machine_of_command(**parameters: Any) -> Machine:
    """Machine(...) as the command line calls it. What it gives has been booted before, and is put back when it is closed.

    Machines with files, with objects of the command's or with a limit of the boot are made anew.
    """
    callers = {name: parameters[name] for name in ("console", "warn", "booting")}
    limits = parameters["boot_limit"], parameters["boot_host_limit"]
    options = {name: value for name, value in parameters.items() if name not in callers and not name.startswith("boot_")}
    plain = all(isinstance(value, bool | int | str | None) or value == () for value in options.values())
    if not plain or options["image"] or limits != (None, None):
        return Machine(**parameters)
    key = _key(options)
    one = _take(key, of_command=True)
    if one is None:
        calls = _Calls(callers)
        machine = Machine(**options, **{name: partial(calls.call, name) for name in callers})
        calls.booting = False
        one = _Booted(key, machine, machine.checkpoint(), calls)
    else:
        assert one.calls is not None
        one.calls.serve(callers)
    machine = one.machine

    def put_back() -> None:
        del machine.__dict__["close"]
        try:
            machine.restore(one.after_boot)
        except BaseException:
            machine.close()
            raise
        _keep(one)

    setattr(machine, "close", put_back)  # noqa: B010  # of this object, not of all machines
    return machine


def _key(options: Mapping[str, Any]) -> frozenset[tuple[str, object]]:
    """The options of a machine, with the timing model that it has. Tests change the default (timing_models.py)."""
    timing = options.get("timing") or cpu_arch.load(options["arch"]).default_timing
    return frozenset((options | {"timing": timing}).items())


def _take(key: frozenset[tuple[str, object]], *, of_command: bool) -> _Booted | None:
    for number, one in enumerate(_idle):
        if one.options == key and (one.calls is not None) == of_command:
            return _idle.pop(number)
    return None


def _keep(one: _Booted) -> None:
    _idle.append(one)
    if len(_idle) > _KEPT:
        _idle.pop(0).machine.close()
