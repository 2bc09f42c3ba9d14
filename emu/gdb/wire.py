# SPDX-License-Identifier: GPL-2.0-only
"""Packets of GDB's remote serial protocol, on a socket (GDB manual, appendix E "Remote Serial Protocol", "Overview").

A packet is `$data#cs`, in which cs is the sum of the data's bytes in two hexadecimal digits. `}` in the data escapes the next
byte, whose bit 5 is inverted. Each packet is answered by `+`, or by `-` if its sum is wrong, until QStartNoAckMode. The byte 3
outside a packet asks the machine to stop.
"""

from __future__ import annotations

import select
import socket
from collections import deque
from collections.abc import Callable

__all__ = ["LONGEST", "Closed", "Wire", "escaped", "unescaped"]

LONGEST = 0x8000  # bytes of a packet's data, as it is on the wire
_START, _END, _ESCAPE, _INTERRUPT = b"$#}\x03"
_SPECIAL = b"$#}*"
_MOST_TRIES = 5  # for a packet whose sum arrived wrong
_AT_ONCE = 1 << 16
_PATIENCE = 10.0  # seconds in which a client takes what it is sent


class Closed(Exception):
    """The client has gone."""


class Wire:
    """Packets from and to a client.

    Args:
        connection: the client's socket. The wire closes it.
        door: a socket at which other clients may come while this one is served.
        refuse: called when one has come.

    Attributes:
        acknowledges: whether packets are answered by `+`.
    """

    def __init__(self, connection: socket.socket, door: socket.socket, refuse: Callable[[], None]) -> None:
        self._socket, self._door, self._refuse = connection, door, refuse
        connection.settimeout(_PATIENCE)
        self._bytes = bytearray()  # received, and in no packet yet
        self._packets: deque[bytes] = deque()
        self._arrived = self._taken = 0  # packets
        self._interrupted: int | None = None  # how many packets had arrived before a wish to stop
        self._latest = b""  # what was sent last, as it is on the wire
        self._tries = 0
        self.acknowledges = True

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def receive(self) -> bytes:
        """The next packet's data, as it is on the wire. A wish to stop that came before it is forgotten: the machine stood.

        Raises:
            Closed: the client has gone.
        """
        while not self._packets:
            self._read(None)
        self._taken += 1
        if self._interrupted is not None and self._interrupted < self._taken:
            self._interrupted = None
        return self._packets.popleft()

    def interrupted(self) -> bool:
        """Whether the client wants the machine to stop: it has sent ^C, or a packet. Does not wait.

        Raises:
            Closed: the client has gone.
        """
        self._read(0)
        asked, self._interrupted = self._interrupted is not None, None
        return asked or bool(self._packets)

    def send(self, data: bytes) -> None:
        """Sends a packet. `data` is escaped already.

        Raises:
            Closed: the client has gone.
        """
        self._latest = b"$%b#%02x" % (data, sum(data) & 0xFF)
        self._tries = 0
        self._write(self._latest)

    def _write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError:
            raise Closed from None

    def _read(self, patience: float | None) -> None:
        """Takes what has arrived; waits for it so many seconds, None: as long as it takes."""
        ready = select.select([self._socket, self._door], [], [], patience)[0]
        if self._socket in ready:  # first: if this client has gone, also behind its last packet, the one at the door is served
            try:
                data = self._socket.recv(_AT_ONCE)
            except OSError:
                raise Closed from None
            if not data:
                raise Closed
            self._bytes += data
            self._take()
        if self._door in ready and not select.select([self._socket], [], [], 0)[0]:
            self._refuse()

    def _take(self) -> None:
        """Takes all that is complete out of the bytes."""
        data = self._bytes
        at = 0
        while at < len(data):
            if data[at] != _START:
                self._outside(data[at])
                at += 1
                continue
            end = data.find(_END, at)
            again = data.find(_START, at + 1, end if end >= 0 else len(data))
            if again >= 0:  # the rest of the packet was lost
                self._answer(b"-")
                at = again
                continue
            if end < 0:
                if len(data) - at > LONGEST:
                    at = len(data)
                break
            if len(data) < end + 3:
                break
            self._packet(bytes(data[at + 1 : end]), bytes(data[end + 1 : end + 3]))
            at = end + 3
        del data[:at]

    def _outside(self, byte: int) -> None:
        """A byte that is in no packet."""
        if byte == _INTERRUPT:
            self._interrupted = self._arrived
        elif byte == ord("-") and self.acknowledges and self._latest and self._tries < _MOST_TRIES:
            self._tries += 1
            self._write(self._latest)

    def _packet(self, data: bytes, digits: bytes) -> None:
        if not self.acknowledges:
            self._arrive(data)
        elif b"%02x" % (sum(data) & 0xFF) == digits.lower():
            self._answer(b"+")
            self._arrive(data)
        else:
            self._answer(b"-")

    def _arrive(self, data: bytes) -> None:
        self._arrived += 1
        self._packets.append(data)

    def _answer(self, mark: bytes) -> None:
        if self.acknowledges:
            self._write(mark)


def escaped(data: bytes) -> bytes:
    """Binary data as a packet holds it."""
    out = bytearray()
    for byte in data:
        out += bytes((_ESCAPE, byte ^ 0x20)) if byte in _SPECIAL else bytes((byte,))
    return bytes(out)


def unescaped(data: bytes) -> bytes:
    """The binary data that a packet holds."""
    out = bytearray()
    at = 0
    while at < len(data):
        if data[at] == _ESCAPE and at + 1 < len(data):
            at += 1
            out.append(data[at] ^ 0x20)
        else:
            out.append(data[at])
        at += 1
    return bytes(out)
