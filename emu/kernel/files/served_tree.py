# SPDX-License-Identifier: GPL-2.0-only
"""A tree of files for the file server, and the guest's numbers for its nodes."""

from __future__ import annotations

import errno
from collections.abc import Callable
from weakref import WeakKeyDictionary, WeakValueDictionary

from emu.kernel.files.node import Directory, Node

__all__ = ["ServedTree"]


class ServedTree:
    """A tree. It numbers nodes in the order in which the guest first sees them. Their directories keep the nodes alive.

    Args:
        root: the directory that the guest mounts; its number is 1.
        read_only: whether nothing in it can be changed.
        begun: returns how many times operations have started work that continues after them, such as patching.
        busy: returns whether such work is under way. An operation that started some is answered when the work is done.
        check: called at that time. Raises OSError if the work could not be done, so the operation has failed.
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
        """The node with a number.

        Raises:
            OSError: ENOENT if it has been removed; ESTALE if there never was one.
        """
        if number > self._last:
            raise OSError(errno.ESTALE, "no such node")
        node = self._nodes.get(number)
        if node is None or node.removed:
            raise OSError(errno.ENOENT, "removed")
        return node

    def directory(self, number: int) -> Directory:
        """The directory with a number.

        Raises:
            OSError: as `node`; ENOTDIR if it is not a directory.
        """
        node = self.node(number)
        if not isinstance(node, Directory):
            raise OSError(errno.ENOTDIR, "is not a directory")
        return node
