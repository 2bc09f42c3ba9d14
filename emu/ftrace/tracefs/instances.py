# SPDX-License-Identifier: GPL-2.0-only
"""instances/: making a directory in it makes a trace array with buffers and files of its own."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable

from emu.ftrace.errors import TraceError
from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs.array_file import of_array
from emu.ftrace.tracefs.node import StaticDirectory, TracefsDirectory
from emu.kernel.files.node import Node

__all__ = ["InstancesDirectory"]


class InstancesDirectory(TracefsDirectory):
    """The instances of the top array.

    Args:
        top: the top array.
        build: makes the tree of an instance.
    """

    def __init__(self, top: TraceArray, build: Callable[[TraceArray], StaticDirectory]) -> None:
        super().__init__()
        self._top = top
        self._build = build
        self._trees: dict[str, StaticDirectory] = {}

    def lookup(self, name: str) -> Node:
        try:
            return self._trees[name]
        except KeyError:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'", (name, self._trees)) from None

    def entries(self) -> Iterable[tuple[str, Node]]:
        return sorted(self._trees.items())

    def mkdir(self, name: str, mode: int) -> Node:
        """Makes an instance. `mode` is ignored: every instance's directory has the same."""
        self._top.make_instance(name)
        array = self._top.instances[name]
        self._trees[name] = of_array(self._build(array), array)
        return self._trees[name]

    def rmdir(self, name: str) -> None:
        self._top.remove_instance(name)
        self._trees.pop(name).remove()
