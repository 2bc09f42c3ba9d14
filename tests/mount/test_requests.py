# SPDX-License-Identifier: GPL-2.0-only
"""The queue between the threads that make requests and the one that runs the machine. The machine is usable between two turns."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from emu.kernel.files.node import WouldBlock
from emu.machine import LimitReached, Machine
from emu.mount.requests import Requests


def error_of(answer: Future[object]) -> int | None:
    error = answer.exception(10)
    assert isinstance(error, OSError)
    return error.errno


def refuse() -> None:
    raise OSError(errno.EINVAL, "no")


def fail() -> None:
    raise RuntimeError("the machine is broken")


def serve_until(requests: Requests, ended: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not ended() and time.monotonic() < end:
        requests.serve(wait=True)


def test_answers_errors_and_an_end() -> None:
    woken: list[bool] = []
    requests = Requests(woken.append)
    later: list[str] = []
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(requests.ask, one) for one in (lambda: 3, refuse, lambda: later[0] if later else WouldBlock())]
        serve_until(requests, lambda: answers[0].done() and answers[1].done())
        assert (answers[0].result(0), error_of(answers[1]), answers[2].done()) == (3, errno.EINVAL, False)
        later.append("here")
        serve_until(requests, answers[2].done)
        assert answers[2].result(0) == "here"
        broken = pool.submit(requests.ask, fail)
        with pytest.raises(RuntimeError, match="broken"):
            serve_until(requests, broken.done)
        assert error_of(broken) == errno.EIO
        waiting = pool.submit(requests.ask, WouldBlock)
        time.sleep(0.05)
        requests.close()
        assert error_of(waiting) == errno.ENODEV
        assert error_of(pool.submit(requests.ask, lambda: 1)) == errno.ENODEV
    assert {True, False} == set(woken)


def test_who_is_interrupted_leaves() -> None:
    requests, interrupted, tried = Requests(lambda wanted: None), threading.Event(), []

    def wait() -> WouldBlock:
        tried.append(1)
        return WouldBlock()

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(requests.ask, wait, interrupted.is_set)
        serve_until(requests, lambda: bool(tried))
        interrupted.set()
        assert error_of(answer) == errno.EINTR
    count = len(tried)
    requests.retry()
    requests.serve(wait=False)
    assert len(tried) == count


def test_tracefs_is_used_between_two_turns_and_the_limits_of_the_run_stay(machine: Machine) -> None:
    switched = []

    def switch(waits: bool) -> None:
        assert not waits
        machine.tracefs.write("current_tracer", "nop" if len(switched) % 2 else "function")
        switched.append(1)

    with pytest.raises(LimitReached, match="1 ms of virtual time have passed"):
        machine.run("while :; do :; done", limit=1_000_000, meanwhile=switch)
    assert switched
    machine.tracefs.write("current_tracer", "nop")
    assert machine.run("echo fine", meanwhile=lambda waits: None).output == b"fine\n"


def test_a_command_that_nothing_wakes_waits_for_what_is_done_meanwhile(machine: Machine) -> None:
    def write(waits: bool) -> None:
        if waits:
            machine.tracefs.write("trace_marker", "wake up")

    machine.tracefs.write("trace", "")
    assert b"wake up" in machine.run("head -n 1 /sys/kernel/tracing/trace_pipe", meanwhile=write).output
