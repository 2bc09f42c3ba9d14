# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in futex: the operation of a futex() call, and the operation's arguments."""

from __future__ import annotations

import numpy as np

from emu.trace.event_table import EventTable
from emu.trace.lines import Among, Piece, Texts, constant
from emu.trace.report.context import ReportContext
from emu.trace.report.event_text import EventText
from emu.trace.report.plugins.fields import Show, decimal, padded, unsigned

__all__ = ["enter_text"]

_FLAGS = {128: "FUTEX_PRIVATE_FLAG", 256: "FUTEX_CLOCK_REALTIME"}
_VALUE: tuple[str, str, Show] = (" val=", "val", decimal)
_EXPECTED: tuple[str, str, Show] = (" val=", "val", padded)
_TIME: tuple[str, str, Show] = (" utime=", "utime", padded)
_COUNT: tuple[str, str, Show] = (" val2=", "utime", decimal)  # the same argument
_OTHER: tuple[str, str, Show] = (" uaddr2=", "uaddr2", padded)
_THIRD: tuple[str, str, Show] = (" val3=", "val3", padded)

_OPERATIONS: tuple[tuple[str, tuple[tuple[str, str, Show], ...]], ...] = (  # by number; futex(2)
    ("FUTEX_WAIT", (_EXPECTED, _TIME)),
    ("FUTEX_WAKE", (_VALUE,)),
    ("FUTEX_FD", (_VALUE,)),
    ("FUTEX_REQUEUE", (_VALUE, _COUNT, _OTHER)),
    ("FUTEX_CMP_REQUEUE", (_VALUE, _COUNT, _OTHER, _THIRD)),
    ("FUTEX_WAKE_OP", (_VALUE, _COUNT, _OTHER, _THIRD)),
    ("FUTEX_LOCK_PI", (_TIME,)),
    ("FUTEX_UNLOCK_PI", ()),
    ("FUTEX_TRYLOCK_PI", ()),
    ("FUTEX_WAIT_BITSET", (_EXPECTED, _TIME, _THIRD)),
    ("FUTEX_WAKE_BITSET", (_VALUE, _THIRD)),
    ("FUTEX_WAIT_REQUEUE_PI", (_EXPECTED, _TIME, _OTHER, _THIRD)),
    ("FUTEX_CMP_REQUEUE_PI", (_VALUE, _COUNT, _OTHER, _THIRD)),
)


def enter_text(context: ReportContext, table: EventTable) -> list[Piece]:
    """`op=FUTEX_WAIT|FUTEX_PRIVATE_FLAG uaddr=0x7fff1234 val=0x00000001 utime=0x00000000`

    An unknown operation is printed by the print fmt.
    """
    numbers = unsigned(table, "op")
    operations = numbers & ~np.uint64(sum(_FLAGS))
    pieces: list[Piece] = []
    for operation in np.unique(operations).tolist():
        among = np.flatnonzero(operations == operation)
        some = table.some(among)
        is_known = operation < len(_OPERATIONS)
        found = _known(some, *_OPERATIONS[operation]) if is_known else EventText(context, table.call)(some)
        pieces += [Among(piece, among) for piece in found]
    return pieces


def _known(table: EventTable, name: str, arguments: tuple[tuple[str, str, Show], ...]) -> list[Piece]:
    values, which = np.unique(unsigned(table, "op"), return_inverse=True)
    texts = ["|".join([f"op={name}", *(flag for bit, flag in _FLAGS.items() if value & bit)]) for value in values.tolist()]
    pieces: list[Piece] = [Texts(texts, which)]
    for before, field, show in ((" uaddr=", "uaddr", padded), *arguments):
        pieces += [constant(before, table.count), show(unsigned(table, field))]
    return pieces
