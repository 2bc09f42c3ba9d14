# SPDX-License-Identifier: GPL-2.0-only
"""Static keys: branches in the guest's code that are nops while their key is off and jumps while it is on."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arch import FtraceArch, OutOfReach
from emu.ftrace.sites.patching import Patch
from emu.kernel.image import BadImage
from emu.kernel.memory import GuestMemory
from emu.kernel.modules import BadModule, Module

__all__ = ["Keys"]

_MEMBERS = ("code", "target", "key")


class Keys:
    """The branches of all keys, and which of them are jumps now: the kernel's, then those of each module.

    A key is named by the address of its struct static_key.
    """

    def __init__(self, memory: GuestMemory, arch: FtraceArch) -> None:
        image = memory.image
        self._memory = memory
        self._arch = arch
        self._layout = image.structure("jump_entry", _MEMBERS)
        start, stop = image.symbol("__start___jump_table"), image.symbol("__stop___jump_table")
        self._entries = self._read(start, (stop - start) // self._layout.itemsize)
        self._modules = np.full(len(self._entries), "", np.object_)
        self._on = np.zeros(len(self._entries), np.bool_)

    def __contains__(self, address: int) -> bool:
        """Whether there is a branch at an address."""
        return bool(np.any(self._entries["code"] == np.uint64(address)))

    def branches(self) -> dict[int, int]:
        """The target of each branch, by the branch's address."""
        return dict(zip(self._entries["code"].tolist(), self._entries["target"].tolist(), strict=True))

    def check(self) -> None:
        """Raises BadImage if the table of the kernel's branches is inconsistent."""
        try:
            wrong = self._wrong(self._entries)
        except LookupError as error:
            wrong = str(error)
        if wrong:
            raise BadImage(f"{self._memory.image.path}: {wrong}")

    def add(self, module: Module) -> None:
        """Adds the branches of a module.

        Raises:
            BadModule: a branch is outside the module's code, does not hold a nop, or appears twice; nothing has changed.
            LookupError: a branch is not in the kernel's memory; nothing has changed.
        """
        entries = self._read(*module.jump_entries)
        for entry in entries:
            code, target = int(entry["code"]), int(entry["target"])
            if not module.has_code(code) or not module.has_code(target):
                raise BadModule(f"the branch at {code:#x} or its target {target:#x} is not in its code")
        if wrong := self._wrong(entries):
            raise BadModule(wrong)
        self._entries = np.concatenate([self._entries, entries])
        self._modules = np.append(self._modules, np.full(len(entries), module.name, np.object_))
        self._on = np.append(self._on, np.zeros(len(entries), np.bool_))

    def remove(self, start: int, end: int) -> None:
        """Removes the branches from `start` up to `end`, whose code is gone."""
        self._keep((self._entries["code"] < np.uint64(start)) | (self._entries["code"] >= np.uint64(end)))

    def unloaded(self, name: str) -> None:
        """Removes the branches of a module that has been unloaded."""
        self._keep(self._modules != name)

    def _keep(self, kept: NDArray[np.bool_]) -> None:
        self._entries, self._modules, self._on = self._entries[kept], self._modules[kept], self._on[kept]

    # Switching keys

    def to_turn(self, wanted: Collection[int]) -> NDArray[np.int64]:
        """The branches that must be patched. `wanted`: the keys that must be on."""
        return np.flatnonzero(np.isin(self._entries["key"], np.array([*wanted], np.uint64)) != self._on)

    def patches(self, branches: NDArray[np.int64]) -> Sequence[Patch]:
        """The patches that switch these branches. Before they are made, the guest is told that keys are being turned on."""
        for key in np.unique(self._entries["key"][branches[~self._on[branches]]]):
            self._enable(key, True)
        found = []
        for branch in branches.tolist():
            code, target = int(self._entries["code"][branch]), int(self._entries["target"][branch])
            nop, jump = self._arch.key_nop, self._arch.jump(code, target)
            found.append(Patch(code, jump, nop) if self._on[branch] else Patch(code, nop, jump))
        return found

    def turned(self, branches: NDArray[np.int64]) -> None:
        """Records that these branches have been patched."""
        self._on[branches] = ~self._on[branches]
        self.settle(branches)

    def settle(self, branches: NDArray[np.int64]) -> None:
        """Tells the guest which keys of these branches are on."""
        for key in np.unique(self._entries["key"][branches]):
            self._enable(key, self._on[self._entries["key"] == key].any())

    def _enable(self, key: np.uint64, on: bool) -> None:
        self._memory.set_member(int(key), "static_key.enabled", int(on))

    def _read(self, address: int, count: int) -> NDArray[np.void]:
        """The jump entries at an address, in the host's byte order."""
        size = self._layout.itemsize
        found = np.frombuffer(self._memory.read(address, size * count) if count else b"", self._layout)
        return found.astype([(member, np.uint64) for member in _MEMBERS])

    def _wrong(self, entries: NDArray[np.void]) -> str | None:
        """What is wrong with branches that should be off; None if nothing is.

        Raises:
            LookupError: an address in the entries is not in the kernel's memory.
        """
        if len(set(entries["code"].tolist())) < len(entries):
            return "a branch is named twice"
        nop = self._arch.key_nop
        for code, target, key in entries.tolist():
            self._memory.member(key, "static_key.enabled")
            if (found := self._memory.read(code, len(nop))) != nop:
                return f"the branch at {code:#x} holds {found.hex(' ')}, not {nop.hex(' ')}"
            try:
                self._arch.jump(code, target)
            except OutOfReach as error:
                return f"the branch at {code:#x}: {error}"
        return None
