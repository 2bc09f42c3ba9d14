# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of the channel on which the agent in a Linux guest is told what to run.

`firmware/linux/channel.h` describes the frames and the credits. This module makes and reads frames; its user moves the bytes.
"""

from __future__ import annotations

import enum
import struct
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

__all__ = ["Channel", "ChannelError", "Frame", "Window"]

VERSION = 1
HEADER = struct.Struct("<BBH")
TO_GUEST = 1024  # bytes of data in a frame
TO_HOST = 4096
WINDOW = 3072  # bytes of frames on the way
INPUT_WINDOW = 2048
RUN_TERMINAL = 1

_END_OF_INPUT = b"\x04"  # Ctrl-D, by which a terminal's program learns of the end
_RUN, _NUMBER, _CREDITS, _SIZE = (struct.Struct(f"<{fields}") for fields in ("IHHII", "I", "II", "HH"))


class Frame(enum.IntEnum):
    """The types of frames."""

    ARGUMENTS = 1
    RUN = 2
    INPUT = 3
    INPUT_END = 4
    SIGNAL = 5
    WINDOW = 6
    KILL = 7
    READY = 65
    CREDIT = 66
    OUTPUT = 67
    ERRORS = 68
    EXIT = 69
    REFUSED = 70


# The least and the greatest number of bytes of data in each of the agent's frames.
_LENGTHS = {Frame.READY: (4, 4), Frame.CREDIT: (8, 8), Frame.EXIT: (4, 4), Frame.REFUSED: (0, 0)}
_LENGTHS |= {Frame.OUTPUT: (1, TO_HOST), Frame.ERRORS: (1, TO_HOST)}


class ChannelError(RuntimeError):
    """The agent sends what it never would: bytes were lost or damaged, or it is another agent."""


class Window(NamedTuple):
    """The size of a terminal, in characters."""

    rows: int
    columns: int


class Channel:
    """One agent, which runs one command at a time.

    Args:
        send: takes bytes for the guest's serial port; it must take them all.

    Attributes:
        on_ready: called when the agent can be given a command.
        on_output: called with what programs write to standard output, or to their terminal.
        on_errors: called with what programs write to standard error, or the agent about a command it cannot run.
        on_exit: called with the wait status (`os.waitstatus_to_exitcode`) of the command; it may run the next.
        ready: whether the agent has reported.
        running: whether a command has been given to the agent and has not ended.

    Background processes may write after their command's end: the callbacks for output do not tell whose it is.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self.on_ready: Callable[[], None] = lambda: None
        self.on_output: Callable[[bytes], object] = lambda data: None
        self.on_errors: Callable[[bytes], object] = lambda data: None
        self.on_exit: Callable[[int], None] = lambda status: None
        self.ready = False
        self.running = False
        self._send = send
        self._received = bytearray()
        self._error: ChannelError | None = None
        self._frames: deque[bytes] = deque()  # but for input
        self._input = bytearray()
        self._has_terminal = self._input_ends = self._end_is_told = False
        self._input_on_the_way = self._others_on_the_way = 0  # bytes with headers

    @property
    def waiting_input(self) -> int:
        """Bytes of input that the guest has no room for yet; who has a lot to send waits until they are few."""
        return len(self._input)

    def state(self) -> dict[str, Any]:
        """What `restart` needs to go on from here."""
        return {
            "ready": self.ready,
            "running": self.running,
            "received": self._received.hex(),
            "frames": [frame.hex() for frame in self._frames],
            "input": self._input.hex(),
            "terminal": self._has_terminal,
            "input_ends": self._input_ends,
            "end_is_told": self._end_is_told,
            "on_the_way": [self._input_on_the_way, self._others_on_the_way],
        }

    def restart(self, state: dict[str, Any]) -> None:
        """Goes on from a state of such a channel."""
        self._error = None
        self.ready, self.running = state["ready"], state["running"]
        self._received = bytearray.fromhex(state["received"])
        self._frames = deque(map(bytes.fromhex, state["frames"]))
        self._input = bytearray.fromhex(state["input"])
        self._has_terminal, self._input_ends = state["terminal"], state["input_ends"]
        self._end_is_told = state["end_is_told"]
        self._input_on_the_way, self._others_on_the_way = state["on_the_way"]

    @property
    def awaited(self) -> int:
        """How many bytes of the guest's are missing before `receive` can do anything."""
        if len(self._received) < HEADER.size:
            return HEADER.size - len(self._received)
        length = HEADER.unpack_from(self._received)[2]
        return HEADER.size + int(length) - len(self._received)

    def run(self, words: Sequence[bytes], environment: Sequence[bytes] = (), window: Window | None = None) -> None:
        """Runs a program.

        Args:
            words: its name, looked for on PATH if it has no slash, and its arguments.
            environment: words NAME=VALUE, beside PATH, HOME, USER and those of the kernel's command line, or instead of them.
            window: None: standard input, output and errors are pipes; else they are a new terminal of this size.

        Raises:
            ValueError: there is no word, or one with a NUL.
            RuntimeError: the agent is not ready, or a command is running.
            ChannelError: the channel has failed.
        """
        self._check()
        if not words or any(b"\0" in word for word in (*words, *environment)):
            raise ValueError("a command is one or more words without NULs")
        if not self.ready or self.running:
            raise RuntimeError("a command is running" if self.running else "the agent has not reported yet")
        self.running = True
        self._has_terminal = window is not None
        self._input_ends = self._end_is_told = False
        block = b"".join(word + b"\0" for word in (*words, *environment))
        self._frames.extend(_frame(Frame.ARGUMENTS, block[at : at + TO_GUEST]) for at in range(0, len(block), TO_GUEST))
        flags, size = (RUN_TERMINAL, window) if window else (0, Window(0, 0))
        self._tell(Frame.RUN, _RUN.pack(flags, *size, len(words), len(environment)))

    def input(self, data: bytes) -> None:
        """Gives the command input; without a command, or after `end_input`, nobody gets it."""
        self._check()
        if self.running and not self._input_ends:
            self._input += data
            self._pump()

    def end_input(self) -> None:
        """Closes the command's standard input; at a terminal, it is as if somebody had typed Ctrl-D."""
        if self._has_terminal:
            self.input(_END_OF_INPUT)
        elif self.running:
            self._check()
            self._input_ends = True
            self._pump()

    def signal(self, number: int) -> None:
        """Sends a signal to the foreground process group of the command's terminal, or to the command's process group."""
        self._tell(Frame.SIGNAL, _NUMBER.pack(number))

    def resize(self, window: Window) -> None:
        """Tells the command's terminal its new size."""
        self._tell(Frame.WINDOW, _SIZE.pack(*window))

    def kill(self) -> None:
        """Kills all processes of the command's session; `on_exit` follows."""
        self._tell(Frame.KILL)

    def receive(self, data: bytes) -> None:
        """Takes bytes from the guest's serial port, in any pieces, and calls what has been set.

        Raises:
            ChannelError: they are no frames of the agent's; from then on the channel is of no use, and all calls raise this.
        """
        self._check()
        self._received += data
        while len(self._received) >= HEADER.size:
            kind, size = self._header()
            if len(self._received) < size:
                break
            body = bytes(self._received[HEADER.size : size])
            del self._received[:size]
            self._dispatch(kind, body)
        self._pump()

    def _check(self) -> None:
        if self._error:
            raise self._error

    def _fail(self, text: str) -> NoReturn:
        self._error = ChannelError(f"the channel to the guest's agent has failed: {text}")
        raise self._error

    def _header(self) -> tuple[Frame, int]:
        """The type of the frame that comes next, and its size in bytes."""
        number, zero, length = HEADER.unpack_from(self._received)
        if zero or number not in _LENGTHS or not _LENGTHS[Frame(number)][0] <= length <= _LENGTHS[Frame(number)][1]:
            self._fail(f"no frame begins with {HEADER.pack(number, zero, length).hex(' ')}")
        if (number == Frame.READY) is self.ready:
            self._fail("the agent has begun anew" if self.ready else f"{Frame(number).name} came before READY")
        return Frame(number), HEADER.size + length

    def _dispatch(self, kind: Frame, body: bytes) -> None:
        match kind:
            case Frame.OUTPUT:
                self.on_output(body)
            case Frame.ERRORS:
                self.on_errors(body)
            case Frame.CREDIT:
                of_input, of_others = _CREDITS.unpack(body)
                if of_input > self._input_on_the_way or of_others > self._others_on_the_way:
                    self._fail("the agent has got more than was sent")
                self._input_on_the_way -= of_input
                self._others_on_the_way -= of_others
                self._pump()
            case Frame.EXIT:
                if not self.running or any(frame[0] == Frame.RUN for frame in self._frames):
                    self._fail("a command has ended that did not run")
                self.running = self._input_ends = False
                self._frames.clear()
                self._input.clear()
                self.on_exit(*_NUMBER.unpack(body))
            case Frame.READY:
                (version,) = _NUMBER.unpack(body)
                if version != VERSION:
                    self._fail(f"the agent speaks version {version} of the protocol, emu {VERSION}")
                self.ready = True
                self.on_ready()
            case _:
                self._fail("the agent has received a frame that cannot be")

    def _tell(self, kind: Frame, body: bytes = b"") -> None:
        self._check()
        if self.running:
            self._frames.append(_frame(kind, body))
        self._pump()

    def _pump(self) -> None:
        """Sends what there is credit for. Input is last, so that a signal overtakes it."""
        while self._frames and len(self._frames[0]) <= self._room():
            self._others_on_the_way += len(self._frames[0])
            self._send(self._frames.popleft())
        while self._input and not self._frames:
            size = min(TO_GUEST, self._input_room() - HEADER.size)
            if size <= 0:
                return
            self._send_input(Frame.INPUT, bytes(self._input[:size]))
            del self._input[:size]
        if self._input_ends and not self._end_is_told and not self._frames and self._input_room() >= HEADER.size:
            self._end_is_told = True
            self._send_input(Frame.INPUT_END)

    def _room(self) -> int:
        return WINDOW - self._input_on_the_way - self._others_on_the_way

    def _input_room(self) -> int:
        return min(self._room(), INPUT_WINDOW - self._input_on_the_way)

    def _send_input(self, kind: Frame, data: bytes = b"") -> None:
        frame = _frame(kind, data)
        self._input_on_the_way += len(frame)
        self._send(frame)


def _frame(kind: Frame, body: bytes) -> bytes:
    return HEADER.pack(kind, 0, len(body)) + body
