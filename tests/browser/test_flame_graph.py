# SPDX-License-Identifier: GPL-2.0-only
"""The flame graph of `emu convert -o trace.svg` in a browser: zoom, search, and the displayed totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from emu.trace import Trace
from emu.trace.convert import ConvertOptions, convert
from emu.trace.convert.flame_graph import MARGIN, WIDTH
from emu.trace.convert.stacks import stacks
from emu.trace.own_time import own_time
from tests.lib.browser import needs_browser
from tests.lib.golden import GOLDEN

pytestmark = needs_browser
TASK, FUNCTION = "ls", "__handle_mm_fault"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Trace.open(GOLDEN / "tracecmd-graph-depth.dat")


@pytest.fixture
def picture(browser: Any, trace: Trace, tmp_path: Path) -> Any:
    """The browser with the flame graph."""
    convert(trace, tmp_path / "trace.svg")
    browser.get((tmp_path / "trace.svg").as_uri())
    return browser


def frame(picture: Any, name: str) -> Any:
    """The widest frame with a name."""
    found = picture.find_elements("css selector", f".frame[data-name='{name}']")
    return max(found, key=lambda each: float(rectangle(each)["width"]))


def rectangle(each: Any) -> dict[str, Any]:
    rect = each.find_element("tag name", "rect")
    return {name: float(rect.get_attribute(name)) for name in ("x", "y", "width")}


def text(picture: Any, name: str) -> str:
    return str(picture.execute_script("return document.getElementById(arguments[0]).textContent", name))


def total(trace: Trace, name: str) -> int:
    """Nanoseconds of all stacks that contain a frame with a name."""
    found = stacks(trace, ConvertOptions())
    weight = 0
    for node, own in enumerate(found.own.tolist()):
        path = []
        while node >= 0:
            path.append(found.names[found.frame[node]])
            node = int(found.parent[node])
        weight += own * (name in path)
    return weight


def test_a_frame_tells_its_total(picture: Any, trace: Trace) -> None:
    from selenium.webdriver import ActionChains

    whole = int(own_time(trace).nanoseconds.sum())
    for name, of in (("all", whole), (TASK, total(trace, TASK))):
        ActionChains(picture).move_to_element(frame(picture, name).find_element("tag name", "rect")).perform()
        assert text(picture, "details").startswith(f"{name}: {100 * of / whole:.2f} %, {of / 1000:,.3f} us, self ")


def test_a_click_makes_a_frame_as_wide_as_the_picture(picture: Any) -> None:
    chosen = frame(picture, FUNCTION)
    before = rectangle(chosen)["width"]
    chosen.click()
    assert rectangle(chosen)["width"] == WIDTH - 2 * MARGIN > 2 * before
    assert rectangle(frame(picture, "all"))["width"] == WIDTH - 2 * MARGIN
    hidden = picture.find_elements("css selector", ".frame[style*='none']")
    assert hidden and all(each.get_attribute("data-name") != FUNCTION or each != chosen for each in hidden)
    picture.find_element("id", "reset").click()
    assert rectangle(chosen)["width"] == pytest.approx(before, abs=0.02)
    assert picture.find_elements("css selector", ".frame[style*='none']") == []


def test_the_share_of_what_matches(picture: Any, trace: Trace) -> None:
    search = picture.find_element("id", "search")
    search.click()
    search.send_keys(f"^{FUNCTION}$")
    share = float(text(picture, "matched").removesuffix(" %"))
    assert share == pytest.approx(100 * total(trace, FUNCTION) / int(own_time(trace).nanoseconds.sum()), abs=0.02)
    found = picture.find_elements("css selector", ".frame.found")
    assert {each.get_attribute("data-name") for each in found} == {FUNCTION}
    search.send_keys("(")
    assert text(picture, "matched") == "no regular expression"
    assert [line for line in picture.get_log("browser") if line["level"] == "SEVERE"] == []
