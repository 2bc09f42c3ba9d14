# SPDX-License-Identifier: GPL-2.0-only
"""Loads a kernel image, its initramfs and its parameters into RAM."""

from __future__ import annotations

from emu.cpu.board import Board
from emu.kernel.image import BadImage
from emu.kernel.memory import GuestMemory

__all__ = ["load"]


def load(board: Board, memory: GuestMemory, place: int, initramfs: bytes, command_line: str, seed: int) -> int:
    """Loads everything and returns the virtual address of struct boot_params, whose physical address is `place`.

    Raises:
        BadImage: the image does not fit this board.
        ValueError: the command line is too long, or has a NUL byte.
    """
    image, page = memory.image, memory.page_size
    end = 0
    for physical, data, size in image.segments:
        if physical + size > board.memory:
            raise BadImage(f"{image.path}: needs {physical + size >> 20} MiB of memory, there are {board.memory >> 20}")
        board.ram[physical : physical + len(data)] = data
        end = max(end, physical + size)
    start = board.memory - len(initramfs) & -page
    if start < end:
        raise BadImage(f"{image.path}: its initramfs does not fit into {board.memory >> 20} MiB of memory")
    board.ram[start : start + len(initramfs)] = initramfs
    line = command_line.encode(errors="surrogateescape") + b"\0"
    if b"\0" in line[:-1]:
        raise ValueError("a kernel command line cannot hold a NUL byte")
    longest = image.size("boot_params.command_line")
    if len(line) > longest:
        raise ValueError(f"a kernel command line of {len(line) - 1} bytes: at most {longest - 1} fit")
    parameters = board.arch.direct_map + place
    for name, value in (
        ("magic", image.constant("BOOT_PARAMS_MAGIC")),
        ("memory_size", board.memory),
        ("nr_cpus", len(board.cpus)),
        ("initrd_start", start),
        ("initrd_size", len(initramfs)),
        ("tsc_hz", board.frequency),
        ("seed", seed),
    ):
        memory.set_member(parameters, f"boot_params.{name}", value)
    memory.write(parameters + image.offset("boot_params.command_line"), line)
    return parameters
