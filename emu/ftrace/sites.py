# SPDX-License-Identifier: GPL-2.0-only
"""The call sites that the compiler recorded: one at the start of every traceable function."""

from __future__ import annotations

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.kernel.image import BadImage
from emu.kernel.kernel import Kernel

__all__ = ["Sites"]


class Sites:
    """Addresses and names of all sites, in address order; and what each calls now (0: it is a nop)."""

    def __init__(self, kernel: Kernel, arch: FtraceArch) -> None:
        self._kernel = kernel
        self._arch = arch
        self.addresses = kernel.image.sites
        self.names: list[str] = []
        for address in map(int, self.addresses):
            function = kernel.image.function_at(address)
            if function is None:
                raise BadImage(f"{kernel.image.path}: the call site {address:#x} is in no function")
            self.names.append(function.name)
        self.targets = np.zeros(len(self.addresses), np.uint64)
        self._index = {int(address): n for n, address in enumerate(self.addresses)}

    def __len__(self) -> int:
        return len(self.names)

    def index(self, address: int) -> int | None:
        """Which site is at an address."""
        return self._index.get(address)

    def code(self, site: int, target: int) -> bytes:
        """The instruction that has a site call `target`, or do nothing if that is 0."""
        address = int(self.addresses[site])
        return self._arch.call(address, target) if target else self._arch.nop

    def initialise(self) -> None:
        """Turns every site from the compiler's call into a nop. No CPU may have been started.

        Raises:
            BadImage: a site does not hold the call that it should.
        """
        board, kernel = self._kernel.board, self._kernel
        profiler = kernel.image.symbol(self._arch.profiler)
        for site, address in enumerate(map(int, self.addresses)):
            place = kernel.physical(address)
            expected = self.code(site, profiler)
            found = bytes(board.ram[place : place + len(expected)])
            if found != expected:
                raise BadImage(
                    f"{kernel.image.path}: the site of {self.names[site]} holds {found.hex(' ')}, not {expected.hex(' ')}"
                )
            board.write_code(place, self._arch.nop)
