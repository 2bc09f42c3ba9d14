# SPDX-License-Identifier: GPL-2.0-only
"""A page of a million calls in headless Chromium: processor time until it is drawn, and of a step of zoom, pan and search.

    ./venv python benchmarks/page.py [CALLS]

The time is that of all of the browser's processes. The rest of an empty page's is taken off. Within 5 seconds of it the page
must be drawn; a step may take MOST_STEP.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from report import CALLS, calls, pages, write

from emu.trace import Trace
from emu.trace.convert import convert
from tests.lib.browser import started_browser, wait

CPUS = 4
TICKS = 100  # in a second: sysconf(_SC_CLK_TCK)
STEPS = 30
MOST, MOST_STEP = 5.0, 0.25  # seconds of processor time
"""What is done so many times."""
DONE = {
    "zoom in": "page.view.key('w')",
    "pan": "page.view.key('d')",
    "zoom out": "page.view.key('s')",
    "step to the next match": "page.step(true)",
}
FRAME = "const done = arguments[0]; {}; requestAnimationFrame(() => requestAnimationFrame(() => done()))"


def family(parent: int) -> Iterator[int]:
    """A process and all that it and they have started."""
    yield parent
    for task in Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from family(int(child))


def processor_time(driver: Any) -> float:
    """Seconds that the browser's processes have taken."""
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
        write(file, pages(CALLS, 2 * count, calls, 4, CPUS))
        trace = Trace.open(file)
        before = time.process_time()
        convert(trace, page)
        print(f"a page of {trace.calls.count:,} calls: {page.stat().st_size:,} bytes, made in {time.process_time() - before:.2f} s")
        with started_browser(Path(folder) / "browser") as driver:
            slow = look(driver, page)
    if slow:
        sys.exit(f"drawn in more than {MOST} s, or a step took more than {MOST_STEP} s")


def look(driver: Any, page: Path) -> bool:
    """Whether something took too long."""
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
