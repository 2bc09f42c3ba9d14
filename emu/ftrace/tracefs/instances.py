# SPDX-License-Identifier: GPL-2.0-only
"""instances/: making a directory there makes a trace array with its own buffers and files."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs.array_file import of_array
from emu.ftrace.tracefs.node import StaticDirectory, TracefsDirectory
from emu.kernel.files.node import Node

__all__ = ["InstancesDirectory"]


class InstancesDirectory(TracefsDirectory):
    """The instances of the top array.

    Args:
        top: the top array.
        build: makes the file tree of an instance.
    """

    def __init__(self, top: TraceArray, build: Callable[[TraceArray], StaticDirectory]) -> None:
        super().__init__()
        self._top = top
        self._build = build
        self._trees: dict[str, tuple[TraceArray, StaticDirectory]] = {}

    def lookup(self, name: str) -> Node:
        array = self._top.instances.get(name)
        if name in self._trees and self._trees[name][0] is not array:  # the guest has removed it
            self._trees.pop(name)[1].remove()
        if array is None:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'", (name, self._top.instances))
        if name not in self._trees:
            self._trees[name] = array, of_array(self._build(array), array)
        return self._trees[name][1]

    def entries(self) -> Iterable[tuple[str, Node]]:
        return [(name, self.lookup(name)) for name in sorted(self._top.instances)]

    def mkdir(self, name: str, mode: int) -> Node:
        """Makes an instance. `mode` is ignored: all instances' directories have the same mode."""
        self._top.make_instance(name)
        return self.lookup(name)

    def rmdir(self, name: str) -> None:
        self.lookup(name)
        self._top.remove_instance(name)
        self._trees.pop(name)[1].remove()
