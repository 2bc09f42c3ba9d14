# SPDX-License-Identifier: GPL-2.0-only
"""A tree of files that the file server serves, and the numbers by which the guest knows its nodes."""

from __future__ import annotations

import errno
from collections.abc import Callable
from weakref import WeakKeyDictionary, WeakValueDictionary

from emu.kernel.files.node import Directory, Node

__all__ = ["ServedTree"]


class ServedTree:
    """Numbers nodes in the order in which the guest first sees them. Their directories keep the nodes alive.

    Args:
        root: the directory that the guest mounts, number 1.
        read_only: nothing in it can be changed.
        begun: returns how often an operation has begun work that goes on after it, such as patching.
        busy: returns whether such work goes on. An operation that has begun some is answered when the work is done.
        check: called then. Raises OSError: the work could not be done, and so the operation has failed.
    """

    def __init__(
        self,
        root: Directory,
        *,
        read_only: bool = False,
        begun: Callable[[], int] = lambda: 0,
        busy: Callable[[], bool] = lambda: False,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.root = root
        self.read_only = read_only
        self.begun = begun
        self.busy = busy
        self.check = check
        self._nodes: WeakValueDictionary[int, Node] = WeakValueDictionary()
        self._numbers: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self._last = 0
        self.number(root)

    def number(self, node: Node) -> int:
        """The number of a node of this tree."""
        number = self._numbers.get(node)
        if number is None:
            self._last = number = self._last + 1
            self._numbers[node] = number
            self._nodes[number] = node
        return number

    def node(self, number: int) -> Node:
        """The node that has a number.

        Raises:
            OSError: ENOENT, when it has been removed; ESTALE, when there never was one.
        """
        if number > self._last:
            raise OSError(errno.ESTALE, "no such node")
        node = self._nodes.get(number)
        if node is None or node.removed:
            raise OSError(errno.ENOENT, "removed")
        return node

    def directory(self, number: int) -> Directory:
        """The directory that has a number.

        Raises:
            OSError: as `node`; ENOTDIR, when it is something else.
        """
        node = self.node(number)
        if not isinstance(node, Directory):
            raise OSError(errno.ENOTDIR, "is not a directory")
        return node
