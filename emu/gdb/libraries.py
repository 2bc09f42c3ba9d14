# SPDX-License-Identifier: GPL-2.0-only
"""Code that a kernel loads as it runs, such as its modules: GDB takes it for shared libraries.

GDB manual, appendix E, "Library List Format". GDB reads the list when it is told that libraries have changed. It takes that for
the whole reason of a stop, and goes on: what else the machine has stopped for is told then, before the machine has moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from xml.sax.saxutils import quoteattr

__all__ = ["Known", "Libraries", "Library"]


class Library(NamedTuple):
    """A file with symbols.

    Attributes:
        path: of the host. Two libraries with the same path are the same.
        addresses: where its segments are, as the file also says; of a relocatable file, where its sections that are allocated
            are, in the file's order.
        relocatable: whether they are of sections.
    """

    path: str
    addresses: tuple[int, ...]
    relocatable: bool = False


class Libraries(Protocol):
    """A guest's libraries."""

    @property
    def watched(self) -> Sequence[int]:
        """Addresses of instructions at which to look whether the list has changed."""

    def loaded(self) -> Sequence[Library]:
        """The present list."""


class Known:
    """What a client knows of a guest's libraries. `libraries`: None: there are none, ever."""

    def __init__(self, libraries: Libraries | None) -> None:
        self._libraries = libraries
        self._told: tuple[Library, ...] | None = None

    @property
    def watched(self) -> Sequence[int]:
        """As of Libraries."""
        return () if self._libraries is None else self._libraries.watched

    @property
    def changed(self) -> bool:
        """Whether the list is not what the client has read. One that has never read it is not told."""
        return self._libraries is not None and self._told is not None and tuple(self._libraries.loaded()) != self._told

    def document(self, *, of_linux: bool) -> bytes:
        """The list, in XML. The client knows it from now on. `of_linux`: as gdb reads it where the ABI is GNU/Linux's."""
        self._told = () if self._libraries is None else tuple(self._libraries.loaded())
        return _of_linux(self._told) if of_linux else _of_target(self._told)


def _of_target(libraries: Sequence[Library]) -> bytes:
    lines = ["<library-list>"]
    for path, addresses, relocatable in libraries:
        part = "section" if relocatable else "segment"
        places = "".join(f'<{part} address="{address:#x}"/>' for address in addresses)
        lines.append(f"<library name={quoteattr(path)}>{places}</library>")
    return "\n".join([*lines, "</library-list>", ""]).encode()


def _of_linux(libraries: Sequence[Library]) -> bytes:
    """GDB manual, appendix E, "Library List Format for SVR4 Targets". It has one offset, so relocatable files cannot be in it."""
    lines = ['<library-list-svr4 version="1.0">']
    for number, (path, _, relocatable) in enumerate(libraries, 1):
        if not relocatable:
            lines.append(f'<library name={quoteattr(path)} lm="{number:#x}" l_addr="0x0" l_ld="0x0" lmid="0x0"/>')
    return "\n".join([*lines, "</library-list-svr4>", ""]).encode()
