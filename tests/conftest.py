# SPDX-License-Identifier: GPL-2.0-only
"""Tests that have an `arch` run on every architecture."""

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

pytest_plugins = ["tests.lib.long_tests", "tests.lib.cpu_times", "tests.lib.timing_models"]

# Hundreds of tests begin processes: to compile Python's sources in each would take a third of the time of its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A job in the background, or of nohup, may have been told to ignore these, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

gc.freeze()  # what has been imported stays: to look through it again and again takes a tenth of all tests


@pytest.fixture(params=ARCHITECTURES, scope="module")
def arch(request: pytest.FixtureRequest) -> str:
    """The name of an architecture."""
    return str(request.param)


@pytest.fixture(params=[0, 1], ids=["default", "other"])
def protocol(arch: str, request: pytest.FixtureRequest) -> str:
    """The name of one of the two ways in which the architecture patches its sites."""
    return ftrace_arch.load(arch).protocols[request.param]


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    """A machine with two CPUs that has booted; it must still be well after the module's tests."""
    with booted_machine(arch, cpus=2) as made:
        yield made
        assert made.run("echo alive").output == b"alive\n"
        assert made.warnings == []
