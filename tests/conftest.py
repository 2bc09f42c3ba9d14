# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures for all tests. Tests with an `arch` run on every architecture."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest

from emu.architectures import ARCHITECTURES
from emu.ftrace import arch as ftrace_arch
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

pytest_plugins = ["tests.lib.long_tests", "tests.lib.order", "tests.lib.cpu_times", "tests.lib.timing_models"]

# Hundreds of tests start processes: compiling Python's sources in each would take a third of its start-up time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A background job, or one of nohup, may have inherited ignored signals, and would pass them on to programs.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

gc.disable()  # until all tests are collected


def pytest_collection_finish() -> None:
    """Modules and collected tests stay: traversing them again and again would take an eighth of the time of all tests."""
    gc.freeze()
    gc.set_threshold(20_000, 20)
    gc.enable()


@pytest.fixture(params=ARCHITECTURES, scope="module")
def arch(request: pytest.FixtureRequest) -> str:
    """The name of an architecture."""
    return str(request.param)


@pytest.fixture(params=[0, 1], ids=["default", "other"])
def protocol(arch: str, request: pytest.FixtureRequest) -> str:
    """The name of one of the two protocols by which the architecture patches its sites."""
    return ftrace_arch.load(arch).protocols[request.param]


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    """A booted machine with two CPUs; it must still work after the module's tests."""
    with booted_machine(arch, cpus=2) as made:
        yield made
        assert made.run("echo alive").output == b"alive\n"
        assert made.warnings == []
