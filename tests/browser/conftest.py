# SPDX-License-Identifier: GPL-2.0-only
"""A browser, and a recording of each architecture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from emu.cli.main import cli
from tests.lib.browser import started_browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A selenium.webdriver.Chrome."""
    with started_browser(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture(scope="module")
def recording(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace.dat with calls, switches between tasks and interrupts of two CPUs."""
    path = tmp_path_factory.mktemp("recording") / f"{arch}.dat"
    command = ["record", "--arch", arch, "-p", "function_graph", "-e", "sched", "-e", "irq", "-o", str(path)]
    assert CliRunner(catch_exceptions=False).invoke(cli, [*command, "--", "ls /bin | wc -l"]).exit_code == 0
    return path
