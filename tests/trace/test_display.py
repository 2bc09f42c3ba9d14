# SPDX-License-Identifier: GPL-2.0-only
"""What notebooks display for traces, tables and machines."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from emu.machine import Machine
from emu.trace import Trace
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat


class Elements(HTMLParser):
    """Counts elements, collects the texts of cells, and checks that elements are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_real_linux_trace(tmp_path: Path) -> None:
    trace = Trace.open(GOLDEN / "tracecmd-graph.dat")
    html = trace._repr_html_()
    shown = Elements(html)
    assert f"{len(trace):,}" in shown.texts and f"{trace['funcgraph_entry'].count:,}" in shown.texts
    assert shown.texts.count("ftrace:funcgraph_entry") == 1
    assert {"table", "svg", "img", "details"} <= set(shown.counts)
    [picture] = re.findall(r"data:image/svg\+xml;base64,([^\"]*)", html)
    assert ElementTree.fromstring(base64.b64decode(picture)).tag.endswith("svg")
    assert html == Trace.open(GOLDEN / "tracecmd-graph.dat")._repr_html_()


def test_the_timeline_has_the_tasks_of_each_cpu() -> None:
    trace = Trace.open(GOLDEN / "tracecmd-sched.dat")
    html = trace._repr_html_()
    shown = Elements(html)
    cpus = sorted(set(trace.first.columns.cpu.tolist()))
    assert [text for text in shown.texts if text.startswith("CPU ")] == [f"CPU {cpu}" for cpu in cpus]
    names = {f"{trace.tasks.name_of(pid)}-{pid}" for pid in trace.first.pid.tolist()}
    titles = set(re.findall(r"<title>(.*?)</title>", html))
    assert titles and {title.replace("&lt;", "<").replace("&gt;", ">") for title in titles} <= names
    assert "img" not in shown.counts  # it has no calls


def test_tables_show_their_first_rows() -> None:
    switches = Trace.open(GOLDEN / "tracecmd-sched.dat")["sched_switch"]
    shown = Elements(switches._repr_html_())
    assert f"the first 10 of {switches.count:,} rows" in shown.texts
    assert shown.counts["tr"] == 11 and shown.counts["th"] == len(switches)
    assert switches["next_comm"][0] in shown.texts


def test_a_trace_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat([]).version7())
    assert Elements(Trace.open(path)._repr_html_()).counts.get("svg") is None


def test_a_machine(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.tracefs.write("current_tracer", "function")
        machine.run("true", trace=True)
        before = machine.tracefs.read("trace")
        shown = Elements(machine._repr_html_())
        assert {"function", f"{len(machine.trace()):,}"} <= set(shown.texts)
        assert machine.tracefs.read("trace") == before
    closed = Machine(arch=arch)
    closed.close()
    assert closed._repr_html_() == ""
