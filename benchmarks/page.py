# SPDX-License-Identifier: GPL-2.0-only
"""A page of a million calls in headless Chromium: processor time until it is drawn, and for each step of zooming and scrolling.

    ./venv python benchmarks/page.py [CALLS]

The calls are those of one task on each of four CPUs, nested eight deep, without gaps. The time is that of all processes of the
browser; that of a step ends at the second frame after it. The page must be drawn within MOST, a step within MOST_STEP.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from numpy.typing import NDArray
from report import ENTRY, EXIT, STEP, addresses, head, pages, write

from emu.trace import Trace
from emu.trace.convert import convert
from tests.lib.browser import started_browser, wait

CPUS, DEPTH = 4, 8
NESTED = np.dtype([*((f"entry{n}", ENTRY) for n in range(DEPTH)), *((f"exit{n}", EXIT) for n in reversed(range(DEPTH)))])
TICKS = 100  # per second: sysconf(_SC_CLK_TCK)
STEPS = 30
MOST, MOST_STEP = 5.0, 0.25  # seconds of processor time
DONE = {  # each is done STEPS times
    "zoom in": "page.view.key('w')",
    "pan": "page.view.key('d')",
    "zoom out": "page.view.key('s')",
    "scroll": "page.view.scroller.scrollTop += 20",
    "step to the next match": "page.step(true)",
}
FRAME = "const done = arguments[0]; {}; requestAnimationFrame(() => requestAnimationFrame(() => done()))"


def nested(units: NDArray[Any], random: np.random.Generator, cpu: int, start: NDArray[np.uint64]) -> None:
    """Calls, each nested in the previous one."""
    first = start + np.uint64(STEP) * (np.arange(units.shape[1], dtype=np.uint64) * np.uint64(2 * DEPTH) + np.uint64(1))
    for depth in range(DEPTH):
        entries, exits = units[f"entry{depth}"], units[f"exit{depth}"]
        head(entries, 11, cpu)
        head(exits, 10, cpu)
        entries["func"] = exits["func"] = addresses(random, units.shape)
        entries["depth"] = exits["depth"] = depth
        exits["calltime"] = first + np.uint64(STEP * depth)
        exits["rettime"] = first + np.uint64(STEP * (2 * DEPTH - 1 - depth))


def family(parent: int) -> Iterator[int]:
    """A process and all its descendants."""
    yield parent
    for task in Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from family(int(child))


def processor_time(driver: Any) -> float:
    """The processor time that the browser's processes have taken, in seconds."""
    total = 0
    for process in family(driver.service.process.pid):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += sum(int(field) for field in fields[11:15])  # utime, stime, and those of children that have ended
    return total / TICKS


def drawn(driver: Any) -> bool:
    return bool(driver.execute_script("return document.body.dataset.drawn"))


def measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, page = Path(folder) / "trace.dat", Path(folder) / "trace.html"
        write(file, pages(NESTED, 2 * count, nested, 2 * DEPTH, CPUS))
        trace = Trace.open(file)
        before = time.process_time()
        convert(trace, page)
        made = time.process_time() - before
        print(f"a page of {trace.calls.count:,} calls: {page.stat().st_size:,} bytes, made in {made:.2f} s")
        with started_browser(Path(folder) / "browser") as driver:
            slow = look(driver, page)
    if slow:
        sys.exit(f"drawn in more than {MOST} s, or a step took more than {MOST_STEP} s")


def look(driver: Any, page: Path) -> bool:
    """Measures one page. Whether something took too long."""
    driver.get("about:blank")
    time.sleep(1)
    start = processor_time(driver)
    driver.get(page.as_uri())
    wait(lambda: drawn(driver))
    until_drawn = processor_time(driver) - start
    print(f"{'until it is drawn':28}{until_drawn:8.3f} s of processor time")
    slow = until_drawn > MOST
    driver.execute_script("page.field.value = 'function_1.$'; page.find()")
    for name, action in DONE.items():
        start, begin = processor_time(driver), time.monotonic()
        for _ in range(STEPS):
            driver.execute_async_script(FRAME.format(action))
        took, waited = (processor_time(driver) - start) / STEPS, (time.monotonic() - begin) / STEPS
        print(f"{name:28}{took:8.3f} s of processor time, {1000 * waited:6.1f} ms")
        slow |= took > MOST_STEP
    return slow


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
