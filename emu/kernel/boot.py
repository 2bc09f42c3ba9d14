# SPDX-License-Identifier: GPL-2.0-only
"""Putting a kernel image, its initramfs and its parameters into RAM."""

from __future__ import annotations

import struct

from emu.cpu.board import Board
from emu.kernel.image import BadImage, Image

__all__ = ["load"]

_MAGIC = 0x756D_6574_6F6F_62
_WORDS = 7
_COMMAND_LINE = 4032 - 8 * _WORDS  # bytes, with the final NUL


def load(board: Board, image: Image, place: int, initramfs: bytes, command_line: str, seed: int) -> int:
    """Loads everything and returns the virtual address of struct boot_params, whose physical address is `place`.

    Raises:
        BadImage: the image does not fit this board.
        ValueError: the command line is too long, or has a NUL byte.
    """
    page = board.arch.page_size
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
    line = command_line.encode(errors="surrogateescape")
    if b"\0" in line:
        raise ValueError("a kernel command line cannot hold a NUL byte")
    if len(line) >= _COMMAND_LINE:
        raise ValueError(f"a kernel command line of {len(line)} bytes: at most {_COMMAND_LINE - 1} fit")
    words = (_MAGIC, board.memory, len(board.cpus), start, len(initramfs), board.frequency, seed & 2**64 - 1)
    parameters = struct.pack(f"{image.byte_order}{_WORDS}Q", *words) + line
    board.ram[place : place + len(parameters)] = parameters
    return board.arch.direct_map + place
