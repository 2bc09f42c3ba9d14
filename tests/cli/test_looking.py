# SPDX-License-Identifier: GPL-2.0-only
"""emu top, tree and grep."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.call_tree import call_tree
from emu.trace.function_times import function_times
from tests.cli.conftest import Emu
from tests.lib.golden import GOLDEN


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from click.testing import CliRunner

    from emu.cli.main import cli

    path = tmp_path_factory.mktemp("looking") / "trace.dat"
    command = ["record", "-F", "-p", "function_graph", "-e", "sched:sched_switch", "-o", str(path), "--", "ls | wc -l"]
    assert CliRunner(catch_exceptions=False).invoke(cli, command).exit_code == 0
    return path


def test_top_has_a_row_for_each_function(file: Path, emu: Emu) -> None:
    shown = emu("top", str(file)).out.decode().splitlines()
    assert shown[0].split() == ["self", "us", "total", "us", "calls", "min", "us", "mean", "us", "max", "us", "function"]
    times = function_times(Trace.open(file))
    assert len(shown) == 1 + len(times)
    longest = max(times, key=lambda time: time.self_time or 0)
    assert shown[1].split()[0].replace(",", "") == f"{(longest.self_time or 0) / 1000:.3f}"
    assert shown[1].split()[-1] == longest.function
    assert emu("ftd", str(file)).out.decode().splitlines() == shown


def test_top_sorts_groups_and_leaves_out(file: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = emu("top", "--by", "process", "--by", "cpu", "--sort", "calls", "--calls", "5", "-n", "7", str(file)).out.decode()
    head, *rows = shown.splitlines()
    assert head.split()[-3:] == ["process", "CPU", "function"]
    counts = [int(row.split()[2]) for row in rows]
    assert len(rows) == 7
    assert counts == sorted(counts, reverse=True)
    assert min(counts) >= 5
    longer = emu("top", "--at-least", "100us", "--json", str(file)).out
    assert all(row["total"] >= 100_000 for row in json.loads(longer)["functions"])


def test_objects_say_where_they_come_from(file: Path, emu: Emu) -> None:
    found = json.loads(emu("top", "-n", "1", "--json", str(file)).out)
    assert found["origin"]["words"][-1] == "ls | wc -l"
    assert set(found["functions"][0]) == {"function", "self", "total", "calls", "min", "max", "mean"}
    tree = json.loads(emu("tree", "-g", "vfs_read", "--json", str(file)).out)["tree"]
    assert (tree["function"], set(tree)) == ("vfs_read", {"function", "calls", "total", "self", "children"})


def test_a_tree_shows_shares(file: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")  # one line for each call
    whole = emu("tree", "-g", "vfs_read", "--least", "0", str(file)).out.decode().splitlines()
    assert re.fullmatch(r"100\.0 %  vfs_read  [\d,.]+ us, \d+ calls?, self [\d,.]+ us", whole[0])
    assert all(re.match(r"[│ └├─]*─ +\d+\.\d %  \w+", line) for line in whole[1:])
    less = emu("tree", "-g", "vfs_read", "--depth", "2", "--least", "20", str(file)).out.decode().splitlines()
    assert 1 < len(less) < len(whole)
    assert set(less) <= {line.replace("├", "└") for line in whole} | set(whole) | set(less[-1:])
    assert emu("tree", str(file)).out.startswith(b"100.0 %  all calls")


def test_grep_gives_lines_of_the_report(file: Path, emu: Emu) -> None:
    lines = emu("report", str(file)).out.splitlines(keepends=True)[1:]
    wanted = [line for line in lines if b"vfs_read" in line]
    assert emu("grep", "vfs_read", str(file)).out == b"".join(wanted)
    assert emu("grep", "-c", "-i", "VFS_READ", str(file)).out == b"%d\n" % len(wanted)
    assert emu("grep", "-c", "-v", "vfs_read", str(file)).out == b"%d\n" % (len(lines) - len(wanted))
    around = emu("grep", "-C", "1", "vfs_read", str(file)).out.splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if b"vfs_read" in line]
    near = sorted({near for place in places for near in (place - 1, place, place + 1) if 0 <= near < len(lines)})
    assert [line for line in around if line != b"--\n"] == [lines[place] for place in near]
    assert around.count(b"--\n") == sum(later - place > 1 for place, later in pairwise(near))
    assert emu("grep", "bogus", str(file)).status == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["top", "FILE.no"], "cannot read FILE.no: No such file or directory"),
        (["top", "/etc/passwd"], "/etc/passwd: byte 0: "),
        (["tree", "-g", "vfs_raed", "FILE"], "FILE: no call of vfs_raed; did you mean vfs_read?"),
        (["top", "--cpu", "x", "FILE"], "'x' is no list of CPUs; one is 0,2-3"),
        (["tree", "-B", "other", "FILE"], "other"),
        (["grep", "(", "FILE"], "'(' is no regular expression: "),
        (["grep", "-e", "bogus", "x", "FILE"], "no event of the trace matches 'bogus'"),
    ],
)
def test_what_cannot_be_looked_at(words: list[str], said: str, file: Path, emu: Emu) -> None:
    done = emu(*(word.replace("FILE", str(file)) for word in words))
    assert (done.status, done.out) == (2, b"")
    assert said.replace("FILE", str(file)) in done.err
    assert done.err.count("\n") == 1


def test_without_calls_there_is_nothing_to_add_up(tmp_path: Path, emu: Emu) -> None:
    file = tmp_path / "trace.dat"
    emu("record", "-e", "sched", "-o", str(file), "--", "true")
    for command in ("top", "tree"):
        done = emu(command, str(file))
        assert done.err == f"emu: {file}: no calls were recorded; `emu record -p function_graph` records them\n"
    emu("record", "-p", "function", "-o", str(file), "--", "true")
    assert emu("top", str(file)).out.decode().splitlines()[0].split() == ["calls", "function"]


def test_what_tracing_has_cost_with_static_timing(arch: str, tmp_path: Path, emu: Emu) -> None:
    file = str(tmp_path / "trace.dat")
    emu("record", "--arch", arch, "--timing", "static", "-p", "function_graph", "-o", file, "--", "ls /bin")
    shown = {option: json.loads(emu("top", "--json", *option.split(), file).out) for option in ("", "--overhead", "--net")}
    assert [one.get("tracing") for one in shown.values()] == [None, "exact", "exact"]
    gross, overhead, net = ({row["function"]: row for row in one["functions"]} for one in shown.values())
    own, caller = Trace.open(file).recording.call_cost or (0, 0)
    trace = Trace.open(file)  # a leaf without an interrupt in it
    name = next(name for name in sorted(gross) if gross[name]["calls"] > 9 and not call_tree(trace, name).children)
    assert overhead[name]["tracing"] == own * gross[name]["calls"]
    assert net[name]["self"] == gross[name]["self"] - own * gross[name]["calls"]
    made = sum(row["calls"] for row in gross.values())
    assert sum(row["tracing"] for row in overhead.values()) <= (own + caller) * made
    lines = emu("top", "--overhead", "--sort", "tracing", file).out.decode().splitlines()
    assert re.split(r" {2,}", lines[0].strip())[:3] == ["self us", "total us", "tracing us"]


def test_what_tracing_has_cost_is_else_an_estimate(tmp_path: Path, emu: Emu) -> None:
    file, function = str(tmp_path / "trace.dat"), str(tmp_path / "function.dat")
    emu("record", "--timing", "pipeline", "-p", "function_graph", "-o", file, "--", "ls /bin | wc -l")
    done = emu("top", "--overhead", "--json", file)
    found = json.loads(done.out)
    assert (done.err, found["tracing"]) == ("", "an estimate")
    rows = {row["function"]: row for row in found["functions"]}
    assert 0 < rows["_raw_spin_lock"]["tracing"] < rows["_raw_spin_lock"]["self"]
    assert done.out == emu("top", "--overhead", "--json", file).out
    net = {row["function"]: row for row in json.loads(emu("top", "--net", "--json", file).out)["functions"]}
    assert net["_raw_spin_lock"]["self"] == rows["_raw_spin_lock"]["self"] - rows["_raw_spin_lock"]["tracing"]
    titles = emu("top", "--net", file).out.decode().splitlines()[:3]
    assert " ".join(" ".join(titles).split()).count("estimate") == 2 and "self us," in titles[1]
    emu("record", "-p", "function", "-o", function, "--", "true")
    for words, said in (
        (["--overhead", "--by", "cpu", file], "--overhead: an estimate is of all tasks and CPUs together"),
        (["--net", "-P", "1", file], "--net: an estimate is of all tasks and CPUs together"),
        (["--net", str(GOLDEN / "tracecmd-graph.dat")],
         f"{GOLDEN / 'tracecmd-graph.dat'}: emu did not record it, so what tracing has cost cannot be found out"),
        (["--net", function], f"{function}: no calls were recorded; `emu record -p function_graph` records them"),
    ):  # fmt: skip
        refused = emu("top", *words)
        assert (refused.status, refused.err) == (2, f"emu: {said}\n")
