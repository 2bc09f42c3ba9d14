# SPDX-License-Identifier: GPL-2.0-only
"""Host calls (docs/board.md): which method answers each, and what they share."""

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
    """Has a method answer the host call of its name: `console_read` answers HC_CONSOLE_READ.

    The method is called with the CPU and as many of the call's arguments as it has parameters. It returns the call's
    result; None: it has answered the CPU itself, or the guest does not go on. A LookupError is -EFAULT to the guest.
    """
    method.answers_host_call = True  # type: ignore[attr-defined]  # functions have any attribute
    return method


class HostCalls:
    """The host calls that Python answers.

    Args:
        image: its layout table has the calls' numbers.
        owners: objects with methods marked by `host_call`.
    """

    def __init__(self, image: Image, owners: Iterable[object]) -> None:
        self._answers: dict[int, tuple[Callable[..., int | None], int]] = {}
        for owner in owners:
            for name, method in vars(type(owner)).items():
                if getattr(method, "answers_host_call", False):
                    parameters = method.__code__.co_argcount - 2  # the owner and the CPU are no arguments of the call
                    self._answers[image.constant(f"HC_{name.upper()}")] = (getattr(owner, name), parameters)

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of all calls that Python answers."""
        return frozenset(self._answers)

    def answer(self, cpu: Cpu, number: int, arguments: list[int]) -> None:
        """Answers a call that a CPU has made."""
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
    """The NUL-terminated string at an address, cut where it leaves mapped memory."""
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
    """Stores bytes at a CPU's virtual address. Returns how many, or -EFAULT where an address is not mapped."""
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
