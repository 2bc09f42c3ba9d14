# SPDX-License-Identifier: GPL-2.0-only
"""The page of `emu convert -o trace.html` in a browser: what it draws, finds and adds up."""

from __future__ import annotations

import re
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.architectures import ARCHITECTURES
from emu.trace import Trace
from emu.trace.convert import ConvertOptions, convert
from emu.trace.convert.on_cpus import on_cpus
from emu.trace.function_times import function_times
from emu.trace.selection import Selection
from tests.lib.browser import needs_browser, wait
from tests.trace.convert.conftest import stack, switch, trace_of

pytestmark = needs_browser
FUNCTION = "_raw_spin_lock"
ROWS = """
    const text = (line) => [...line.cells].map((cell) => cell.textContent).join("\\t");
    return [...document.querySelectorAll("#table tbody tr")].map(text);
"""
TOP = "return page.view.scroller.scrollTop"
PLACE = """
    const { row, n } = page.selected, { items } = row;
    const middle = (Math.max(items.start[n], page.view.from) + Math.min(items.end(n), page.view.to)) / 2;
    return [page.painter.x(middle), row.y + row.height / 2 + TOP - page.view.top];
"""


@pytest.fixture(scope="module")
def arch(request: pytest.FixtureRequest) -> str:
    return getattr(request, "param", "x86_64")


@pytest.fixture(scope="module")
def trace(recording: Path) -> Trace:
    return Trace.open(recording)


