# SPDX-License-Identifier: GPL-2.0-only
"""The files that the guest's programs have mapped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from emu.kernel.memory import GuestMemory
from emu.kernel.tasks import Tasks

__all__ = ["MappedFile", "UserMappings"]

_MOST = 1 << 16  # a longer list or path is broken


class MappedFile(NamedTuple):
    """The file mapped at an address: its path, and the address's offset from the start of the mapping."""

    path: str
    offset: int


class UserMappings:
    """Reads struct mm_struct and the structures it points to, through the image's layout table."""

    def __init__(self, memory: GuestMemory, tasks: Tasks) -> None:
        self._memory = memory
        self._tasks = tasks

    def find(self, tgid: int, address: int) -> MappedFile | None:
        """The file at an address of a process; None if the process has ended, or has no file mapped there.

        As in Linux, an address between two mappings counts as the one above it.
        """
        try:
            area = self._area(tgid, address)
            file = self._memory.member(area, "vm_area_struct.vm_file") if area else 0
            if not area or not file:
                return None
            path = self._path(file + self._memory.image.offset("file.f_path"))
            return MappedFile(path, (address - self._memory.member(area, "vm_area_struct.vm_start")) % (1 << 64))
        except LookupError:
            return None

    def _area(self, tgid: int, address: int) -> int:
        """The first struct vm_area_struct of a process that ends after an address; 0 if there is none."""
        memory = self._memory
        leader = next((task for task in self._tasks if self._tasks.pid(task) == tgid), 0)
        mm = memory.member(leader, "task_struct.mm") if leader else 0
        areas = self._areas(mm) if mm else iter(())
        return next((area for area in areas if address < memory.member(area, "vm_area_struct.vm_end")), 0)

    def _areas(self, mm: int) -> Iterator[int]:
        memory, link = self._memory, self._memory.image.offset("vm_area_struct.vm_node")
        head = mm + memory.image.offset("mm_struct.mmap")
        node = memory.read_word(head)
        for _ in range(_MOST):
            if node == head:
                return
            yield node - link
            node = memory.read_word(node)

    def _path(self, path: int) -> str:
        """The name of the file of a struct path, from the root of all mounts."""
        memory, member = self._memory, self._memory.member
        dentry, mount = member(path, "path.dentry"), self._mount(member(path, "path.mnt"))
        link = dentry + memory.image.offset("dentry.d_child")
        deleted = memory.read_word(link) == link and member(dentry, "dentry.d_parent") != dentry
        names: list[str] = []
        while len(names) < _MOST:
            parent = member(dentry, "dentry.d_parent")
            if dentry == member(mount, "mount.mnt.mnt_root"):
                above = member(mount, "mount.mnt_parent")
                if above == mount:
                    break
                dentry, mount = member(mount, "mount.mnt_mountpoint"), above
            elif dentry == parent:
                break
            else:
                names.append(self._name(dentry))
                dentry = parent
        return "/" + "/".join(reversed(names)) + (" (deleted)" if deleted else "")

    def _mount(self, vfsmount: int) -> int:
        """The struct mount that contains a struct vfsmount."""
        return vfsmount - self._memory.image.offset("mount.mnt")

    def _name(self, dentry: int) -> str:
        name, length = (self._memory.member(dentry, f"dentry.d_name.{part}") for part in ("name", "len"))
        return self._memory.read(name, min(length, _MOST)).decode(errors="surrogateescape")
