# SPDX-License-Identifier: GPL-2.0-only
"""Tests under other timing models than the default: a plugin of pytest.

`pytest --timing MODEL` gives x86-64 machines that model, where the test names none. A test that expects what the static
model gives has the mark `static_timing(why)`, and keeps that model. Without the option, a fixed sample of the tests runs
once more, each under one of SAMPLED.

Machines have them that are made in the tests' own process. Those of other processes have the default: such tests are
about processes, signals and terminals.
"""

from __future__ import annotations

import zlib

import pytest

from emu.cpu import arch as cpu_arch
from emu.cpu.timing import CACHES, PIPELINE, STATIC, TIMING_MODELS

SAMPLED = (PIPELINE, CACHES)
PART = 20  # one test of so many is in the sample

_MARK = "static_timing"
_ARCH = cpu_arch.load("x86_64")  # the others have the static model alone
_DEFAULT = _ARCH.default_timing
_CHOSEN = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--timing", choices=TIMING_MODELS, help="timing model of x86-64 machines where a test names none")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{_MARK}(why): machines have the static timing model, whatever --timing says")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds the sample, behind all tests: what deselects tests has been there already."""
    if config.getoption("--timing") is None:
        tests = [item for item in items if isinstance(item, pytest.Function)]
        items += [_under(item, timing) for timing in SAMPLED for item in tests if sampled(item) == timing]


def sampled(item: pytest.Function) -> str | None:
    """The timing model under which a test runs once more; None: it is not in the sample."""
    number, rest = divmod(zlib.crc32(item.nodeid.encode()), PART)
    if rest or _MARK in item.keywords or "sparc64" in item.nodeid:
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
    if item.get_closest_marker(_MARK):
        return STATIC
    return item.stash.get(_CHOSEN, item.config.getoption("--timing") or _DEFAULT)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """Ends all fixtures when the model changes: none gives the next test a machine with another one."""
    if nextitem is not None and timing_of(item) != timing_of(nextitem):
        return item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _ARCH.default_timing = timing_of(item)
