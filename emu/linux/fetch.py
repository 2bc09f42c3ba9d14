# SPDX-License-Identifier: GPL-2.0-only
"""Fetches a kernel from the packages of the host's distribution, without installing it.

apt does it, by the host's sources, keys and proxies. But all that apt writes is in a folder of emu's cache, so that it needs no
root, and changes nothing of the host. Of the host's configuration it reads what is about fetching: scripts that the host runs
after an update are not for this.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from emu.linux import arch
from emu.linux.debug_files import debug_folder
from emu.linux.find import kernels_directory
from emu.linux.sources import sources_of_release

__all__ = ["Fetched", "NotFetched", "fetch"]

_PROGRAMS = ("apt-get", "apt-cache", "apt-config", "dpkg-deb")
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")  # of a package or a release (Debian Policy, 5.6.1)
_IMAGE = re.compile(r"linux-image-(?:unsigned-)?([0-9].*?)(?:-unsigned)?")
# Debian's name of a package with debug information, and Ubuntu's two, which are on a server of their own
_DEBUG = ("linux-image-{}-dbg", "linux-image-{}-dbgsym", "linux-image-unsigned-{}-dbgsym")
_DEBUG_PARTS = ("boot", "lib/modules")  # of usr/lib/debug; the rest are links by build IDs
# Ubuntu, and Debian since its release 14, have the parts of a kernel in several packages.
_PART = re.compile(r"linux-(?:image|base|binary|modules)-(?:[a-z]+-)*[0-9].*")
_GIB = 1 << 30
_NOT_TAKEN = ("Acquire::IndexTargets", "Acquire::Languages")  # further lists to fetch; translations of descriptions


class NotFetched(ValueError):
    """A kernel cannot be fetched. The message is one line."""


class Fetched(NamedTuple):
    """Attributes:
    path: of the bzImage.
    is_new: False if it was there already.
    debug: of the vmlinux with debug information; None: it is not wanted.
    """

    path: Path
    is_new: bool
    debug: Path | None = None


def fetch(package: str | None, release: str | None, debug: bool = False) -> Fetched:
    """Brings a kernel with its modules into `kernels_directory()`.

    Args:
        package: of a kernel, or one that depends on it; None: the distribution's newest kernel for virtual machines.
        release: another release of the distribution than the host's.
        debug: also brings the debug information of the kernel and of its modules.

    Raises:
        NotFetched: there is no apt, no such package or release, or no network.
        OSError: the cache cannot be written.
    """
    for name in _PROGRAMS:
        if shutil.which(name) is None:
            raise NotFetched(f"there is no {name}: kernels are fetched on Debian and Ubuntu; --linux=FILE takes any kernel")
    for kind, text in (("package", package), ("release", release)):
        if text is not None and not _NAME.fullmatch(text):
            raise NotFetched(f"no {kind} '{text}'")
    kernels = kernels_directory()
    if kernels is None:
        raise NotFetched("there is no home directory: EMU_CACHE_DIR can name a folder for what is fetched")
    kernels.mkdir(parents=True, exist_ok=True)
    apt = _Apt(kernels.parent / "apt" / (release or "host"), release)
    problem = apt.update()
    version, packages = _packages(apt, [package] if package else arch.DEFAULT_PACKAGES, problem)
    place = kernels / version
    path = place / "boot" / f"vmlinuz-{version}"
    is_new = not path.exists()
    if is_new:
        _fetch_kernel(apt, packages, place, version)
    if not debug:
        return Fetched(path, is_new)
    vmlinux = debug_folder(path) / "boot" / f"vmlinux-{version}"
    if not vmlinux.exists():
        _fetch_debug(apt, place, version)
        is_new = True
    return Fetched(path, is_new, vmlinux)


def _fetch_kernel(apt: _Apt, packages: Sequence[str], place: Path, version: str) -> None:
    """Brings what is in packages into a new folder."""
    kernels, path = place.parent, place / "boot" / f"vmlinuz-{version}"
    with tempfile.TemporaryDirectory(prefix=".", dir=kernels) as text:
        folder = Path(text)
        apt.run("apt-get", "-qq", "download", *packages, folder=folder)
        tree, whole = folder / "tree", folder / "whole"
        for file in folder.glob("*.deb"):
            apt.run("dpkg-deb", "--extract", str(file), str(tree))
            file.unlink()
        _arrange(tree, whole, version)
        if not (whole / path.relative_to(place)).exists():
            raise NotFetched(f"no vmlinuz-{version} is in {' or '.join(packages)}")
        try:
            whole.rename(place)
        except OSError:
            if not path.exists():  # otherwise somebody else has fetched it meanwhile
                raise


def _fetch_debug(apt: _Apt, place: Path, version: str) -> None:
    """Brings the debug information of a kernel that is there into its folder."""
    names = [name.format(version) for name in _DEBUG]
    package = next((name for name in names if apt.dependencies(name) is not None), None)
    if package is None:
        raise NotFetched(f"no package {' or '.join(names)} is in {apt.origin}")
    needed, free = apt.sizes(package), shutil.disk_usage(place).free
    if needed > free:
        raise NotFetched(f"{package} needs {needed / _GIB:.1f} GiB in {place}, where {free / _GIB:.1f} GiB are free")
    with tempfile.TemporaryDirectory(prefix=".", dir=place.parent) as text:
        folder, whole = Path(text), Path(text) / "whole"
        apt.run("apt-get", "-qq", "download", package, folder=folder)
        for file in folder.glob("*.deb"):
            apt.run("dpkg-deb", "--extract", str(file), str(folder / "tree"))
            file.unlink()
        found = folder / "tree" / "usr" / "lib" / "debug"
        for part in _DEBUG_PARTS:
            if (found / part).is_dir():
                (whole / part).parent.mkdir(parents=True, exist_ok=True)
                (found / part).rename(whole / part)
        if not (whole / "boot" / f"vmlinux-{version}").exists():
            raise NotFetched(f"no vmlinux-{version} is in {package}")
        with suppress(OSError):  # somebody else has fetched it meanwhile
            whole.rename(debug_folder(place / "boot" / f"vmlinuz-{version}"))


def _packages(apt: _Apt, candidates: Sequence[str], problem: str) -> tuple[str, list[str]]:
    """The version of the kernel that the first existing package depends on, and the packages in which it is."""
    first = next((name for name in candidates if apt.dependencies(name) is not None), None)
    if first is None:
        raise NotFetched(problem or f"no package {' or '.join(candidates)} is in {apt.origin}")
    found = [first]
    for name in found:  # which grows
        for choice in apt.dependencies(name) or ():
            part = next((one for one in choice if _PART.fullmatch(one)), None)
            if part is not None and part not in found:
                found.append(part)
    version = next((match[1] for match in map(_IMAGE.fullmatch, found) if match), None)
    if version is None:
        raise NotFetched(f"the package {first} has no kernel, and depends on none")
    return version, [name for name in found if _PART.fullmatch(name)]


def _arrange(tree: Path, whole: Path, version: str) -> None:
    """Moves what is wanted of the unpacked packages. /lib may be what it was, or a part of /usr."""
    for part in ("boot", "lib/modules", "usr/lib/modules"):
        to = whole / part.removeprefix("usr/")
        to.mkdir(parents=True, exist_ok=True)
        for entry in (tree / part).glob("*"):
            entry.rename(to / entry.name)
    for name in ("vmlinuz", "config", "System.map"):  # since Debian 14, they are beside the modules
        entry = whole / "lib/modules" / version / name
        if entry.exists():
            entry.rename(whole / "boot" / f"{name}-{version}")


class _Apt:
    """apt with a state of its own.

    Attributes:
        origin: whose packages it knows, in words.
    """

    def __init__(self, state: Path, release: str | None) -> None:
        self.origin = f"the release {release}" if release else "the host's sources"
        for folder in ("lists/partial", "cache/archives/partial", "log", "sources"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        (state / "status").write_text("")  # no package is installed
        self._environment = dict(os.environ, LC_ALL="C")
        lines = [line for line in self._output("apt-config", "dump", "Acquire") if not line.startswith(_NOT_TAKEN)]
        own = {
            "APT::Architecture": arch.PACKAGE_ARCHITECTURE,
            "APT::Architectures": arch.PACKAGE_ARCHITECTURE,
            "Acquire::Languages": "none",
            "Dir::Etc::main": "/dev/null",
            "Dir::Etc::parts": "/dev/null",
            "Dir::State": state,
            "Dir::State::lists": state / "lists",
            "Dir::State::status": state / "status",
            "Dir::Cache": state / "cache",
            "Dir::Log": state / "log",
        }
        if release:
            own |= {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": state / "sources"}
            (state / "sources" / "release.sources").write_text(self._sources(release))
        lines += [f'{name} "{value}";' for name, value in own.items()]
        (state / "apt.conf").write_text("".join(f"{line}\n" for line in lines))
        self._environment["APT_CONFIG"] = str(state / "apt.conf")

    def _sources(self, release: str) -> str:
        names = ("main", "Dir::Etc::sourcelist/f", "parts", "Dir::Etc::sourceparts/d")
        said = dict(word.split("=", 1) for word in shlex.split("\n".join(self._output("apt-config", "shell", *names))))
        text = sources_of_release(release, Path(said.get("main", "/")), Path(said.get("parts", "/")))
        if not text:
            raise NotFetched("the host's package sources name no mirror of its distribution")
        return text

    def update(self) -> str:
        """Fetches the lists of packages. What goes wrong may be of no importance: it is returned."""
        done = self._done("apt-get", "-qq", "update")
        return _last_error("apt-get", done.stderr) if done.returncode or "Failed to fetch" in done.stderr else ""

    def dependencies(self, package: str) -> list[list[str]] | None:
        """What a package depends on, each with its alternatives; None if there is no such package."""
        done = self._done("apt-cache", "show", "--no-all-versions", package)
        if done.returncode:
            return None
        fields = re.findall(r"^(?:Pre-)?Depends: (.*)$", done.stdout, re.MULTILINE)
        return [[one.split()[0] for one in choice.split("|") if one.strip()] for field in fields for choice in field.split(",")]

    def sizes(self, package: str) -> int:
        """The bytes that a package and its files take; 0: that is not known."""
        said = self._done("apt-cache", "show", "--no-all-versions", package).stdout
        found = dict(re.findall(r"^(Size|Installed-Size): (\d+)$", said, re.MULTILINE))
        return int(found.get("Size", 0)) + 1024 * int(found.get("Installed-Size", 0))

    def run(self, *command: str, folder: Path | None = None) -> None:
        """Raises NotFetched: the command failed."""
        done = self._done(*command, folder=folder)
        if done.returncode:
            raise NotFetched(_last_error(command[0], done.stderr))

    def _output(self, *command: str) -> list[str]:
        return self._done(*command).stdout.splitlines()

    def _done(self, *command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=folder, env=self._environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
        )


def _last_error(program: str, text: str) -> str:
    """The last line that says why. The very last one may say only that something is missing because of that."""
    lines = [line for line in text.splitlines() if line.strip() and "Some index files failed" not in line]
    marks = (os.strerror(errno.ENOSPC), "E: ", "Failed to fetch", "")
    said = next((found for mark in marks if (found := [line for line in lines if mark in line])), ["it failed"])
    return f"{program}: {re.sub('^(?:E|W|tar|dpkg-deb: error): ', '', said[-1])}"
