# SPDX-License-Identifier: GPL-2.0-only
"""The kprobes that the guest's own kernel registers for its modules. The guest calls their handlers itself."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass

from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.probes.kprobes import Kprobes
from emu.ftrace.probes.placing import ListedProbe, ProbePlace

__all__ = ["GuestKprobes"]

_MOST = 4096


@dataclass
class _GuestKprobe:
    address: int
    returns: bool
    acting: Consumer | None = None  # None: the probe is disabled

    @property
    def place(self) -> ProbePlace:
        return ProbePlace(address=self.address)


class GuestKprobes:
    """The guest's kprobes, by the addresses of their struct kprobe, which the host never reads.

    After a change the caller must update the sites (Ftrace.update_sites).

    Args:
        kprobes: all kprobes.
    """

    def __init__(self, kprobes: Kprobes) -> None:
        self._kprobes = kprobes
        self._probes: dict[int, _GuestKprobe] = {}

    def __contains__(self, known_by: int) -> bool:
        return known_by in self._probes

    def add(self, known_by: int, address: int, returns: bool, enabled: bool) -> None:
        """Adds a probe.

        Args:
            address: the probed address.
            returns: whether it belongs to a kretprobe, so its address must be the entry of a function that can be return-probed.

        Raises:
            TraceError: EILSEQ, EINVAL: the address cannot be probed; ENOMEM: there is no room.
        """
        if len(self._probes) == _MOST:
            raise TraceError(errno.ENOMEM, f"there are {_MOST} kprobes of the guest already")
        probe = _GuestKprobe(address, returns)
        (self._kprobes.check_return if returns else self._kprobes.check)(probe.place)
        if enabled:
            probe.acting = self._kprobes.add_of_guest(probe.place, returns)
        self._probes[known_by] = probe

    def address(self, known_by: int) -> int:
        """The probed address. Raises TraceError: ENOENT."""
        return self._find(known_by).address

    def _find(self, known_by: int) -> _GuestKprobe:
        if known_by not in self._probes:
            raise TraceError(errno.ENOENT, "there is no such kprobe")
        return self._probes[known_by]

    def enable(self, known_by: int, on: bool) -> None:
        """Enables or disables a probe. Raises TraceError: ENOENT; when enabling, also the errors of `add`."""
        probe = self._find(known_by)
        if on and probe.acting is None:
            probe.acting = self._kprobes.add_of_guest(probe.place, probe.returns)
        elif not on and probe.acting is not None:
            self._kprobes.remove(probe.acting)
            probe.acting = None

    def remove(self, known_by: int) -> None:
        """Removes a probe, if it exists."""
        if known_by in self._probes:
            self.enable(known_by, False)
            del self._probes[known_by]

    def trap(self, known_by: int) -> int:
        """The address at which the CPU traps for a probe; 0 if it is disabled or its code is gone."""
        acting = self._probes[known_by].acting
        return 0 if acting is None else self._kprobes.trap(acting)

    def disabled(self) -> Iterator[ListedProbe]:
        """The disabled probes for kprobes/list, newest first."""
        for probe in reversed(self._probes.values()):
            if probe.acting is None:
                yield ListedProbe(probe.place, probe.returns, of_guest=True)
