# SPDX-License-Identifier: GPL-2.0-only
"""Host calls (docs/board.md): dispatches each to the method that answers it."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from typing import TypeVar

from emu.cpu.cpu import Cpu
from emu.kernel.image import Image

__all__ = ["HostCalls", "host_call", "put", "string"]

LONGEST_STRING = 4096

Method = TypeVar("Method", bound=Callable[..., int | None])


def host_call(method: Method) -> Method:
    """Makes a method answer the host call of its name: `console_read` answers HC_CONSOLE_READ.

    The method gets the CPU and as many of the call's arguments as it has parameters. It returns the call's result, or None if it
    has answered the CPU itself or the guest does not continue. A LookupError becomes -EFAULT for the guest.
    """
    method.answers_host_call = True  # type: ignore[attr-defined]  # functions accept any attribute
    return method


class HostCalls:
    """The host calls that Python answers.

    Args:
        image: has the calls' numbers in its layout table.
        owners: objects with methods marked by `host_call`.
    """

    def __init__(self, image: Image, owners: Iterable[object]) -> None:
        self._answers: dict[int, tuple[Callable[..., int | None], int]] = {}
        for owner in owners:
            for name, method in vars(type(owner)).items():
                if getattr(method, "answers_host_call", False):
                    parameters = method.__code__.co_argcount - 2  # the owner and the CPU are not arguments of the call
                    self._answers[image.constant(f"HC_{name.upper()}")] = (getattr(owner, name), parameters)

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of all calls that Python answers."""
        return frozenset(self._answers)

    def answer(self, cpu: Cpu, number: int, arguments: list[int]) -> None:
        """Answers a call made by a CPU."""
        result: int | None = -errno.ENOSYS
        if number in self._answers:
            method, parameters = self._answers[number]
            try:
                result = method(cpu, *arguments[:parameters])
            except LookupError:
                result = -errno.EFAULT
        if result is not None:
            cpu.answer(result)


def string(cpu: Cpu, address: int) -> str:
    """The NUL-terminated string at an address, cut where mapped memory ends."""
    text = bytearray()
    while len(text) < LONGEST_STRING:
        try:
            byte = cpu.read(address + len(text), 1)
        except LookupError:
            break
        if byte == b"\0":
            break
        text += byte
    return text.decode(errors="replace")


def put(cpu: Cpu, address: int, data: bytes) -> int:
    """Stores bytes at a CPU's virtual address. Returns their number, or -EFAULT if an address is not mapped."""
    page = cpu.board.arch.page_size
    stored = 0
    while stored < len(data):
        physical = cpu.translate(address + stored)
        if physical is None or physical >= cpu.board.memory:
            return -errno.EFAULT
        piece = data[stored : stored + page - physical % page]
        cpu.board.ram[physical : physical + len(piece)] = piece
        stored += len(piece)
    return stored
