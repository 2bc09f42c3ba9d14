# SPDX-License-Identifier: GPL-2.0-only
"""A PC's serial port, from the host's side."""

from __future__ import annotations

import ctypes

import numpy as np

from emu.cpu.board import Board
from emu.cpu.native.pc import records, serial
from emu.native.records import Bytes

__all__ = ["SerialPort"]

_RECEIVED, _SENT = 1 << 16, 1 << 20  # bytes that wait for the guest, and for the host


class SerialPort:
    """A serial port. The host takes what the guest has sent, and gives what the guest receives."""

    def __init__(self, board: Board, record: records.Serial, pin: int) -> None:
        self._board, self.record = board, record
        self._received, self._sent = np.zeros(_RECEIVED, np.uint8), np.zeros(_SENT, np.uint8)
        record.pin = pin
        record.received, record.received_size = Bytes(self._received.ctypes.data), _RECEIVED
        record.sent, record.sent_size = Bytes(self._sent.ctypes.data), _SENT
        self.wait_for(None)

    def wait_for(self, count: int | None, *, lines: bool = False) -> None:
        """Stops the machine when `count` bytes wait for the host; None: when it must take them, before there is no room.

        `lines`: also at the end of each line.
        """
        self.record.sent_wanted = _SENT // 2 if count is None else min(count, _SENT // 2)
        self.record.stops_at_lines = lines

    def take(self) -> bytes:
        """What the guest has sent since the last call."""
        count = self.record.sent_count
        if not count:
            return b""
        self.record.sent_count = 0
        return ctypes.string_at(self._sent.ctypes.data, count)

    @property
    def waiting(self) -> bytes:
        """What waits for the guest."""
        places = np.arange(self.record.received_begin, self.record.received_end) % _RECEIVED
        return self._received[places].tobytes()

    def restart(self, waiting: bytes) -> None:
        """Restores what waits for the guest, after the record has been restored. Nothing waits for the host."""
        self.record.sent_count = 0
        self.record.received_begin, self.record.received_end = 0, len(waiting)
        self._received[: len(waiting)] = np.frombuffer(waiting, np.uint8)

    @property
    def room(self) -> int:
        """How many bytes can be given now."""
        return _RECEIVED - (self.record.received_end - self.record.received_begin)

    def give(self, data: bytes) -> None:
        """Bytes for the guest, at the time of the CPU whose turn it is or was last. At most `room`."""
        assert len(data) <= self.room
        end = self.record.received_end
        self._received[np.arange(end, end + len(data)) % _RECEIVED] = np.frombuffer(data, np.uint8)
        serial.arrive(self._board.current.record, self.record, len(data))
