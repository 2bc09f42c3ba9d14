# SPDX-License-Identifier: GPL-2.0-only
"""busybox as the guest's userland: finds the host's file, and sets it up in the guest.

The guest sees the program in a directory of its own, without the rest of the host's folder. There busybox makes the links to
its applets. They come first on PATH; the guest's /bin provides the other programs. busybox's ash is /bin/sh.
"""

from __future__ import annotations

import platform
import shutil
from pathlib import Path
from typing import Self

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from emu.kernel.files.shared_file import SharedFile
from emu.native.cache import cache_directory

__all__ = ["BadUserland", "Userland", "find_busybox"]

_BUSYBOX = "busybox"
_FOLDER = f"/usr/lib/{_BUSYBOX}"
_BANNER = b"BusyBox v"  # part of its help text


class BadUserland(ValueError):
    """There is no busybox that the guest can execute, or the requested userland does not exist."""


class Userland(SharedFile):
    """A busybox of the host, as a tree that the guest mounts.

    Attributes:
        path: the host's file.
        name: the name of the tree to mount.
        parameters: words of the kernel's command line.
        set_up: a line for the guest's shell, using the guest's own programs.
    """

    name = _BUSYBOX
    parameters = "PATH=/usr/bin:/bin"
    # busybox acts by the name it was called by, and has no applet bash. Root gets a name.
    set_up = f"""\
mkdir -p /etc /usr/bin {_FOLDER} && echo root:x:0:0:root:/:/bin/sh > /etc/passwd && echo root:x:0: > /etc/group &&
mount -t hostfs -o ro {_BUSYBOX} {_FOLDER} && {_FOLDER}/{_BUSYBOX} --install -s /usr/bin &&
if [ ! -e /usr/bin/sh ]; then echo no sh is among its applets; false; fi &&
ln -sf /usr/bin/sh /bin/sh && rm -f /bin/bash && printf '#!/bin/sh\\nexec sh "$@"\\n' > /bin/bash && chmod +x /bin/bash"""

    def __init__(self, path: Path) -> None:
        super().__init__(path.resolve(), _BUSYBOX)
        self.path = path

    @classmethod
    def parse(cls, text: str, arch: str, elf_machine: str) -> Self:
        """`busybox=PATH`; or `busybox`: the host's, or otherwise the one in firmware/tools/busybox.

        Args:
            text: the user's text.
            arch: the name of the guest's architecture.
            elf_machine: e_machine of the guest's programs, in pyelftools' spelling.

        Raises:
            BadUserland: the text has another form, or there is no static busybox for the architecture.
        """
        name, equals, path = text.partition("=")
        if name != _BUSYBOX or (equals and not path):
            raise BadUserland(f"no userland '{text}': it is {_BUSYBOX} or {_BUSYBOX}=PATH")
        return cls(find_busybox(arch, elf_machine, Path(path) if path else None))


def find_busybox(arch: str, elf_machine: str, named: Path | None = None) -> Path:
    """A static busybox: the file that is named; or the host's, or otherwise the one that firmware/tools/busybox has made.

    Args:
        arch: the name of the guest's architecture.
        elf_machine: e_machine of the guest's programs, in pyelftools' spelling.
        named: the only file to try.

    Raises:
        BadUserland: there is none for the architecture.
    """
    problems = []
    for candidate in [named] if named else _candidates(arch):
        problem = _problem(candidate, arch, elf_machine)
        if problem is None:
            return candidate
        problems.append(f"{candidate} {problem}")
    why = problems[0] if problems else f"there is no static busybox for {arch}"
    raise BadUserland(f"{why}: {_remedy(arch)}")


def _candidates(arch: str) -> list[Path]:
    """The files to try, all of which exist."""
    host = shutil.which(_BUSYBOX) if arch == platform.machine() else None
    cache = cache_directory()
    kept = cache / _BUSYBOX / arch / _BUSYBOX if cache else None
    return [Path(path) for path in (host, kept) if path and Path(path).exists()]


def _problem(path: Path, arch: str, elf_machine: str) -> str | None:
    """Why the guest cannot use a file as its busybox; None if it can."""
    if path.exists() and not path.is_file():  # opening a FIFO would block
        return "is no file"
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != elf_machine:
                return f"is a program for {elf['e_machine']}, not for {arch}"
            if any(elf.iter_segments("PT_INTERP")):
                return "is a dynamic program, not a static one"
            file.seek(0)
            return None if _BANNER in file.read() else "is no busybox"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    except (ELFError, LookupError, ValueError, OverflowError):  # a damaged file can contain anything
        return "is no ELF program"


def _remedy(arch: str) -> str:
    """How to get a static busybox for an architecture from Debian."""
    if arch == platform.machine():
        return "install Debian's package busybox-static"
    return f"'firmware/tools/busybox {arch}' builds one, with Debian's package gcc-{arch.replace('_', '-')}-linux-gnu"
