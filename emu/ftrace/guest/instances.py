# SPDX-License-Identifier: GPL-2.0-only
"""Trace instances used by modules of the guest (Linux: trace_array_get_by_name and the like)."""

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
    """An instance that the guest has looked up, and how many references to it the guest holds."""

    name: str
    array: TraceArray
    users: int = 0


class GuestInstances:
    """The instances, by the guest's numbers for them. A number always stays with its instance.

    An instance cannot be removed while the guest uses it.

    Args:
        top: the top array.

    Raises, from any method:
        TraceError: EINVAL if the instance does not exist (any more).
    """

    def __init__(self, top: TraceArray) -> None:
        self._top = top
        self._known: dict[int, _Known] = {}
        self._last = 0

    def get(self, name: str) -> int:
        """The number of an instance, which is created if the name is new. The guest holds a reference until it puts it.

        Raises:
            TraceError: EINVAL if no instance can have this name; ENOMEM.
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
        """Drops one of the guest's references to an instance."""
        known = self._of(number)
        if not known.users:
            raise TraceError(errno.EINVAL, f"instance '{known.name}' has been put back already")
        known.users -= 1
        known.array.users -= 1

    def destroy(self, number: int) -> None:
        """Removes an instance. Raises TraceError: also EBUSY if it is used."""
        self._top.remove_instance(self._of(number).name)

    def printk(self, number: int, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """Records a text in an instance, as trace_printk() does in the top array."""
        self._of(number).array.recorder.host_events.write_printk(cpu, ip, text, disabled)

    def enable_events(self, number: int, system: str, event: str, on: bool) -> None:
        """Starts or stops recording events in an instance. An empty `system` or `event` stands for all."""
        array = self._of(number).array
        array.enable_events(select(array.globals.events, f"{system}:{event}"), on)

    def _of(self, number: int) -> _Known:
        known = self._known.get(number)
        if known is None or self._top.instances.get(known.name) is not known.array:
            raise TraceError(errno.EINVAL, f"there is no instance with number {number}")
        return known
