# SPDX-License-Identifier: GPL-2.0-only
"""`emu race`: its output, its files, and its exit statuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import emu.race
from emu.architectures import ARCHITECTURES
from emu.cli.race.errors import lab_errors
from emu.race import Outcome, Scenario, Verdict, Wrong, api
from tests.cli.conftest import Emu, Result
from tests.lib.terminal_session import PATIENCE, TerminalSession

SAFE = """\
scenario  careful
"breakpoint first, then the tail, then the head"
place     61
protocol  breakpoint
"""
UNSAFE = """\
scenario  crossing
"a store that crosses a quadword is two, and an NMI sees the first alone"
place     61
protocol  stop_machine
nmi       1
fetch     coherent torn8 translation
expect    torn on coherent torn8
expect    safe on translation
"""
HASTY = """\
from emu.ftrace.sites.patching import Synchronise, Write


def hasty(patches, breakpoint):
    writes = [Write(patch.address, patch.old, patch.new) for patch in patches]
    return [*writes, Synchronise()]


def broken(patches, breakpoint):
    return patches[0].addres


def outside(patches, breakpoint):
    return [Write(patches[0].address - 8, b"x", b"y")]
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the files above; it is the working directory."""
    (tmp_path / "safe.race").write_text(SAFE)
    (tmp_path / "unsafe.race").write_text(UNSAFE)
    (tmp_path / "my.py").write_text(HASTY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_safe(emu: Emu, files: Path) -> None:
    status, out, err = emu("race", "check", "safe.race")
    heading, *lines = out.decode().splitlines()
    assert (status, err, heading) == (0, "", "careful: breakpoint first, then the tail, then the head")
    models = lines[: lines.index("")]
    assert [line.split()[:3] for line in models] == [
        ["Ok", fetch, "safe"] for fetch in ("coherent", "stale", "torn1", "torn8", "torn16", "torn64", "translation")
    ]
    assert all(line.endswith(" states)") for line in models)
    assert "this assumes:" in lines
    assert lines[-1].startswith("1 scenario, 7 searches, ") and lines[-1].endswith(" states: all as expected")


def test_what_is_unsafe_is_shown(emu: Emu, files: Path) -> None:
    status, out, _ = emu("race", "check", "unsafe.race")
    text = out.decode()
    assert status == 0
    assert "Ok  coherent     torn after 6 events: executes what is neither old nor new at site 1" in text
    assert "\n=> torn: executes what is neither old nor new" in text  # under the table
    assert text.count("=> torn") == 1
    assert "CPU 0" in text and "patcher" in text


def test_without_an_expectation_what_is_unsafe_is_not_ok(emu: Emu, files: Path) -> None:
    (files / "no.race").write_text(UNSAFE[: UNSAFE.index("expect")])
    status, out, _ = emu("race", "check", "safe.race", "no.race", "--fetch", "coherent")
    assert status == 1
    assert b"\nNo  coherent     torn after 6 events" in out
    assert out.endswith(b": 1 search not as expected\n")


def test_an_expectation_that_is_not_met_is_named(emu: Emu, files: Path) -> None:
    (files / "no.race").write_text(SAFE + "expect half on stale\n")
    status, out, _ = emu("race", "check", "no.race", "--fetch", "stale")
    assert status == 1
    assert b" states); expected: half\n" in out


def test_of_several_files_only_the_unexpected_have_a_table(emu: Emu, files: Path) -> None:
    assert b"=> torn" not in emu("race", "check", "safe.race", "unsafe.race").out


def test_a_limit_decides_nothing(emu: Emu, files: Path) -> None:
    status, out, _ = emu("race", "check", "safe.race", "--fetch", "torn1", "--limit", "5")
    assert status == 1
    assert b"No  torn1        not decided: the limit of 5 states was reached (" in out
    assert b"this assumes" not in out


def test_more_cpus_and_sites(emu: Emu, files: Path) -> None:
    def states(*options: str) -> int:
        (file,) = json.loads(emu("race", "check", "safe.race", "--fetch", "intel", "--json", *options).out)["files"]
        (verdict,) = file["verdicts"]
        assert (verdict["fetch"], verdict["ok"]) == ("torn1", True)
        return int(verdict["states"])

    assert states("--cpus", "1") == states("--cpus", "3") < states("--cpus", "3", "--sites", "2")


def test_the_same_command_gives_the_same_text(emu: Emu, files: Path) -> None:
    command = ("race", "check", "safe.race", "unsafe.race", "--json")
    first = emu(*command)
    assert first == emu(*command)
    assert b"seconds" not in first.out


def test_json_is_one_document(emu: Emu, files: Path) -> None:
    document = json.loads(emu("race", "check", "unsafe.race", "--json").out)
    (file,) = document["files"]
    assert (document["complete"], file["file"], file["ok"], file["differing"]) == (True, "unsafe.race", True, [])
    first, _, last = file["verdicts"]
    assert (first["outcome"], first["wrong"], first["expected"], first["ok"]) == ("unsafe", "torn", "torn", True)
    assert (last["outcome"], last["wrong"], last["expected"], last["schedule"]) == ("safe", None, "safe", [])
    assert [event["what"] for event in first["schedule"]] == ["park", "wait", "wait", "write", "nmi", "fetch"]
    assert first["schedule"][3]["agent"] == -1
    assert first["schedule"][5]["code"].startswith(first["schedule"][3]["code"])


def test_a_schedule_goes_to_a_file_and_can_be_shown(emu: Emu, files: Path) -> None:
    table = emu("race", "check", "unsafe.race", "-o", "wrong.schedule").out
    assert table.endswith(b"\nwritten: wrong.schedule, the first of 2; a folder gets all\n")
    assert (files / "wrong.schedule").read_text().startswith("emu race schedule 1\n")
    status, shown, err = emu("race", "show", "wrong.schedule")
    assert (status, err) == (0, "")
    assert shown in table


def test_schedules_go_to_a_folder(emu: Emu, files: Path) -> None:
    (files / "found").mkdir()
    _, out, _ = emu("race", "check", "safe.race", "unsafe.race", "-o", "found")
    names = ["crossing-coherent-model.schedule", "crossing-torn8-model.schedule"]
    assert sorted(os.listdir(files / "found")) == names
    assert out.endswith(b" states: all as expected\nwritten: 2 schedules in found\n")


def test_each_schedule_in_a_folder_has_a_name_of_its_own(emu: Emu, files: Path) -> None:
    (files / "found").mkdir()
    (files / "again.race").write_text((files / "unsafe.race").read_text())
    assert emu("race", "check", "unsafe.race", "again.race", "-o", "found").out.endswith(b"\nwritten: 4 schedules in found\n")
    assert len(os.listdir(files / "found")) == 4


@pytest.mark.parametrize("command", ["check safe.race unsafe.race -o ./unsafe.race", "certify my.py:hasty -o my.py"])
def test_what_is_searched_is_not_written_over(emu: Emu, files: Path, command: str) -> None:
    before = {path: path.read_bytes() for path in files.iterdir()}
    status, out, err = emu("race", *command.split())
    assert (status, out, err) == (2, b"", f"emu: cannot write {Path(command.split()[-1])}: it says what is searched\n")
    assert before == {path: path.read_bytes() for path in files.iterdir()}


def test_nothing_found_nothing_written(emu: Emu, files: Path) -> None:
    (files / "old").write_text("kept")
    assert emu("race", "check", "safe.race", "-o", "old").out.endswith(b"\nwritten: nothing, since nothing unsafe was found\n")
    emu("race", "check", "safe.race", "-o", "new")
    assert (files / "old").read_text() == "kept"
    assert sorted(path.name for path in files.iterdir()) == ["my.py", "old", "safe.race", "unsafe.race"]


CORPUS = Path(emu.race.__file__).parent / "corpus"


def test_a_litmus_test_is_checked_as_herd7_does(emu: Emu) -> None:
    status, out, err = emu("race", "check", str(CORPUS / "xmc-no-serialising.litmus"), "--fetch", "stale")
    text = out.decode()
    assert (status, err) == (0, "")
    assert text.startswith("Test xmc-no-serialising Allowed\nFetch stale: ")
    assert "\nOk\nWitnesses\nPositive: 1 Negative: 1\n" in text
    assert "P0" in text and "\n=> 1:rdx=5;\n" in text  # the witness
    assert "There are no interrupts" in text
    assert text.splitlines()[-1].startswith("1 litmus test, 1 search, ")


def test_a_litmus_test_that_is_not_ok(emu: Emu) -> None:
    status, out, _ = emu("race", "check", str(CORPUS / "xmc-no-serialising.litmus"), "--fetch", "coherent", "--json")
    (file,) = json.loads(out)["files"]
    (test,) = file["tests"]
    assert (status, file["ok"], test["ok"], test["finals"], test["witness"]) == (1, False, False, ["1:rdx=7;"], [])


def test_both_engines_and_whether_they_agree(emu: Emu, files: Path) -> None:
    status, out, _ = emu("race", "check", "--on", "both", "unsafe.race", "--fetch", "torn8")
    _, model, machine, agreement, *_ = out.decode().splitlines()
    assert status == 0
    assert model.startswith("Ok  torn8        model    torn after 6 events: ")
    assert machine.startswith("Ok  torn8        machine  torn after 6 events: ") and "Fatal exception in interrupt" in machine
    assert agreement == "model and machine agree"


def test_who_has_not_decided_does_not_disagree(emu: Emu, files: Path) -> None:
    out = emu("race", "check", "--on", "both", "safe.race", "--fetch", "coherent", "--limit", "60").out
    assert b"\nOk  coherent     model    safe (40 states)" in out
    assert b"\nNo  coherent     machine  not decided: the limit of 60 states was reached" in out
    assert b"\nmodel and machine agree where both have decided\n" in out


def test_engines_that_do_not_agree(emu: Emu, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def searches(scenario: Scenario, *_: Any) -> Iterator[Verdict]:
        yield Verdict(scenario, "coherent", "model", Outcome.SAFE)
        yield Verdict(scenario, "coherent", "machine", Outcome.UNSAFE, Wrong.LATE)

    monkeypatch.setattr(api, "searches", searches)
    (files / "late.race").write_text(SAFE)
    status, out, _ = emu("race", "check", "--on", "both", "late.race", "--fetch", "coherent")
    assert (status, b"\nmodel and machine do not agree under coherent\n" in out) == (1, True)


def test_a_schedule_is_replayed(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    status, out, err = emu("race", "replay", "wrong.schedule")
    assert (status, err) == (0, "")
    assert b"found on the machine" in out and out.endswith(b"\nas recorded\n")
    (one,) = json.loads(emu("race", "replay", "--json", "wrong.schedule").out)["files"]
    assert (one["file"], one["as_recorded"]) == ("wrong.schedule", True)
    assert (one["verdict"]["wrong"], one["verdict"]["on"]) == ("torn", "machine")


def test_a_schedule_that_was_recorded_otherwise(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    text = (files / "wrong.schedule").read_text()
    (files / "other.schedule").write_text(text.replace("=> torn", "=> late"))
    status, out, _ = emu("race", "replay", "other.schedule")
    assert (status, out.splitlines()[-1]) == (1, b"not as recorded: late")


def test_several_schedules_are_replayed(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    text = (files / "wrong.schedule").read_text()
    (files / "other.schedule").write_text(text.replace("=> torn", "=> late"))
    status, out, err = emu("race", "replay", "wrong.schedule", "wrong.schedule")
    assert (status, err) == (0, "")
    first, second, last = out.decode().splitlines()
    assert first == second and first.startswith("Ok  wrong.schedule: torn after 6 events: executes what is neither old nor new")
    assert last == "2 schedules: all as recorded"
    status, out, _ = emu("race", "replay", "wrong.schedule", "other.schedule")
    assert (status, out.splitlines()[-1]) == (1, b"2 schedules: 1 not as recorded")
    assert b"\nNo  other.schedule: torn after 6 events: " in out and b"\nnot as recorded: late\n" in out
    document = json.loads(emu("race", "replay", "wrong.schedule", "other.schedule", "--json").out)
    assert [one["as_recorded"] for one in document["files"]] == [True, False] and document["complete"] is True


def test_a_file_of_several_that_cannot_be_replayed_is_named(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    text = (files / "wrong.schedule").read_text()
    (files / "impossible.schedule").write_text(text.replace("cpu 0    wait", "cpu 0    interrupt", 1))
    status, out, _ = emu("race", "replay", "impossible.schedule", "wrong.schedule")
    first, second, last = out.decode().splitlines()
    assert status == 2 and last == "2 schedules: 1 not as recorded"
    assert first.startswith("No  impossible.schedule: event 2 is not permitted: cpu0 interrupt; permitted: ")
    assert second.startswith("Ok  wrong.schedule: torn after 6 events: ")
    document = json.loads(emu("race", "replay", "impossible.schedule", "wrong.schedule", "--json").out)
    assert [(one["as_recorded"], one["verdict"] is None) for one in document["files"]] == [(False, True), (True, False)]
    assert "impossible.schedule: event 2 is not permitted" in complaint(emu("race", "replay", "impossible.schedule"))
    assert complaint(emu("race", "replay", "wrong.schedule", "nosuch.schedule")).endswith("No such file or directory")


def test_registers_of_a_schedule(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    out = emu("race", "show", "--step", "wrong.schedule", stdin=b"r 1\nr 2\n").out.decode()
    assert re.search(r"^CPU 1\n +rax [0-9a-f]{16}  ", out, re.MULTILINE)
    assert out.endswith("there is no CPU 2; there are CPUs 0 to 1\n")


def test_ctrl_c_keeps_what_was_found(emu: Emu, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def searches(scenario: Scenario, *_: Any) -> Iterator[Verdict]:
        yield Verdict(scenario, "coherent", "model", Outcome.SAFE, states=7)
        yield Verdict(scenario, "stale", "model", Outcome.UNDECIDED, why="interrupted", states=3)
        raise AssertionError("no further search is begun")

    monkeypatch.setattr(api, "searches", searches)
    status, out, err = emu("race", "check", "safe.race", "unsafe.race")
    assert (status, err) == (130, "")
    assert b"Ok  coherent     safe (7 states)\nNo  stale        not decided: interrupted (3 states)\n" in out
    assert b"crossing" not in out
    assert b"1 scenario, 2 searches, 10 states, then interrupted" in out
    document = json.loads(emu("race", "check", "safe.race", "--json").out)
    assert (document["complete"], len(document["files"][0]["verdicts"])) == (False, 2)


def test_somebody_walks_along_a_schedule(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")

    def shown(commands: str) -> list[str]:
        """The output without its first lines."""
        status, out, err = emu("race", "show", "--step", "wrong.schedule", stdin=commands.encode())
        assert (status, err) == (0, "")
        return out.decode().removeprefix(beginning).splitlines()

    beginning = emu("race", "show", "--step", "wrong.schedule").out.decode()
    assert beginning.startswith("crossing: stop_machine; x86_64, 2 CPUs, found on the model\n")
    assert shown("q\n") == []
    assert shown("\nn\np\n") == [*shown("n\n"), *shown("2\n"), *shown("1\n")]
    assert shown("6\n") != shown("5\n")
    assert any("TORN" in line for line in shown("6\n"))
    there_are = ["there are events 1 to 6"]
    assert shown("7\n") == shown("p\n") == shown("6\nn\n")[-1:] == there_are
    assert shown("99999999999999999999\n") == there_are
    assert shown("jump\n") == ["'jump' is no command; ? lists them"]
    assert shown("?\nq\nn\n") == shown("?\n")


def test_what_is_typed_may_be_no_text(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    status, out, err = emu("race", "show", "--step", "wrong.schedule", stdin=b"\xff\x00\n")
    assert (status, err) == (0, "")
    assert out.decode().endswith("\n'\ufffd\\x00' is no command; ? lists them\n")


def test_nobody_reading_is_no_file_that_cannot_be_read() -> None:
    with pytest.raises(BrokenPipeError), lab_errors():
        raise BrokenPipeError


def test_a_prompt_is_for_a_terminal(emu: Emu, files: Path) -> None:
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    with closing(TerminalSession([sys.executable, "-m", "emu", "race", "show", "--step", "wrong.schedule"])) as session:
        session.until(rb"\(0 of 6\) ")
        session.type(b"q\n")
        assert session.process.wait(PATIENCE) == 0


def test_a_pipe_that_nobody_reads(files: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "emu", "race", "check", "safe.race"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_the_lab_is_loaded_only_where_it_is_used() -> None:
    program = "import sys, emu.cli; print([name for name in sys.modules if name.startswith(('emu.race', 'numba', 'unicorn'))])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def complaint(result: Result) -> str:
    """The last line of a command that was given something wrong."""
    assert (result.status, result.out) == (2, b"")
    (line,) = result.err.splitlines()
    assert line.startswith("emu: ")
    return line.removeprefix("emu: ")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("check litmus.litmus", "litmus.litmus:1:"),
        ("check minus.litmus", "minus.litmus:4:2: 'lock -1' is no instruction; the name of one comes first"),
        ("check --sites 2 --fetch coherent {litmus}", "is a litmus test, which has no --sites; --fetch and --limit are for it"),
        ("check --on both {litmus}", "is a litmus test, which has no --on"),
        ("check --on machine model.race", "scenario model is for the model alone: the guest's module has no site at 7"),
        ("replay impossible.schedule", "event 2 is not permitted: cpu0 interrupt; permitted: "),
        ("replay build.schedule", "the schedule is of another machine: its digest is 0123456789abcdef, and"),
        ("check", "Missing argument 'FILE...'"),
        ("check nosuch.race", "nosuch.race: cannot be read: No such file or directory"),
        ("check safe.race nosuch.race", "nosuch.race: cannot be read"),
        ("check .", ".: cannot be read: Is a directory"),
        ("check my.py", "my.py:1:1: no scenario; its first line is `scenario NAME`"),
        ("check bad.race", "bad.race:3:11: 'broken' is no"),
        ("check own.race", "own.race:2:11: "),
        ("check safe.race --fetch intel,word", "x86_64 has no fetch model 'word'; it has coherent, stale, torn1"),
        ("check safe.race --fetch ,", "x86_64 has no fetch model ''"),
        ("check safe.race --cpus 0", "0 CPUs: 1 to 8 are possible"),
        ("check safe.race --cpus 9", "9 CPUs: 1 to 8 are possible"),
        ("check safe.race --sites 0", "0 sites: 1 to 8 are possible"),
        ("check safe.race --cpus two", "'two' is not a valid integer"),
        ("certify breakpoint --cpus 99", "99 CPUs: 1 to 8 are possible"),
        ("check safe.race --sites 9", "9 sites: 1 to 8 are possible"),
        ("check two.race --sites 1", "1 sites: scenario two says something of site 2"),
        ("check safe.race --limit 0", "'0' is no limit"),
        ("check safe.race --limit many", "'many' is no time"),
        ("check safe.race --limit 3.5", "'3.5' is no limit"),
        ("check safe.race --on guest", "'guest' is not one of 'model', 'machine', 'both'"),
        ("check safe.race -o /nosuch/file", "cannot write /nosuch/file: No such file or directory"),
        ("check safe.race --arch sparc64", "No such option '--arch'"),
        ("certify", "Missing argument 'PROTOCOL'"),
        ("certify bogus", "bogus"),
        ("certify breakpoint --arch mips", "mips"),
        ("certify breakpoint --arch sparc64", "breakpoint"),
        ("certify nosuch.py:hasty", "nosuch.py: No such file or directory"),
        ("certify my.py", "FILE.py:NAME"),
        ("certify my.py:nosuch", "my.py has no nosuch"),
        ("certify my.py:Write.expected", "my.py has no Write.expected"),
        ("certify my.py:broken", "raised AttributeError"),
        ("certify my.py:outside", "is not within a site"),
        ("show nosuch.schedule", "nosuch.schedule: cannot be read"),
        ("show safe.race", "safe.race:1:1: "),
        ("replay safe.race", "safe.race:1:1: "),
        ("replay nosuch.schedule", "nosuch.schedule: cannot be read"),
        ("show safe.race --cpus 2", "No such option '--cpus'"),
        ("generate -n 0", "0 is not in the range"),
        ("generate --seed -1", "seed -1: 0 to 18446744073709551615 are possible"),
        ("generate --arch mips", "there is no architecture 'mips'; there are x86_64, sparc64, riscv64"),
        ("generate --cpus 9", "9 CPUs: 1 to 8 are possible"),
        ("generate --sites 0", "0 sites: 1 to 8 are possible"),
        ("generate -o safe.race", "cannot make safe.race: File exists"),
    ],
)
def test_bad_input_is_one_line_and_status_2(command: str, why: str, emu: Emu, files: Path) -> None:
    (files / "bad.race").write_text("scenario bad\nplace     5\nprotocol  broken\n")
    (files / "own.race").write_text("scenario own\nprotocol  my.py:broken\n")
    (files / "two.race").write_text(SAFE.replace("careful", "two").replace("61", "5 61") + "nmi 2\n")
    (files / "model.race").write_text("scenario model\nplace 7\nprotocol breakpoint\n")
    (files / "litmus.litmus").write_text("x86\n")
    (files / "minus.litmus").write_text("X86_64 minus\n{ x = 0; }\n P0 ;\n lock -1 ;\nexists (x = 0)\n")
    emu("race", "check", "unsafe.race", "-o", "wrong.schedule")
    recorded = (files / "wrong.schedule").read_text()
    (files / "impossible.schedule").write_text(recorded.replace("cpu 0    wait", "cpu 0    interrupt", 1))
    (files / "build.schedule").write_text(
        recorded.replace(
            "on        model\nseed      0\nfetch     coherent\ndigest    -",
            "on        machine\nseed      0\nfetch     coherent\ndigest    0123456789abcdef",
        )
    )
    words = command.format(litmus=CORPUS / "amd-quadword.litmus").split()
    assert why in complaint(emu("race", *words))


def test_a_protocol_is_certified(emu: Emu, files: Path) -> None:
    status, out, err = emu("race", "certify", "breakpoint", "--cpus", "2", "--sites", "1", "--fetch", "intel,translation")
    assert (status, err) == (0, "")
    assert b"\nbreakpoint is safe for 2 CPUs and 1 site: " in out


def test_an_own_wrong_protocol_is_refuted(emu: Emu, files: Path) -> None:
    status, out, err = emu("race", "certify", "my.py:hasty", "--sites", "1", "--fetch", "intel,amd", "-o", "wrong.schedule")
    assert (status, err) == (1, "")
    assert b"\nmy.py:hasty is unsafe for 3 CPUs and 1 site" in out
    assert b"=> torn: executes what is neither old nor new" in out
    (files / "my.py").unlink()  # the schedule contains the steps
    _, table = emu("race", "show", "wrong.schedule").out.split(b"\nfetch ", 1)
    assert table in out


def test_what_each_stage_of_an_own_protocol_is_for(emu: Emu, files: Path) -> None:
    (files / "found").mkdir()
    command = ("race", "certify", "my.py:hasty", "--mutants", "--cpus", "2", "--sites", "1", "--fetch", "coherent,translation")
    status, out, err = emu(*command, "-o", "found")
    assert (status, err) == (1, "")
    expected = """\
