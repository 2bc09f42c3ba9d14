# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of the channel to the agent in a Linux guest, with an agent made of Python."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.linux import channel as protocol
from emu.linux.channel import HEADER, INPUT_WINDOW, TO_GUEST, WINDOW, Channel, ChannelError, Frame, Window

HEADER_FILE = Path(__file__).resolve().parents[2] / "firmware/linux/channel.h"


def frame(kind: int, body: bytes = b"", zero: int = 0) -> bytes:
    return HEADER.pack(kind, zero, len(body)) + body


READY = frame(Frame.READY, struct.pack("<I", protocol.VERSION))


def credit(of_input: int, of_others: int) -> bytes:
    return frame(Frame.CREDIT, struct.pack("<II", of_input, of_others))


def end(status: int = 0) -> bytes:
    return frame(Frame.EXIT, struct.pack("<I", status))


class Agent:
    """What the guest has got, and checks that it could take it.

    Attributes:
        frames: the frames, but for ARGUMENTS and INPUT.
        words: what ARGUMENTS has brought since the last RUN.
        input: what INPUT has brought.
        due_input, due_others: bytes for which the host has no credit yet.
    """

    def __init__(self, ready: bool = True) -> None:
        self.frames: list[tuple[Frame, bytes]] = []
        self.words = self.input = b""
        self.commands: list[tuple[list[bytes], tuple[int, ...]]] = []
        self.due_input = self.due_others = 0
        self.log: list[object] = []
        self.channel = Channel(self.take)
        self.channel.on_ready = lambda: self.log.append("ready")
        self.channel.on_output = lambda data: self.log.append(("output", data))
        self.channel.on_errors = lambda data: self.log.append(("errors", data))
        self.channel.on_exit = lambda status: self.log.append(("exit", status))
        if ready:
            self.channel.receive(READY)

    def take(self, data: bytes) -> None:
        while data:
            number, zero, length = HEADER.unpack_from(data)
            kind, size = Frame(number), HEADER.size + length
            body, data = data[HEADER.size : size], data[size:]
            assert not zero and length == len(body) <= TO_GUEST
            if kind in (Frame.INPUT, Frame.INPUT_END):
                self.due_input += size
            else:
                self.due_others += size
            assert self.due_input <= INPUT_WINDOW and self.due_input + self.due_others <= WINDOW
            self.note(kind, body)

    def note(self, kind: Frame, body: bytes) -> None:
        if kind == Frame.ARGUMENTS:
            self.words += body
        elif kind == Frame.INPUT:
            self.input += body
        else:
            self.frames.append((kind, body))
        if kind == Frame.RUN:
            self.commands.append((self.words.split(b"\0")[:-1], struct.unpack("<IHHII", body)))
            self.words = b""

    def give_back(self, of_input: int | None = None, of_others: int | None = None) -> None:
        of_input = self.due_input if of_input is None else of_input
        of_others = self.due_others if of_others is None else of_others
        self.due_input -= of_input
        self.due_others -= of_others
        self.channel.receive(credit(of_input, of_others))

    def give_back_all(self) -> None:
        while self.due_input or self.due_others:
            self.give_back()


def test_the_numbers_are_those_of_the_agent() -> None:
    text = HEADER_FILE.read_text()
    defined = {name: int(value) for name, value in re.findall(r"#define CHANNEL_(\w+)\s+(\d+)", text)}
    assert defined == {name: getattr(protocol, name) for name in ("VERSION", "TO_GUEST", "TO_HOST", "WINDOW", "INPUT_WINDOW")} | {
        "HEADER": HEADER.size
    }
    assert int(re.findall(r"#define RUN_TERMINAL\s+(\d+)", text)[0]) == protocol.RUN_TERMINAL
    number, found = 0, {}
    for name, value in re.findall(r"^\tFRAME_(\w+)(?: = (\d+))?,", text, re.MULTILINE):
        found[name] = number = int(value) if value else number + 1
    assert found == {kind.name: kind.value for kind in Frame}


def test_a_command_from_beginning_to_end() -> None:
    agent = Agent()
    agent.channel.run([b"echo", b"", b"\xff"], [b"A=1"])
    assert agent.commands == [([b"echo", b"", b"\xff", b"A=1"], (0, 0, 0, 3, 1))]
    assert agent.channel.running
    agent.channel.input(b"in")
    agent.channel.end_input()
    agent.channel.receive(frame(Frame.OUTPUT, b"out") + frame(Frame.ERRORS, b"err") + end(0x300))
    assert agent.input == b"in" and agent.frames[1:] == [(Frame.INPUT_END, b"")]
    assert agent.log == ["ready", ("output", b"out"), ("errors", b"err"), ("exit", 0x300)]
    assert not agent.channel.running


def test_what_background_jobs_write_comes_after_the_end() -> None:
    agent = Agent()
    agent.channel.run([b"sh"])
    agent.channel.receive(end() + frame(Frame.OUTPUT, b"late"))
    assert agent.log[-1] == ("output", b"late")


def test_a_terminal_has_a_size_and_ends_by_a_key() -> None:
    agent = Agent()
    agent.channel.run([b"sh"], window=Window(24, 80))
    assert agent.commands[0][1] == (protocol.RUN_TERMINAL, 24, 80, 1, 0)
    agent.channel.resize(Window(25, 90))
    agent.channel.end_input()
    assert agent.frames[1:] == [(Frame.WINDOW, struct.pack("<HH", 25, 90))] and agent.input == b"\x04"


