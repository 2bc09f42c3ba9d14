# SPDX-License-Identifier: GPL-2.0-only
"""Debian's Chromium, without a display and without a network."""

from __future__ import annotations

import importlib.util
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["needs_browser", "started_browser", "wait"]

PATIENCE = 60  # seconds
_PROGRAMS = {"chromium": "chromium", "chromedriver": "chromium-driver"}  # and the packages that contain them
_SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1400,900", "--force-device-scale-factor=1",
)  # fmt: skip


def _missing() -> list[str]:
    programs = [package for program, package in _PROGRAMS.items() if shutil.which(program) is None]
    return programs + [name for name in ("selenium",) if importlib.util.find_spec(name) is None]


needs_browser = pytest.mark.skipif(bool(_missing()), reason=f"needs {', '.join(_missing())}")


@contextmanager
def started_browser(folder: Path) -> Iterator[Any]:
    """A selenium.webdriver.Chrome whose profile is in an empty folder. Its log is at hand."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for switch in (*_SWITCHES, f"--user-data-dir={folder}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(PATIENCE)
    try:
        yield driver
    finally:
        driver.quit()


def wait(condition: Callable[[], Any]) -> Any:
    """Waits until the condition returns something true. Returns that."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)
    return found
