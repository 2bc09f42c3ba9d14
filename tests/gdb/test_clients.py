# SPDX-License-Identifier: GPL-2.0-only
"""Clients of a machine that runs: those that die, those that come too many, and those that send nonsense meanwhile."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

ENDLESS = "while true; do true; done"
OPENED: list[socket.socket] = []  # by the running test


class Client:
    """A client of a port."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        OPENED.append(self.socket)
        self._data = b""

    def send(self, packet: bytes) -> None:
        self.socket.sendall(b"$%b#%02x" % (packet, sum(packet) & 0xFF))

    def receive(self) -> bytes:
        """The next packet that is no text."""
        while True:
            start = self._data.find(b"$")
            end = self._data.find(b"#", start)
            if start >= 0 and 0 <= end <= len(self._data) - 3:
                packet, self._data = self._data[start + 1 : end], self._data[end + 3 :]
                self.socket.sendall(b"+")
                if packet[:1] != b"O" or packet == b"OK":
                    return packet
                continue
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError
            self._data += data

    def ask(self, packet: bytes) -> bytes:
        self.send(packet)
        return self.receive()


def served(machine: Machine, talk: Callable[[int], None]) -> None:
    """Serves a machine that runs without an end, while a function talks to its port. What that raises is raised."""
    errors: list[BaseException] = []
    ended = threading.Event()

    def talks(port: int) -> None:
        try:
            talk(port)
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()
            while OPENED:
                OPENED.pop().close()

    def ready(port: int) -> Callable[[], bool]:
        threading.Thread(target=talks, args=(port,), daemon=True).start()
        return lambda: not ended.is_set()

    machine.serve_gdb(0, ENDLESS, ready=ready)
    if errors:
        raise errors[0]


def test_a_client_dies_while_the_machine_runs(arch: str) -> None:
    """The machine stands, and the next one finds it as it is, and stops it by ^C."""

    def talk(port: int) -> None:
        first = Client(port)
        assert first.ask(b"Z0,1000,1") == b"OK"
        first.send(b"vCont;c")
        time.sleep(0.3)
        first.socket.close()
        second = Client(port)
        stood = second.ask(b"g")
        assert second.ask(b"g") == stood
        second.send(b"vCont;c")
        time.sleep(0.2)
        second.socket.sendall(b"\x03")
        assert second.receive().startswith(b"T02thread:")
        assert second.ask(b"bs")[:3] in (b"T05", b"T00")
        second.send(b"k")

    with booted_machine(arch) as machine:
        begun = machine.board.now
        served(machine, talk)
        assert machine.travel.stops == frozenset()
        assert machine.board.now > begun


def test_another_client_is_refused_while_the_machine_runs() -> None:
    def talk(port: int) -> None:
        first = Client(port)
        first.send(b"vCont;c")
        time.sleep(0.1)
        with pytest.raises((EOFError, ConnectionError)):
            Client(port).ask(b"?")
        first.socket.sendall(b"\x03")
        assert first.receive().startswith(b"T02thread:")
        first.send(b"k")

    with booted_machine("x86_64") as machine:
        served(machine, talk)


def test_nonsense_while_the_machine_runs_stops_it() -> None:
    def talk(port: int) -> None:
        r = random.Random(46)
        client = Client(port)
        for _ in range(20):
            client.send(b"vCont;c")
            time.sleep(0.01)
            noise = r.randbytes(r.randrange(1, 200)).replace(b"$", b"x").replace(b"-", b"x")
            client.socket.sendall(noise + b"\x03")
            assert client.receive()[:3] in (b"T02", b"T05")
            assert client.ask(b"vNonsense") == b""
        client.send(b"k")

    with booted_machine("x86_64") as machine:
        served(machine, talk)
