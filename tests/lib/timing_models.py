# SPDX-License-Identifier: GPL-2.0-only
"""The timing models of tests' machines: a plugin of pytest.

x86-64 machines have the static model unless a test names another: it is the fastest, and its times can be calculated. `pytest
--timing MODEL` selects another one. Without the option, a fixed sample of the tests runs once more, each under one of
SAMPLED. Two marks fix the model of a test's machines, whatever is selected: `static_timing(why)` to the static one, on which
the test's expectations depend; `default_timing(why)` to the model that users get by default.

This applies to machines made in the tests' own process. Those of other processes have the users' default: such tests
are about processes, signals and terminals.
"""

from __future__ import annotations

import zlib

import pytest

from emu.architectures import ARCHITECTURES, DEFAULT_ARCHITECTURE
from emu.cpu import arch as cpu_arch
from emu.cpu.timing import CACHES, PIPELINE, STATIC, TIMING_MODELS

SAMPLED = (PIPELINE, CACHES)
PART = 60  # one test of this many is in the sample

_ARCH = cpu_arch.load(DEFAULT_ARCHITECTURE)
_OTHERS = ARCHITECTURES[1:]  # they have only the static model
_MARKS = {"static_timing": STATIC, "default_timing": _ARCH.default_timing}
_CHOSEN = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--timing", choices=TIMING_MODELS, help="timing model of x86-64 machines where a test names none")


def pytest_configure(config: pytest.Config) -> None:
    for mark, timing in _MARKS.items():
        config.addinivalue_line("markers", f"{mark}(why): machines have the timing model {timing}, whatever --timing says")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds the sample after all tests: other plugins have already deselected tests."""
    if config.getoption("--timing") is None:
        tests = [item for item in items if isinstance(item, pytest.Function)]
        items += [_under(item, timing) for timing in SAMPLED for item in tests if sampled(item) == timing]


def sampled(item: pytest.Function) -> str | None:
    """The timing model under which a test runs once more; None: it is not in the sample."""
    number, rest = divmod(zlib.crc32(item.nodeid.encode()), PART)
    if rest or _MARKS.keys() & item.keywords or any(name in item.nodeid for name in _OTHERS):
        return None
    return SAMPLED[number % len(SAMPLED)]


def _under(item: pytest.Function, timing: str) -> pytest.Function:
    """The same test under a timing model."""
    name = f"{item.originalname}@{timing}"
    made: pytest.Function = pytest.Function.from_parent(
        item.parent,
        name=item.name.replace(item.originalname, name, 1),
        originalname=name,
        callobj=item.obj,
        callspec=getattr(item, "callspec", None),
        fixtureinfo=item._fixtureinfo,
    )
    made.stash[_CHOSEN] = timing
    return made


def timing_of(item: pytest.Item) -> str:
    """The timing model of a test's machines."""
    for mark, timing in _MARKS.items():
        if item.get_closest_marker(mark):
            return timing
    return item.stash.get(_CHOSEN, item.config.getoption("--timing") or STATIC)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """Tears down all fixtures when the model changes, so that none hands on a machine with another model."""
    if nextitem is not None and timing_of(item) != timing_of(nextitem):
        return item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _ARCH.default_timing = timing_of(item)
