# SPDX-License-Identifier: GPL-2.0-only
"""Mutated ext2 images, mounted, read, changed and unmounted by the guest.

The guest must survive all of them; errors in an image are reported by an errno and on the console.
"""

from __future__ import annotations

import functools
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from emu.cpu.ramdisk import RamDisk
from emu.machine import GuestPanic, LimitReached, Machine, PoweredOff
from tests.fuzz import Outcome
from tests.lib.disks import make_ext2

__all__ = ["DISK", "KINDS", "base_image", "run"]

DISK = 2 << 20  # bytes
# Options of mke2fs for several kinds of images.
KINDS: tuple[Sequence[str], ...] = (
    ("-b", "1024", "-g", "512"),
    ("-b", "1024", "-r", "0", "-O", "none", "-I", "128"),
    ("-b", "2048"),
    ("-b", "4096", "-I", "256"),
)
_LONGEST = 60 * 10**9  # nanoseconds of the guest's time for one image
_INTERESTING = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_SCRIPT = "mount -t ext2 -o errors={errors} /dev/ram0 /fuzz && {{ fswalk -w /fuzz; umount /fuzz; }}"


def _files(place: Path) -> list[str]:
    """Small files, with indirect blocks, sparse, with links of both kinds."""
    commands = ["symlink short small", f"symlink long {'./' * 50}small"]
    files = {"small": b"small\n", "large": bytes(range(256)) * 240, "sparse": bytes(400_000) + b"end"}
    return [*commands, *(_write(place, name, data) for name, data in files.items())]


def _folders(place: Path) -> list[str]:
    """A folder in another, and one large enough for an index."""
    commands = ["mkdir a", "mkdir a/b", _write(place, "a/b/leaf", b"leaf\n" * 700), "ln a/b/leaf a/again"]
    commands += ["mkdir many", "expand many", "expand many"]
    return [*commands, *(f"ln a/b/leaf many/{number:02}{'-is-a-name-of-so-many-letters' * 8}" for number in range(10))]


# The contents of images, one each, so that few system calls reach any damage quickly.
CONTENTS = (_files, _folders)


def _write(place: Path, name: str, data: bytes) -> str:
    """The command that creates a file. `place`: a folder for its source."""
    file = place / Path(name).name
    file.write_bytes(data)
    file.chmod(0o644)
    return f"write {file} {name}"


def base_image(folder: Path, kind: Sequence[str], contents: Sequence[Callable[[Path], list[str]]] = CONTENTS) -> bytes:
    """An intact image. The folder is for its sources."""
    image = folder / "image"
    commands = ["rmdir lost+found", *(command for content in contents for command in content(folder))]
    make_ext2(image, DISK, ("-N", "64", *kind), commands)
    return image.read_bytes().ljust(DISK, b"\0")


@functools.cache
def _bases() -> list[tuple[bytes, list[int]]]:
    """An intact image of each kind with each content, and its used blocks."""
    with tempfile.TemporaryDirectory() as folder:
        images = [base_image(Path(folder), kind, [content]) for kind in KINDS for content in CONTENTS]
    return [(image, _used_blocks(image)) for image in images]


def _block_size(image: bytes) -> int:
    return 1024 << int.from_bytes(image[1048:1052], "little")


def _used_blocks(image: bytes) -> list[int]:
    """Blocks that are not all zeroes: most metadata of the file system, and some data."""
    size = _block_size(image)
    zero = bytes(size)
    return [n for n in range(len(image) // size) if image[n * size : (n + 1) * size] != zero]


def mutations(base: bytes, used: list[int], seed: int) -> Iterator[tuple[int, bytes]]:
    """A few words to change, mostly near the beginning of the image, where the metadata is: positions and new values."""
    source = random.Random(seed)
    size = _block_size(base)
    for _ in range(source.choice((1, 1, 2, 3, 5, 8, 20, 60))):
        near = source.random()
        if near < 0.25:
            at = 1024 + source.randrange(264)
        elif near < 0.75:
            at = used[source.randrange(min(len(used), 40))] * size + source.randrange(size)
        else:
            at = source.choice(used) * size + source.randrange(size)
        width = source.choice((1, 2, 4, 4))
        at -= at % width
        kind = source.random()
        if kind < 0.3:
            value = source.getrandbits(8 * width)
        elif kind < 0.6:
            value = source.choice(_INTERESTING)
        elif kind < 0.8:
            value = int.from_bytes(base[at : at + width], "little") ^ 1 << source.randrange(8 * width)
        else:
            value = source.randrange(len(base) // size + 2)
        yield at, (value & (1 << 8 * width) - 1).to_bytes(width, "little")


def _use(machine: Machine, seed: int, number: int) -> tuple[bool, str]:
    """Whether an image could be mounted, and the guest's errors."""
    base, used = _bases()[number % len(_bases())]
    machine.ramdisk.write(0, base)
    for at, word in mutations(base, used, seed << 32 | number):
        machine.ramdisk.write(at, word)
    errors = "remount-ro" if number & 8 else "continue"
    try:
        output = machine.run(_SCRIPT.format(errors=errors), limit=_LONGEST).output
    except (GuestPanic, LimitReached, PoweredOff) as error:
        return False, repr(error)
    wrong = output.decode(errors="replace") if b"target is busy" in output else "\n".join(machine.warnings)
    return b" files, " in output, wrong


def run(arch: str, seed: int, numbers: range) -> Outcome:
    """Lets the guest use mutated images; seed and number determine the mutations. After a panic, a new guest is started."""
    outcome, left = Outcome(), list(numbers)
    while left:
        with Machine(arch=arch, cpus=2, seed=seed, memory=64 << 20, ramdisk=RamDisk(DISK)) as machine:
            machine.run("mkdir /fuzz")
            wrong = ""
            while left and not wrong:
                number = left.pop(0)
                mounted, wrong = _use(machine, seed, number)
                outcome.counts.update(images=1, mounted=mounted)
            if wrong:
                outcome.findings.append(f"{arch}: image {number} of seed {seed}: {wrong}")
    return outcome
