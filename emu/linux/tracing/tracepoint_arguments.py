# SPDX-License-Identifier: GPL-2.0-only
"""The arguments of a Linux guest's tracepoints, for events of their own (`t:` of dynamic_events)."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from emu.ftrace.dynevent.c_types import Signature
from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.text.prototypes import BtfPrototypes
from emu.linux.c_types import LinuxTypes
from emu.linux.lift.records import User
from emu.linux.symbols import Symbols
from emu.linux.tracing.kprobes import WatchedKprobes
from emu.linux.tracing.tracepoints import Tracepoints

__all__ = ["LinuxTracepoints"]

_VARIABLE = "__tracepoint_"  # so begin the names of the kernel's struct tracepoint
# Functions that a kernel has for each tracepoint, with the names of its arguments behind a pointer; the last one lacks the names.
_FUNCTIONS = ("__probestub_", "__traceiter_", "trace_event_raw_event_", "btf_trace_")


class LinuxTracepoints:
    """The tracepoints of a kernel and its modules (emu.ftrace.dynevent.fprobe_events.TracepointArguments).

    Args:
        symbols: the kernel's.
        prototypes: what functions take.
        kprobes: knows the modules, and prepares the registers that probes see.
        tracepoints: tells when they are reached.
    """

    def __init__(
        self, symbols: Symbols, prototypes: BtfPrototypes, kprobes: WatchedKprobes, tracepoints: Tracepoints
    ) -> None:
        self._symbols, self._prototypes, self._kprobes, self._tracepoints = symbols, prototypes, kprobes, tracepoints
        self._users: dict[int, tuple[int, User]] = {}  # by their consumers' addresses

    def tracepoints(self) -> Collection[str]:
        return self._all().keys()

    def _all(self) -> Mapping[str, tuple[int, str]]:
        """The address of each struct tracepoint, and its module ("" for the kernel), by the tracepoint's name."""
        found = dict(self._of_kernel)
        for module in self._kprobes.modules:
            found |= dict(self._of(module.symbols.names, module.symbols.addresses.tolist(), module.name))
        return found

    @cached_property
    def _of_kernel(self) -> Mapping[str, tuple[int, str]]:
        return dict(self._of(self._symbols.names, self._symbols.addresses.tolist(), ""))

    @staticmethod
    def _of(names: Collection[str], addresses: list[int], module: str) -> Iterator[tuple[str, tuple[int, str]]]:
        for name, address in zip(names, addresses, strict=True):
            if name.startswith(_VARIABLE):
                yield name.removeprefix(_VARIABLE), (address, module)

    def tracepoint_types(self, name: str) -> LinuxTypes:
        _, module = self._all()[name]
        return LinuxTypes(self._prototypes.btf(module))

    def tracepoint_signature(self, name: str) -> Signature | None:
        types = self.tracepoint_types(name)
        signatures = (types.signature(before + name, skipped=1) for before in _FUNCTIONS)
        return next((found for found in signatures if found is not None), None)

    def listen_arguments(self, tracepoint: str, consumer: Consumer) -> None:
        found = self._all().get(tracepoint)
        if found is None:
            raise TraceError(errno.ENOENT, f"the tracepoint {tracepoint} is gone with its module")
        self._kprobes.use()
        self._users[consumer.address] = found[0], self._tracepoints.use_by(found[0], consumer)

    def unlisten_arguments(self, consumer: Consumer) -> None:
        address, user = self._users.pop(consumer.address)
        self._tracepoints.drop(address, user)
