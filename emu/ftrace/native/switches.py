# SPDX-License-Identifier: GPL-2.0-only
"""tracing_on, for whoever turns it on or off while the guest runs: triggers and commands."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import array_cpu_record, array_record, ring_record
from emu.ftrace.native.readers import wake_readers
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["record_off", "record_on"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)


@njit
def record_on(array):
    """Records events from now on, on every CPU where nothing else prevents it."""
    store_u64(array + array_record.RECORDING, ONE)
    switch_rings(array, ZERO)


@njit
def record_off(cpu, array):
    """Records nothing from now on, and has readers that wait look again: there is nothing more to wait for."""
    store_u64(array + array_record.RECORDING, ZERO)
    switch_rings(array, ring_record.OFF)
    wake_readers(cpu, array)


@njit
def switch_rings(array, off):
    """Sets or clears the bit OFF of the ring buffers that record. `off`: OFF, or 0."""
    place = load_u64(array + array_record.CPUS)
    while load_u64(place) != ZERO:
        disabled = load_u64(load_u64(place) + array_cpu_record.RING) + ring_record.DISABLED
        store_u64(disabled, load_u64(disabled) & ~ring_record.OFF | off)
        place += WORD
