# SPDX-License-Identifier: GPL-2.0-only
"""Instances that modules of the guest use (Linux: trace_array_get_by_name and its like)."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from emu.cpu.cpu import Cpu
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.event.enable import select

__all__ = ["GuestInstances"]

_LONGEST_NAME = 255


@dataclass
class _Known:
    """An instance that the guest has asked for, and how often it has done so and not put it back."""

    name: str
    array: TraceArray
    users: int = 0


class GuestInstances:
    """The instances by the numbers under which the guest knows them. A number stays that of its instance for ever.

    While the guest uses an instance, it cannot be removed.

    Args:
        top: the top array.

    Raises, from any method:
        TraceError: EINVAL, when there is no such instance (any more).
    """

    def __init__(self, top: TraceArray) -> None:
        self._top = top
        self._known: dict[int, _Known] = {}
        self._last = 0

    def get(self, name: str) -> int:
        """The number of an instance, which is made if there is none of the name. The guest uses it until it puts it back.

        Raises:
            TraceError: EINVAL, when no instance can be called so; ENOMEM.
        """
        if not name or "/" in name or name in (".", "..") or len(name.encode()) > _LONGEST_NAME:
            raise TraceError(errno.EINVAL, f"no instance can be called '{name}'")
        if name not in self._top.instances:
            self._top.make_instance(name)
        array = self._top.instances[name]
        instances = self._top.instances
        self._known = {number: known for number, known in self._known.items() if instances.get(known.name) is known.array}
        number = next((number for number, known in self._known.items() if known.array is array), 0)
        if not number:
            number = self._last = self._last + 1
            self._known[number] = _Known(name, array)
        self._known[number].users += 1
        array.users += 1
        return number

    def put(self, number: int) -> None:
        """The guest uses an instance once less."""
        known = self._of(number)
        if not known.users:
            raise TraceError(errno.EINVAL, f"instance '{known.name}' has been put back already")
        known.users -= 1
        known.array.users -= 1

    def destroy(self, number: int) -> None:
        """Removes an instance. Raises TraceError: also EBUSY, when it is used."""
        self._top.remove_instance(self._of(number).name)

    def printk(self, number: int, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """Records a text in an instance, as trace_printk() does in the top array."""
        self._of(number).array.recorder.host_events.write_printk(cpu, ip, text, disabled)

    def enable_events(self, number: int, system: str, event: str, on: bool) -> None:
        """Records events of an instance, or no longer. Without the name of a system, of all; without that of an event, all."""
        array = self._of(number).array
        array.enable_events(select(array.globals.events, f"{system}:{event}"), on)

    def _of(self, number: int) -> _Known:
        known = self._known.get(number)
        if known is None or self._top.instances.get(known.name) is not known.array:
            raise TraceError(errno.EINVAL, f"there is no instance with number {number}")
        return known