my.py:hasty: 1 write all new, 2 sync

stages     place    coherent  translation
as it is   0        safe      safe
as it is   5 13 61  torn 2    safe
without 1  any      late 5    late 5
without 2  0        safe      late 3
without 2  5 13 61  torn 2    late 3
swap 1 2   0        safe      late 6
swap 1 2   5 13 61  torn 5    late 6

3 mutants of my.py:hasty for 2 CPUs and 1 site: """
    assert out.decode().startswith(expected)
    assert b"\nmutants that are safe everywhere: none\n" in out
    found = sorted(path.name for path in (files / "found").iterdir())
    assert f"written: {len(found)} schedules in found\n".encode() in out
    assert "my.py-hasty-swap-1-2-call-call-61-nmi-coherent-model.schedule" in found
    (files / "my.py").unlink()  # the schedules contain the steps
    assert emu("race", "replay", *(f"found/{name}" for name in found[::10])).out.endswith(b" schedules: all as recorded\n")


def test_mutants_of_a_protocol_that_is_safe_and_of_one_that_is_not_decided(emu: Emu) -> None:
    command = ("race", "certify", "stop_machine", "--mutants", "--arch", "sparc64", "--cpus", "2", "--sites", "1")
    status, out, _ = emu(*command, "--fetch", "word")
    assert (status, b"\nmutants that are safe everywhere: swap 1 2\n" in out) == (0, True)
    status, out, _ = emu(*command, "--fetch", "word", "--limit", "3")
    assert status == 1
    assert b"\nas it is   any   ?\n" in out and b" not decided; " in out and b"safe everywhere: none\n" in out
    document = json.loads(emu(*command, "--fetch", "word", "--json").out)
    assert {verdict["protocol"] for verdict in document["verdicts"]} >= {"stop_machine", "stop_machine without 1"}


def test_an_own_protocol_in_a_scenario(emu: Emu, files: Path) -> None:
    (files / "own.race").write_text("scenario own\nprotocol my.py:hasty\nplace 5\nfetch torn8 coherent\nexpect torn on torn8\n")
    status, out, _ = emu("race", "check", "own.race", "--fetch", "amd")
    assert (status, out.splitlines()[1].split()[:3]) == (0, [b"Ok", b"torn8", b"torn"])


def test_random_scenarios_are_always_the_same(emu: Emu, files: Path) -> None:
    ten, three = (emu("race", "generate", "--seed", "7", "-n", count).out.decode() for count in ("10", "3"))
    assert ten.startswith(three + "\nscenario  7-0004\n")
    assert ten.split("\n\n")[2] + "\n" == three.split("\n\n")[2]
    assert emu("race", "generate").out.startswith(b"scenario  0-0001\narch      x86_64\n")


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_random_scenarios_in_files_can_be_checked(emu: Emu, files: Path, arch: str) -> None:
    options = ("--arch", arch, "--sites", "1", "--cpus", "1", "-n", "4")
    assert emu("race", "generate", *options, "-o", "a/b") == Result(0, b"written: 4 scenarios in a/b\n", "")
    paths = sorted((files / "a/b").iterdir())
    assert [path.name for path in paths] == [f"0-000{n}.race" for n in range(1, 5)]
    assert "\n".join(path.read_text() for path in paths).encode() == emu("race", "generate", *options).out
    status, out, err = emu("race", "check", "--fetch", "coherent", *map(str, paths))
    assert (status in (0, 1), err) == (True, "") and b"4 scenarios, 4 searches, " in out


def test_a_file_that_exists_is_left_alone(emu: Emu, files: Path) -> None:
    emu("race", "generate", "-n", "2", "-o", "found")
    (files / "found/0-0001.race").unlink()
    (files / "found/0-0002.race").write_text("mine")
    assert complaint(emu("race", "generate", "-n", "3", "-o", "found")) == "found/0-0002.race exists; nothing was written"
    assert [path.name for path in (files / "found").iterdir()] == ["0-0002.race"]
    assert (files / "found/0-0002.race").read_text() == "mine"
    emu("race", "generate", "-o", "found")
    assert "0-0001.race exists, and so does 1 more of the files;" in complaint(emu("race", "generate", "-n", "2", "-o", "found"))
