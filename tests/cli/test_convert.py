# SPDX-License-Identifier: GPL-2.0-only
"""emu convert."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.convert import FORMATS, ConvertOptions
from tests.cli.conftest import Emu
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat

GRAPH, SCHED = (str(GOLDEN / f"tracecmd-{name}.dat") for name in ("graph-depth", "sched"))
NAMES = ", ".join(FORMATS)


@pytest.fixture(scope="module")
def file(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of each architecture."""
    from click.testing import CliRunner

    from emu.cli.main import cli

    path = tmp_path_factory.mktemp("convert") / "trace.dat"
    options = ["--arch", arch, "-F", "-p", "function_graph", "-e", "sched"]
    command = ["record", *options, "-o", str(path), "--", "ls | wc -l"]
    assert CliRunner(catch_exceptions=False).invoke(cli, command).exit_code == 0
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_the_name_of_the_output_says_the_format(file: Path, emu: Emu, tmp_path: Path, name: str) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"trace.{name}"
    assert emu("convert", str(file), "-o", str(out)) == (0, b"", "")
    assert out.read_bytes() == b"".join(FORMATS[name].pieces(Trace.open(file), ConvertOptions()))
    assert emu("convert", "--to", name, str(file)).out == out.read_bytes()
    assert os.listdir(tmp_path) == [out.name]


def test_json_has_what_makes_the_recording_again(file: Path, emu: Emu) -> None:
    said = json.loads(emu("convert", "--to", "json", str(file)).out)["otherData"]
    assert said["command"] == f"emu record --arch {said['arch']} -F -p function_graph -e sched -- 'ls | wc -l'"
    assert {"seed", "quantum", "timing", "image", "emu", "cpu_model", "memory", "cpus"} <= said.keys()


def test_events_tasks_cpus_and_times_are_chosen(emu: Emu) -> None:
    rows = emu("convert", "--to", "csv", "-e", "sched_switch", SCHED).out.decode().splitlines()[1:]
    table = Trace.open(SCHED)["sched_switch"]
    assert len(rows) == table.count
    times = [f"{time // 10**9}.{time % 10**9:09}" for time in table["time"].tolist()]
    some = emu("convert", "--to", "csv", "-e", "sched_switch", "--from", times[3], "--until", times[7], SCHED)
    assert some.out.decode().splitlines()[1:] == rows[3:8]
    of_task = emu("convert", "--to", "csv", "-e", "sched_switch", "-P", "1064", "--cpu", "0", SCHED).out.decode().splitlines()[1:]
    assert of_task == [row for row in rows if row.split(",")[1:3] == ["0", "1064"]] != []


def test_options_of_formats(emu: Emu) -> None:
    assert emu("convert", "--to", "folded", "--by", "cpu", GRAPH).out.startswith(b"CPU 1;")
    assert b">my picture<" in emu("convert", "--to", "svg", "--title", "my picture", GRAPH).out
    assert emu("convert", "--to", "csv", "--table", "calls", GRAPH).out.startswith(b"entry,exit,depth,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "trace.txt", GRAPH], f"emu: the name trace.txt ends like no format; there are {NAMES}\n"),
        ([GRAPH], f"emu: --to, or the name after -o, says the format: {NAMES}\n"),
        (["--to", "perfetto", GRAPH], f"emu: no format is called 'perfetto'; there are {NAMES}\n"),
        (["--to", "csv", "--by", "cpu", GRAPH], "emu: --by does not go with csv\n"),
        (["--to", "json", "--table", "calls", GRAPH], "emu: --table does not go with json\n"),
        (["--to", "csv", "--table", "cals", GRAPH], f"emu: {GRAPH}: the trace has no table 'cals'; did you mean calls?\n"),
        (["--to", "svg", SCHED], f"emu: {SCHED}: neither calls nor stacks were recorded; `emu record -p function_graph` records "
         "calls, -O stacktrace stacks\n"),
        (["--to", "csv", "-e", "sched_swich", SCHED], "emu: no event of the trace matches 'sched_swich'; did you mean "
         "sched_switch?\n"),
        (["--to", "csv", "no.dat"], "emu: cannot read no.dat: No such file or directory\n"),
        (["--to", "csv", __file__], f"emu: {__file__}: byte 0: there is no trace.dat: its first bytes are others\n"),
        (["-o", "/no/folder/trace.csv", SCHED], "emu: cannot write /no/folder/trace.csv: No such file or directory\n"),
        (["--to", "csv", "-o", "/dev/full", SCHED], "emu: cannot write /dev/full: No space left on device\n"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(emu: Emu, arguments: list[str], message: str) -> None:
    assert emu("convert", *arguments) == (2, b"", message)


def test_damage_that_shows_late_leaves_no_file(emu: Emu, tmp_path: Path) -> None:
    broken = tmp_path / "broken.dat"
    content = bytearray(Path(GRAPH).read_bytes())
    content[-4096 * 3 + 8 : -4096 * 3 + 16] = b"\xff" * 8
    broken.write_bytes(content)
    for name in FORMATS:
        found = emu("convert", str(broken), "-o", str(tmp_path / f"out.{name}"))
        assert found.status == 2 and found.err.startswith(f"emu: {broken}: byte ") and found.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["broken.dat"]


def test_a_library_that_is_missing_is_named(emu: Emu, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = emu("convert", SCHED, "-o", str(tmp_path / "out.parquet"))
    assert found == (2, b"", "emu: pyarrow is not installed: pip install pyarrow, or emu[arrow]\n")
    assert os.listdir(tmp_path) == []


def test_what_is_left_out_is_said(emu: Emu, tmp_path: Path) -> None:
    import struct

    from tests.lib.trace_dat import Pages

    pages = Pages()
    pages.add(10, struct.pack("<HBBi", 60000, 0, 0, 5))
    pages.flush()
    path = tmp_path / "unknown.dat"
    path.write_bytes(Dat([pages.data]).version7())
    found = emu("convert", "--to", "pftrace", str(path))
    assert (found.status, found.err) == (0, f"emu: {path}: 1 event left out: the trace has no format of them\n")


def test_a_reader_that_goes_away() -> None:
    command = f"{sys.executable} -m emu convert --to csv {GRAPH} | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("time,cpu,pid,task,event,info\n", "")
