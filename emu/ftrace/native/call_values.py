# SPDX-License-Identifier: GPL-2.0-only
"""What a call is given and what it returns, for the entries of kernels that are traced with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers import entries
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["ARGUMENTS", "ARGUMENTS_AND_RETURN", "NO_VALUES", "CallValues", "no_arguments", "no_result"]

ARGUMENTS, ARGUMENTS_AND_RETURN = u64(8 * entries.ARGUMENTS), u64(8 * entries.ARGUMENTS + 8)  # bytes behind an entry


class CallValues(NamedTuple):
    """Functions that are compiled into those that record calls. None: entries have no room for it."""

    put_arguments: Callable[[Cpu, u64], None] | None = None
    """put_arguments(cpu, place): a function begins. Stores the registers of its first ARGUMENTS arguments at a host address."""

    result: Callable[[Cpu], u64] | None = None
    """result(cpu) -> what the function returns from which the CPU has just returned."""


NO_VALUES = CallValues()


@njit
def no_arguments(cpu: Cpu, place: u64) -> None:
    """Instead of `put_arguments`."""


@njit
def no_result(cpu: Cpu) -> u64:
    """Instead of `result`."""
    return u64(0)
