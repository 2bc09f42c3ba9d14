# SPDX-License-Identifier: GPL-2.0-only
"""The code that is lifted: the kernel's as it is in its image, and a module's as it is in memory.

An image has the code before the kernel patches it while it boots: calls of tracepoints' functions still name the tracepoint. What
a jump label does now is looked up in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.linux.image import Kernel
from emu.linux.memory import LinuxMemory

__all__ = ["Code"]


class Code:
    """Reads code.

    Args:
        kernel: the image.
        memory: the guest's memory.
        function: the name of the function at an address, the offset in it, and its size; None if there is none.
        labels: where each jump label of the kernel and its modules leads to, by its address.
        is_taken: whether the label at an address is taken now.
        always: the addresses of the labels that are taken to be on.

    Attributes:
        states: whether the jump labels that were looked at are taken, of those that are not always on.
        depends_on_memory: whether code was read that the kernel has patched.
    """

    def __init__(
        self,
        kernel: Kernel,
        memory: LinuxMemory,
        function: Callable[[int], tuple[str, int, int] | None],
        labels: Mapping[int, int],
        is_taken: Callable[[int], bool],
        always: frozenset[int] = frozenset(),
    ) -> None:
        self._kernel, self._memory, self._labels, self._always = kernel, memory, labels, always
        self._function, self._is_taken = function, is_taken
        self.states: dict[int, bool] = {}
        self.depends_on_memory = False

    def name_of(self, address: int) -> tuple[str, int] | None:
        """The name of the function at an address, and the offset in it; None if there is none."""
        found = self._function(address)
        return None if found is None else found[:2]

    def size_of(self, address: int) -> int:
        """The size of the function that begins at an address; 0 if none begins there."""
        found = self._function(address)
        return 0 if found is None or found[1] else found[2]

    def read(self, address: int, size: int) -> bytes:
        """The code at an address; shorter if less is there.

        Raises:
            LookupError: nothing is there.
        """
        try:
            return bytes(self._kernel.contents(address, address + size))
        except LookupError:
            return self.patched(address, size)

    def patched(self, address: int, size: int) -> bytes:
        """The code as it is in memory now. Raises LookupError."""
        self.depends_on_memory = True
        return self._memory.read(address, size)

    def label(self, address: int) -> tuple[int, bool] | None:
        """Where the jump label at an address leads to, and whether it is taken; None if there is none."""
        target = self._labels.get(address)
        if target is None:
            return None
        if address in self._always:
            return target, True
        self.states[address] = self._is_taken(address)
        return target, self.states[address]

    def is_always_on(self, address: int) -> bool:
        """Whether a jump label is one of those that are taken to be on."""
        return address in self._always
