# SPDX-License-Identifier: GPL-2.0-only
"""emu view in a browser: what Perfetto's own trace processor counts, and what the UI shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.trace import Trace
from tests.lib.browser import needs_browser, wait
from tests.lib.golden import GOLDEN
from tests.lib.view import needs_ui, viewed

pytestmark = [needs_ui, needs_browser, pytest.mark.long("a browser loads Perfetto's UI, which takes ten seconds")]

GRAPH = GOLDEN / "tracecmd-graph-depth.dat"
FUNCTION = "_raw_spin_lock"
LONG = """
    const [sql, done] = arguments;
    app.trace.engine.query(sql).then(
        (result) => done(String(result.firstRow({ found: 0n }).found)), (error) => done(`${error}`));
"""


@contextmanager
def opened(browser: Any, path: Path) -> Iterator[None]:
    """The UI with a trace opened in it."""
    with viewed(path, "--no-browser") as (_, address):
        browser.get(address)
        wait(lambda: browser.execute_script("return Boolean(window.app && app.trace && app.trace.engine && !app.isLoadingTrace)"))
        asked = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        said = "".join(line["message"] for line in browser.get_log("browser"))
        for name in asked:  # other servers cannot be reached
            assert name.startswith((address, "data:", "blob:")) or f"{name}' violates" in said
        yield


def counted(browser: Any, sql: str) -> int:
    """The number that a query returns as `found`."""
    return int(browser.execute_async_script(LONG, sql))


def check(browser: Any, path: Path) -> None:
    """Compares the counts of the UI with the trace's columns."""
    trace = Trace.open(path)
    calls = "from slice where category is null"
    assert browser.title.startswith(f"{path.stem}.pftrace ")
    assert counted(browser, f"select count(*) as found {calls}") == np.count_nonzero(~trace.calls["cut"])
    assert counted(browser, f"select sum(dur) as found {calls} and dur >= 0") == time_in_calls(trace)
    count, time = switches(trace)
    assert counted(browser, "select count(*) as found from sched") == count
    assert counted(browser, "select ifnull(sum(dur), 0) as found from sched where dur >= 0") == time
    assert counted(browser, "select count(*) as found from thread where tid > 0") == len(trace.tasks.comms)
    assert counted(browser, "select count(*) as found from ftrace_event") == len(trace)


def time_in_calls(trace: Trace) -> int:
    """The time from each entry event to its exit event, of calls that have returned."""
    unfinished = trace.calls["entry"][~trace.calls["finished"]]
    exits, entries = (int(trace[f"funcgraph_{which}"]["common_time"].sum()) for which in ("exit", "entry"))
    return exits - (entries - int(unfinished.sum()))


def switches(trace: Trace) -> tuple[int, int]:
    """The number of switches, and the time from the first to the last one on each CPU."""
    if "sched:sched_switch" not in trace.events:
        return 0, 0
    table = trace["sched:sched_switch"]
    times = [table["common_time"][table["common_cpu"] == cpu] for cpu in np.unique(table["common_cpu"])]
    return table.count, sum(int(each[-1] - each[0]) for each in times)


def test_perfetto_counts_what_a_machine_has_recorded(browser: Any, recording: Path) -> None:
    assert switches(Trace.open(recording))[0] > 5
    with opened(browser, recording):
        check(browser, recording)


def test_perfetto_counts_what_a_real_linux_has_recorded_and_finds_a_function(browser: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    functions = Trace.open(GRAPH).calls["function"]
    count = sum(FUNCTION in name for name in functions)
    with opened(browser, GRAPH):
        check(browser, GRAPH)
        search = browser.find_element("css selector", ".pf-omnibox input")
        search.send_keys(FUNCTION)
        wait(lambda: shown(browser, ".pf-omnibox__stepthrough").startswith(f"0 / {count}"))
        search.send_keys(Keys.ENTER)
        wait(lambda: re.search(rf"Name\s+{FUNCTION}", shown(browser, ".pf-split-panel__drawer")))
        assert shown(browser, ".pf-omnibox__stepthrough").startswith(f"1 / {count}")
        assert browser.save_screenshot(str(tmp_path / "view.png"))


def shown(browser: Any, selector: str) -> str:
    """The text of the first matching element; "" if there is none."""
    found = browser.find_elements("css selector", selector)
    return found[0].text if found else ""