@pytest.fixture(scope="module")
def file(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "trace.html"
    convert(trace, path)
    return path


@pytest.fixture
def page(browser: Any, file: Path) -> Any:
    """The browser with the page of a machine's trace."""
    return opened(browser, file)


def opened(browser: Any, path: Path) -> Any:
    browser.get(path.as_uri())
    wait(lambda: browser.execute_script("return document.body && document.body.dataset.drawn"))
    return browser


def drawn(page: Any) -> None:
    """Requests a frame, and waits until it is drawn."""
    page.execute_async_script("const done = arguments[0]; page.changed(); requestAnimationFrame(() => setTimeout(done))")


def text(page: Any, name: str) -> str:
    return str(page.execute_script("return document.getElementById(arguments[0]).innerText", name))


def tables(page: Any, name: str) -> dict[str, list[int]]:
    """The rows of a table."""
    page.find_element("css selector", f"[data-table={name}]").click()
    return rows(page)


def rows(page: Any) -> dict[str, list[int]]:
    """The rows of the displayed table, by their first cell; microseconds are converted to nanoseconds."""
    lines = page.execute_script(ROWS)
    cells = [line.split("\t") for line in lines]
    return {name: [int(re.sub("[.,]", "", value)) for value in rest] for name, *rest in cells}


def span(page: Any) -> float:
    drawn(page)
    return float(page.execute_script("return page.view.to - page.view.from"))


def times(trace: Trace, options: Selection | None = None) -> dict[str, list[int]]:
    """The times by `function_times`; with options, the same for the selected calls."""
    if options is None:
        return {one.function: [one.calls, *map(int, (one.total, one.self_time, one.minimum, one.maximum))]
                for one in function_times(trace)}  # type: ignore[arg-type]  # calls have times  # fmt: skip
    found: dict[str, list[tuple[int, int]]] = {}
    calls = trace.calls
    for row in options.calls(trace).tolist():
        if calls["finished"][row]:
            found.setdefault(calls["function"][row], []).append((int(calls["duration"][row]), int(calls["self_time"][row])))
    result = {}
    for name, both in found.items():
        durations, own = zip(*both, strict=True)
        result[name] = [len(both), sum(durations), sum(own), min(durations), max(durations)]
    return result


@pytest.mark.parametrize("arch", ARCHITECTURES, indirect=True)
def test_totals_are_those_of_the_trace(page: Any, trace: Trace) -> None:
    assert tables(page, "functions") == times(trace)
    assert text(page, "counted") == "whole trace"
    running = on_cpus(trace, Selection())
    tasks: dict[str, list[int]] = {}
    for comm, pid, start, end in zip(running.comm, running.pid, running.start, running.end, strict=True):
        total = tasks.setdefault(f"{comm} [{pid}]", [0, 0])
        total[0] += 1
        total[1] += int(end) - int(start)
    assert tables(page, "tasks") == tasks != {}
    events = {path: [table.count] for path, table in trace.events.items() if not path.startswith("ftrace:funcgraph")}
    assert tables(page, "events") == events
    assert [line for line in page.get_log("browser") if line["level"] == "SEVERE"] == []


def framed(page: Any, name: str, script: str) -> Any:
    """Runs a script in the picture of a flame graph, and returns its result."""
    page.find_element("css selector", f"[data-flames='{name}']").click()
    frame = wait(lambda: page.find_elements("css selector", "#flames iframe"))[0]
    page.switch_to.frame(frame)
    try:
        wait(lambda: page.execute_script("return document.querySelector('.frame') !== null"))
        return page.execute_script(script)
    finally:
        page.switch_to.default_content()


def test_there_are_two_flame_graphs_that_say_what_they_sum_up(browser: Any, tmp_path: Path) -> None:
    first, second = 0xFFFFFFFF81000000, 0xFFFFFFFF81000040
    exit_ = struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, first, 0, 0, 10, 90)
    events = [
        (10, struct.pack("<HBBiQi", 11, 0, 0, 5, first, 0)), switch(30, 0, 5, 0), stack(31, 5, second, first),
        switch(80, 0, 0, 5), (90, exit_),
    ]  # fmt: skip
    convert(trace_of(tmp_path, events), tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    details = "return [document.querySelector('.caption').textContent, ...[...document.querySelectorAll('.frame title')].map("
    details += "(title) => title.textContent)]"
    caption, *frames = framed(page, "on CPU", details)
    assert caption == (
        "on CPU: own time of calls in microseconds, without what they call, "
        "without the time in which their task was switched out; of all tasks and CPUs"
    )
    assert frames[-1] == "a: 100.00 %, 0.030 us, self 0.030 us, 1 call"
    page.find_element("css selector", "[data-table=functions]").click()
    assert rows(page) == {"a": [1, 80, 80, 80, 80]}  # including time asleep, as in `emu top`
    caption, *frames = framed(page, "off CPU", details)
    assert caption.startswith("off CPU: time from a task's switch-out to its next switch-in, in microseconds")
    assert frames[-1] == "b: 100.00 %, 0.050 us, self 0.050 us, 1 switch"
    zoomed = "document.querySelectorAll('.frame')[2].dispatchEvent(new MouseEvent('click', { bubbles: true }));"
    assert framed(page, "off CPU", f"{zoomed} return document.getElementById('reset').style.visibility") == "visible"
    assert [line for line in page.get_log("browser") if line["level"] == "SEVERE"] == []


def test_a_flame_graph_that_cannot_be_says_how_to_record_it(page: Any) -> None:
    page.find_element("css selector", "[data-flames='off CPU']").click()
    said = wait(lambda: text(page, "flames"))
    assert said == "no sched_switch with stacks was recorded; `emu record -e sched_switch -R stacktrace` records them"


def test_without_switches_cpus_show_the_tasks_whose_events_they_recorded(browser: Any, tmp_path: Path) -> None:
    def call(time: int, pid: int) -> tuple[int, bytes]:
        return time, struct.pack("<HBBiQi", 11, 0, 0, pid, 0xFFFFFFFF81000000, 0)

    events = [call(10, 5), call(20, 5), call(30, 6), call(40, 0), call(50, 5), call(60, 5)]
    convert(trace_of(tmp_path, events, tasks="5 five\n6 six\n"), tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    shown = page.execute_script("""
        const { columns, names } = page.content, [cpu] = page.tracks.groups;
        return [cpu.name, ...[...columns.run_name].map((name, n) => [names[name], columns.run_start[n], columns.run_length[n]])];
    """)
    assert shown == ["CPU 0", ["five [5]", 0, 10], ["six [6]", 20, 0], ["five [5]", 40, 10]]
    page.find_element("id", "search").send_keys("^five")
    page.find_element("id", "next").click()
    assert text(page, "details").replace("\t", " ").startswith("task five [5]\nCPU 0\nrecorded from 0.000000010 s\nfor 0.010 us")


def test_a_click_sorts(page: Any, trace: Trace) -> None:
    for column, name in ((0, "calls"), (2, "self us"), (3, "min us")):
        for descending in (True, False):
            page.find_element("xpath", f"//div[@id='table']//th[text()='{name}']").click()
            values = [row[column] for row in rows(page).values()]
            assert values == sorted(values, reverse=descending), name


def test_matches_are_counted_and_stepped_through(page: Any, trace: Trace) -> None:
    from selenium.webdriver.common.keys import Keys

    calls = trace.calls
    matching = np.flatnonzero(calls["function"] == FUNCTION)
    search = page.find_element("id", "search")
    search.send_keys(f"^{FUNCTION}$")
    assert text(page, "found") == f"{len(matching):,} found"
    for keys, place in ((Keys.ENTER, 0), (Keys.ENTER, 1), (Keys.ENTER, 2), (Keys.SHIFT + Keys.ENTER, 1)):
        search.send_keys(keys)
        assert text(page, "found") == f"{place + 1:,} of {len(matching):,}"
        row = matching[place]
        assert f"begins at {seconds(calls['entry'][row])} s" in text(page, "details").replace("\t", " ")
        assert f"CPU {calls['cpu'][row]}" in text(page, "details").replace("\t", " ")
    search.send_keys(Keys.ESCAPE)
    search.send_keys(Keys.SHIFT + Keys.ENTER)  # without a match, backwards: the last one
    assert text(page, "found") == f"{len(matching):,} of {len(matching):,}"
    search.send_keys("(")
    assert text(page, "found") == "no regular expression"


def seconds(nanoseconds: int) -> str:
    whole, rest = divmod(int(nanoseconds), 10**9)
    return f"{whole}.{rest:09}"


def test_tasks_and_events_are_found(page: Any, trace: Trace) -> None:
    from selenium.webdriver.common.keys import Keys

    search = page.find_element("id", "search")
    search.send_keys("sched:sched_switch")
    assert text(page, "found") == f"{trace['sched_switch'].count:,} found"
    search.clear()
    count = Counter(on_cpus(trace, Selection()).comm)["ls"]
    assert count > 0
    search.send_keys("^ls .[0-9]")
    assert text(page, "found") == f"{count} found, and 1 name on the left"
    search.clear()
    search.send_keys("^CPU 1|^swapper/1", Keys.ENTER)
    assert text(page, "found") == "0 found, and 2 names on the left"
    below = page.execute_script(TOP)
    search.send_keys(Keys.ENTER)
    assert 0 < below < page.execute_script(TOP)
    search.send_keys(Keys.SHIFT + Keys.ENTER)
    assert page.execute_script(TOP) == below


def test_a_click_tells_about_a_call(page: Any, trace: Trace) -> None:
    from selenium.webdriver.common.keys import Keys

    calls = trace.calls
    search = page.find_element("id", "search")
    search.send_keys("^pipe_write$", Keys.ENTER)
    drawn(page)
    [row] = np.flatnonzero(calls["function"] == "pipe_write")[:1]
    caller = calls["function"][calls["parent"][row]]
    expected = (
        f"function pipe_write, task {calls['task'][row]} [{calls['pid'][row]}], CPU {calls['cpu'][row]}, begins at "
        f"{seconds(calls['entry'][row])} s, duration {calls['duration'][row] / 1000:,.3f} us, self "
        f"{calls['self_time'][row] / 1000:,.3f} us, called by {caller}"
    )
    assert text(page, "details").strip().replace("\t", " ").replace("\n", ", ") == expected
    place = page.execute_script(PLACE)
    search.send_keys(Keys.ESCAPE)
    assert "pipe_write" not in text(page, "details")
    click(page, place)
    assert text(page, "details").strip().replace("\t", " ").replace("\n", ", ") == expected


def test_an_event_says_what_the_report_says(page: Any, trace: Trace) -> None:
    from selenium.webdriver.common.keys import Keys

    page.find_element("id", "search").send_keys("sched:sched_switch", Keys.ENTER)
    first = trace["sched_switch"]
    says = f"{first['prev_comm'][0]}:{first['prev_pid'][0]} [{first['prev_prio'][0]}]"
    assert says in text(page, "details") and f"at\t{seconds(first['time'][0])} s" in text(page, "details")


def click(page: Any, place: list[float], to: list[float] | None = None, *, shift: bool = False) -> None:
    """Clicks on the canvas, or drags."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    canvas = page.find_element("id", "canvas")
    left, top = (canvas.size[side] / 2 for side in ("width", "height"))
    actions = ActionChains(page, duration=20)
    if shift:
        actions.key_down(Keys.SHIFT)
    actions.move_to_element_with_offset(canvas, round(place[0] - left), round(place[1] - top)).click_and_hold()
    if to:
        actions.move_by_offset(round(to[0] - place[0]), round(to[1] - place[1]))
    actions.release().key_up(Keys.SHIFT).perform()


def test_keys_and_the_wheel_zoom_and_pan(page: Any) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    whole = span(page)
    body = page.find_element("tag name", "body")
    body.send_keys("www")
    assert span(page) == pytest.approx(whole * 0.75**3)
    before = page.execute_script("return page.view.from")
    body.send_keys("d")
    assert page.execute_script("return page.view.from") == pytest.approx(before + 0.15 * span(page))
    body.send_keys("as")
    assert page.execute_script("return page.view.from") < before
    canvas = page.find_element("id", "canvas")
    near = span(page)
    middle = page.execute_script("return page.view.time(700)")
    place = round(700 - canvas.size["width"] / 2)
    ActionChains(page).move_to_element_with_offset(canvas, place, 0).key_down(Keys.CONTROL).perform()
    origin = page.execute_script("return page.view.pointer")
    assert origin == pytest.approx((700 - 170) / (canvas.size["width"] - 170), abs=0.01)
    page.execute_script(
        "page.view.scroller.dispatchEvent(new WheelEvent('wheel', { ctrlKey: true, deltaY: -300, cancelable: true }))"
    )
    ActionChains(page).key_up(Keys.CONTROL).perform()
    assert span(page) == pytest.approx(near / 2)
    assert page.execute_script("return page.view.time(700)") == pytest.approx(middle, abs=span(page) / 500)
    page.find_element("id", "whole").click()
    assert span(page) == pytest.approx(whole)


def test_a_drag_selects_a_time_whose_totals_are_shown(page: Any, trace: Trace) -> None:
    click(page, [300, 150], [800, 160])
    start, end = page.execute_script("return page.range")
    wait(lambda: text(page, "counted") != "whole trace")
    origin = int(page.execute_script("return page.content.origin"))
    selection = Selection(start=origin + int(np.ceil(start)), end=origin + int(np.floor(end)))
    expected = times(trace, selection)
    assert tables(page, "functions") == expected
    assert 0 < len(expected) < len(times(trace))
    page.find_element("tag name", "body").send_keys("f")
    assert span(page) == pytest.approx(1.1 * (end - start))
    page.find_element("id", "whole").click()
    click(page, [300, 10], [800, 10])  # above the rows: zooms
    assert span(page) == pytest.approx(end - start, rel=0.02)
    left, width = page.execute_script("return [page.view.from, page.view.width]")
    click(page, [400, 150], [600, 150], shift=True)  # pans
    assert page.execute_script("return page.view.from") == pytest.approx(left - 200 / width * span(page))


def test_a_click_on_a_name_hides_the_calls_of_a_task(page: Any) -> None:
    height = page.execute_script("return page.tracks.height")
    y = page.execute_script("return page.tracks.groups.find((group) => group.name.startsWith('init [')).y + TOP + 8")
    click(page, [50, y])
    assert page.execute_script("return page.tracks.height") < height
    click(page, [50, y])
    assert page.execute_script("return page.tracks.height") == height


def test_what_is_drawn_has_the_colour_of_a_match(page: Any) -> None:
    search = page.find_element("id", "search")
    colours = "const d = page.painter.context.getImageData(0, 0, 1200, 400).data; return [...new Set(new Uint32Array(d.buffer))]"
    match = 0xFFF08BB9  # #b98bf0
    drawn(page)
    assert match not in page.execute_script(colours)
    search.send_keys("^do_idle$|^init ")
    drawn(page)
    found = page.execute_script(colours)
    assert match in found


def test_matches_of_the_same_time_come_one_after_the_other(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    entries = [(10, struct.pack("<HBBiQi", 11, 0, 0, pid, 0xFFFFFFFF81000000, 0)) for pid in (5, 6, 7)]
    convert(trace_of(tmp_path, *([entry] for entry in entries), tasks="5 one\n6 two\n7 three\n"), tmp_path / "page.html")
    search = opened(browser, tmp_path / "page.html").find_element("id", "search")
    search.send_keys("^a$")
    for keys, number, task in (
        (Keys.ENTER, 1, "one [5]"), (Keys.ENTER, 2, "two [6]"), (Keys.ENTER, 3, "three [7]"), (Keys.ENTER, 1, "one [5]"),
        (Keys.SHIFT + Keys.ENTER, 3, "three [7]"), (Keys.SHIFT + Keys.ENTER, 2, "two [6]"),
    ):  # fmt: skip
        search.send_keys(keys)
        assert (text(browser, "found"), f"task\t{task}\n" in text(browser, "details")) == (f"{number} of 3", True)


def test_names_are_no_markup(browser: Any, tmp_path: Path) -> None:
    number = struct.pack("<HBBiQi", 11, 0, 0, 5, 0xFFFFFFFF81000000, 0)
    trace = trace_of(tmp_path, [(10, number)], tasks="5 </script><b>\n")
    convert(trace, tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    assert page.execute_script("return page.tracks.groups.map((group) => group.name)") == ["CPU 0", "</script><b> [5]"]
    assert tables(page, "functions") == {}
    convert(trace, tmp_path / "titled.html", ConvertOptions(title="<i>a & b"))
    page.get((tmp_path / "titled.html").as_uri())
    assert page.title == page.find_element("tag name", "h1").text == "<i>a & b"
