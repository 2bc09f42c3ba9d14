# SPDX-License-Identifier: GPL-2.0-only
"""Mutated ext2 images, mounted, read, changed and unmounted by the guest.

    python -m tests.fuzz.ext2 10000

The guest must survive all of them; what is wrong with an image is for errno and the console to say.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from emu.cpu.ramdisk import RamDisk
from emu.machine import GuestPanic, Machine, PoweredOff
from tests.disks import make_ext2

__all__ = ["Failure", "Result", "run"]

_DISK = 2 << 20  # bytes
_PER_BOOT = 250  # images
_LONGEST = 60  # seconds of the guest's time for one image
_INTERESTING = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_SCRIPT = "mount -t ext2 -o errors={errors} /dev/ram0 /fuzz && {{ fswalk -w /fuzz; umount /fuzz; }}"


@dataclass(frozen=True)
class Failure:
    """An image that the guest did not survive; `image` makes it again."""

    arch: str
    seed: int
    number: int
    what: str


@dataclass
class Result:
    """What became of the images."""

    images: int = 0
    mounted: int = 0
    failures: list[Failure] = field(default_factory=list)


def _content(place: Path) -> list[str]:
    """Few files, of all kinds: small, with tables, sparse, links of both kinds, a folder large enough for an index."""
    commands = ["mkdir a", "mkdir a/b", "mkdir a/b/c", "mkdir many", "expand many", "expand many"]
    commands += ["symlink short small", f"symlink long {'./' * 50}small"]
    files = {
        "small": b"small\n",
        "large": bytes(range(256)) * 240,
        "sparse": bytes(400_000) + b"end",
        "a/b/c/leaf": b"leaf\n" * 700,
    }
    for name, data in files.items():
        file = place / Path(name).name
        file.write_bytes(data)
        file.chmod(0o644)
        commands.append(f"write {file} {name}")
    commands.append("ln small a/b/c/again")
    for number in range(36):
        name = f"{number:02}-is-a-name-of-so-many-letters-that-few-of-its-kind-fill-a-block"
        commands.append(f"ln {('a/b/c/leaf' if number % 2 else 'small')} many/{name}")
    return commands


def base_images() -> list[bytes]:
    """Sound images of several kinds."""
    kinds = (
        ("-b", "1024", "-g", "512"),
        ("-b", "1024", "-r", "0", "-O", "none", "-I", "128"),
        ("-b", "2048"),
        ("-b", "4096", "-I", "256"),
    )
    images = []
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image"
        content = _content(Path(folder))
        for kind in kinds:
            make_ext2(image, _DISK, ("-N", "64", *kind), content)
            images.append(image.read_bytes().ljust(_DISK, b"\0"))
    return images


def _block_size(image: bytes) -> int:
    return 1024 << int.from_bytes(image[1048:1052], "little")


def _used_blocks(image: bytes) -> list[int]:
    """Blocks that are not all zeroes: most of what describes the file system, and some data."""
    size = _block_size(image)
    zero = bytes(size)
    return [n for n in range(len(image) // size) if image[n * size : (n + 1) * size] != zero]


def mutations(base: bytes, used: list[int], seed: int) -> Iterator[tuple[int, bytes]]:
    """A few words to change, mostly near the image's beginning, where the file system is described: where, and to what."""
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


class _Watch:
    """No console input; ends a run that takes too long."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._limit = machine.board.now + _LONGEST * machine.board.frequency

    def read(self, *, wait: bool) -> bytes | None:
        if self._machine.board.now > self._limit:
            raise TimeoutError(f"still busy after {_LONGEST} s")
        return b"" if wait else None


def _batch(arch: str, seed: int, numbers: range, bases: list[bytes], result: Result) -> Iterator[int]:
    """Images on one machine, until it has had enough or does not survive."""
    used = [_used_blocks(base) for base in bases]
    with Machine(arch=arch, cpus=2, seed=seed, memory=64 << 20, ramdisk=RamDisk(_DISK)) as machine:
        machine.run("mkdir /fuzz")
        for number in numbers:
            kind = number % len(bases)
            machine.ramdisk.write(0, bases[kind])
            for at, word in mutations(bases[kind], used[kind], seed << 32 | number):
                machine.ramdisk.write(at, word)
            what = ""
            try:
                errors = "remount-ro" if number & 8 else "continue"
                done = machine.run(_SCRIPT.format(errors=errors), stdin=_Watch(machine))
                result.mounted += b" files, " in done.output
                if b"target is busy" in done.output:
                    what = done.output.decode(errors="replace")
            except (GuestPanic, PoweredOff, TimeoutError) as error:
                what = str(error)
            what = what or "\n".join(machine.warnings)
            result.images += 1
            if what:
                result.failures.append(Failure(arch, seed, number, what))
            yield number
            if what:
                return


def run(count: int, seed: int = 0, arch: str = "x86_64", *, first: int = 0) -> Result:
    """Has the guest use `count` mutated images, the same for the same seed.

    Args:
        count: how many.
        seed: of the mutations, and of the machines.
        arch: the guest's architecture.
        first: number of the first image, to begin with one that failed.
    """
    bases, result, next_one, end = base_images(), Result(), first, first + count
    while next_one < end:
        for number in _batch(arch, seed, range(next_one, min(next_one + _PER_BOOT, end)), bases, result):
            next_one = number + 1
    return result


if __name__ == "__main__":
    for name in ("x86_64", "sparc64"):
        outcome = run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, name)
        print(f"{name}: {outcome.images} images, {outcome.mounted} mounted, {len(outcome.failures)} failures")
        for failure in outcome.failures:
            print(f"--- {name} seed {failure.seed} image {failure.number}\n{failure.what}")