def test_a_signal_overtakes_input_that_nobody_reads() -> None:
    agent = Agent()
    agent.channel.run([b"sleep"])
    agent.channel.input(bytes(100_000))
    assert agent.channel.waiting_input > 97_000
    agent.channel.signal(15)
    agent.channel.kill()
    assert agent.frames[1:] == [(Frame.SIGNAL, struct.pack("<I", 15)), (Frame.KILL, b"")]


def test_the_end_of_input_comes_after_the_input() -> None:
    agent = Agent()
    agent.channel.run([b"cat"])
    agent.channel.input(bytes(10_000))
    agent.channel.end_input()
    agent.channel.input(b"too late")
    assert agent.frames[1:] == []
    agent.give_back_all()
    assert agent.input == bytes(10_000) and agent.frames[1:] == [(Frame.INPUT_END, b"")]


def test_input_for_a_command_that_has_ended_is_dropped() -> None:
    agent = Agent()
    agent.channel.run([b"true"])
    agent.channel.input(bytes(10_000))
    agent.channel.receive(end())
    got = len(agent.input)
    agent.channel.input(b"more")
    agent.channel.signal(1)
    agent.channel.end_input()
    agent.give_back_all()
    agent.channel.run([b"cat"])
    agent.give_back_all()
    assert len(agent.input) == got and [kind for kind, _ in agent.frames] == [Frame.RUN, Frame.RUN]


def test_a_callback_may_run_the_next_command() -> None:
    agent = Agent()
    agent.channel.on_exit = lambda status: agent.channel.run([b"two"])
    agent.channel.run([b"one"])
    agent.channel.receive(end() + frame(Frame.OUTPUT, b"of two"))
    assert [words for words, _ in agent.commands] == [[b"one"], [b"two"]]
    assert agent.log[-1] == ("output", b"of two")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.binary(max_size=1500).map(lambda word: word.replace(b"\0", b"")), min_size=1, max_size=6),
    st.binary(max_size=5000),
    st.data(),
)
def test_everything_arrives_whatever_credit_comes_when(words: list[bytes], text: bytes, data: st.DataObject) -> None:
    agent = Agent()
    agent.channel.run(words)
    agent.channel.input(text)
    agent.channel.end_input()
    steps = 0
    while agent.due_input + agent.due_others:
        steps += 1
        some = steps < 50  # then all at once, so that it ends
        agent.give_back(
            data.draw(st.integers(0, agent.due_input)) if some else None,
            data.draw(st.integers(0, agent.due_others)) if some else None,
        )
    assert agent.commands == [(words, (0, 0, 0, len(words), 0))]
    assert agent.input == text and agent.frames[-1] == (Frame.INPUT_END, b"")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["output", "errors"]), st.binary(min_size=1, max_size=300)), max_size=4), st.data())
def test_frames_come_in_any_pieces(told: list[tuple[str, bytes]], data: st.DataObject) -> None:
    agent = Agent(ready=False)
    stream = READY + b"".join(frame(Frame[kind.upper()], body) for kind, body in told)
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        agent.channel.receive(stream[:size])
        stream = stream[size:]
    assert agent.log == ["ready", *told]


@pytest.mark.parametrize(
    "damaged",
    [
        frame(99),
        frame(Frame.SIGNAL, bytes(4)),
        frame(Frame.OUTPUT, b"x", zero=1),
        HEADER.pack(Frame.OUTPUT, 0, 4097),
        frame(Frame.OUTPUT),
        frame(Frame.EXIT, bytes(3)),
        frame(Frame.REFUSED),
        READY,
        end(),
        credit(1, 0),
        credit(0, 1),
    ],
)
def test_what_is_no_frame_is_an_error_for_ever(damaged: bytes) -> None:
    agent = Agent()
    for call in (lambda: agent.channel.receive(damaged), lambda: agent.channel.receive(b""), lambda: agent.channel.run([b"x"])):
        with pytest.raises(ChannelError, match=r"^the channel to the guest's agent has failed: "):
            call()


@pytest.mark.parametrize("first", [frame(Frame.OUTPUT, b"x"), frame(Frame.READY, struct.pack("<I", 2)), b"login: "])
def test_something_else_than_this_agent_is_an_error(first: bytes) -> None:
    with pytest.raises(ChannelError):
        Agent(ready=False).channel.receive(first)


def test_a_command_that_has_not_begun_cannot_end() -> None:
    agent = Agent()
    agent.channel.run([b"x" * 10_000])
    with pytest.raises(ChannelError, match="did not run"):
        agent.channel.receive(end())


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_hang_or_surprise(noise: bytes) -> None:
    agent = Agent()
    agent.channel.run([b"x"])
    try:
        agent.channel.receive(noise)
    except ChannelError as error:
        assert "failed" in str(error)


def test_what_the_caller_must_not_do() -> None:
    with pytest.raises(RuntimeError, match="not reported"):
        Agent(ready=False).channel.run([b"x"])
    agent = Agent()
    for words in ([], [b"a\0b"]):
        with pytest.raises(ValueError, match="words"):
            agent.channel.run(words)
    agent.channel.run([b"x"])
    with pytest.raises(RuntimeError, match="running"):
        agent.channel.run([b"y"])
