# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios as text files: each can be written and read back, and the error message for a wrong one has its line."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from emu.race.model.model_sites import model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_steps import stages
from emu.race.scenario.protocol_text import ChangedProtocol, ShippedProtocol
from emu.race.scenario.scenario import Expectation, Handler, Scenario, Wrong
from emu.race.scenario.scenario_file import parse, read
from emu.race.scenario.scenario_format import format
from emu.race.scenario.text_file import TextError

WHOLE = """\
scenario  two sites
"one sentence for readers"
arch      x86_64
place     5 13                    # one site for each
change    nop > call
protocol  breakpoint without 4 swap 1 3
fails     3
handler   skip
misses    2
nmi       1 2
in-handler 2
deaf      1
user
entry     1
visits    2
cpus      3
fetch     torn1 stale amd         # amd is torn8
never     torn late
expect    safe on torn8 stale
expect    torn on intel
"""


def test_every_word_has_its_meaning() -> None:
    scenario = parse(WHOLE)
    protocol = ChangedProtocol(ChangedProtocol(ShippedProtocol("breakpoint"), without=(4,)), swap=(1, 3))
    safe, torn = Expectation(False), Expectation(True, Wrong.TORN)
    assert scenario == Scenario(
        "two sites", protocol, "breakpoint without 4 swap 1 3", "one sentence for readers", "x86_64", (5, 13), Change.NOP_TO_CALL,
        fails_at=3, handler=Handler.SKIP, misses=frozenset({2}), nmi_sites=frozenset({1, 2}), handler_sites=frozenset({2}),
        deaf=frozenset({1}), user=True, entry_sites=frozenset({1}), visits=2, cpus=3, fetch=("torn1", "stale", "torn8"),
        never=frozenset({Wrong.TORN, Wrong.LATE}), expect={"torn8": safe, "stale": safe, "torn1": torn},
    )  # fmt: skip


@pytest.mark.parametrize("line", ["handler skip", "misses 1", "in-handler 1"])
def test_a_handler_where_there_are_no_breakpoints(line: str) -> None:
    with pytest.raises(TextError) as caught:
        parse(f"scenario x\narch sparc64\nprotocol flush\n{line}\n")
    assert str(caught.value) == f"scenario:4:1: '{line.split()[0]}' on sparc64, which has no breakpoints"


def test_an_expectation_without_models_is_for_all() -> None:
    scenario = parse("scenario x\narch sparc64\nprotocol flush\nexpect safe\n")
    assert scenario.expect == dict.fromkeys(("coherent", "stale", "word", "flushed", "translation"), Expectation(False))


WRITTEN = """\
scenario written
place 0 8
protocol
    write head breakpoint   # at each site
    sync
    write 2 +1..4 new
    write 1 +1..2 EB fe
    write tail old
    park
    release
    free
    wait-tasks
    forget
"""


def test_a_protocol_is_written_out() -> None:
    scenario = parse(WRITTEN)
    first, second = model_patches(scenario)
    writes = [step for step in scenario.steps([first, second]) if hasattr(step, "new")]
    assert [(w.address, w.new) for w in writes] == [
        (first.address, b"\xcc"), (second.address, b"\xcc"), (second.address + 1, second.new[1:]),
        (first.address + 1, b"\xeb\xfe"), (first.address + 1, first.old[1:]), (second.address + 1, second.old[1:]),
    ]  # fmt: skip
    assert [type(step).__name__ for step in scenario.steps([first, second])][-5:] == [
        "Park", "Release", "Free", "WaitTasks", "Forget",
    ]  # fmt: skip


OWN = """\
from emu.ftrace.sites.patching import Synchronise, Write
def hasty(patches, breakpoint):
    return [*[Write(patch.address, patch.old, patch.new) for patch in patches], Synchronise()]
def beside(patches, breakpoint):
    return [Write(patches[0].address - 1, b"xx", b"yy")]
def raising(patches, breakpoint):
    return 1 // 0
def leaving(patches, breakpoint):
    raise SystemExit(3)
def generator(patches, breakpoint):
    yield Synchronise()
def words(patches, breakpoint):
    return ["sync"]
class Shy:
    def __repr__(self):
        return 1 // 0
def shy(patches, breakpoint):
    return Shy()
def longer(patches, breakpoint):
    return [Write(patches[0].address, b"", b"yy")]
def many(patches, breakpoint):
    return [Synchronise()] * 1001
number = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "broken.py").write_text("x = (\n")
    return tmp_path


def test_a_protocol_of_a_file_is_found_from_the_scenarios_folder(folder: Path) -> None:
    path = folder / "own.race"
    path.write_text("scenario own\nprotocol own.py:hasty without 2\nplace 0 5\n")
    scenario = read(path)
    assert scenario.protocol_text == "own.py:hasty without 2"
    assert len(stages(scenario.steps(model_patches(scenario)))) == 1
    assert parse(format(scenario), path) == scenario
    alone = parse(format(scenario, files=False))
    assert alone.protocol_text == "write all new"
    assert alone.steps(model_patches(scenario)) == scenario.steps(model_patches(scenario))


FILE_ERRORS = {
    "own.py:beside": "2:10: the protocol cannot be performed: a write of 2 bytes at 0xffffffff81000fff is not within a site",
    "own.py:raising":
    "2:10: the protocol cannot be performed: raised ZeroDivisionError: integer division or modulo by zero (own.py, line 7)",
    "own.py:leaving": "2:10: the protocol cannot be performed: raised SystemExit: 3 (own.py, line 9)",
    "own.py:generator": "2:10: the protocol cannot be performed: returned no list of steps, but <generator object generator>",
    "own.py:shy": "2:10: the protocol cannot be performed: returned no list of steps, but something that is a Shy",
    "own.py:words": "2:10: the protocol cannot be performed: returned a list with 'sync', which is no step",
    "own.py:longer": "2:10: the protocol cannot be performed: writes 2 bytes over 0 at",
    "own.py:many": "2:10: the protocol has 1001 steps; at most 1000",
    "own.py:number": "2:10: number is no function; breakpoint, flush, stop_machine, pair, FILE.py:FUNCTION",
    "own.py:nosuch": "own.py has no nosuch; ",
    "own.py:": "own.py has no name after the colon; ",
    "own.py": "2:10: a function's name is needed, FILE.py:NAME; ",
    "gone.py:f": "gone.py: No such file or directory; ",
    "broken.py:f": "broken.py, line 1: '(' was never closed; ",
}


def test_a_protocol_has_not_very_many_changes() -> None:
    with pytest.raises(TextError) as caught:
        parse(f"scenario many\nprotocol breakpoint{' swap 1 2' * 5000}\n")
    assert str(caught.value) == "scenario:2:921: more than 100 changes of a protocol; fewer"


@pytest.mark.parametrize("protocol", FILE_ERRORS)
def test_what_is_wrong_with_a_protocol_of_a_file(protocol: str, folder: Path) -> None:
    path = folder / "own.race"
    path.write_text(f"scenario own\nprotocol {protocol}\n")
    with pytest.raises(TextError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:2:10: ")
    assert FILE_ERRORS[protocol] in str(caught.value) and "\n" not in str(caught.value)


NAMES = "breakpoint, flush, stop_machine, pair, FILE.py:FUNCTION, or nothing, and steps in indented lines below"
# Line 4, which is added to a scenario with two sites and a protocol; and the error message.
ERRORS = {
    "plase 1": "4:1: 'plase' is no word of a scenario; scenario, arch, place, change, old, new, calls, right, protocol, fails, "
    "handler, misses, nmi, irq, idle, into, nests, ist, in-handler, deaf, user, entry, hotplug, visits, cpus, stores, fetch, "
    "never, live, patcher or expect; did you mean place?",
    "user later": "4:6: 'later' is no value of `user`; watching, mode or task",
    "user mode now": "4:11: 'now' is one word too many; 'user' has one value",
    "hotplug never": "4:9: 'never' is no value of `hotplug`; none, free or locked",
    "nests 1": "4:7: '1' is one word too many; 'nests' has no value",
    "into 2": "4:1: 'into' a site of one instruction; there is nothing to jump to",
    "change nops > call\ninto 3": "5:6: '3' is no offset of an instruction within the old code; 2",
    "expect torn in": "4:15: '' is no number of events; a number from 1 to 1000",
    "expect torn in 3 in 4": "4:18: 'in' after 'torn'; nothing, or `on` and fetch models",
    "ist": "4:4: 'ist' has no value; at least one stack is needed",
    "ist irq": "4:5: 'irq' is no stack; nmi or breakpoint",
    "irq 3": "4:5: '3' is no site of the scenario; a number from 1 to 2",
    "idle": "4:5: 'idle' has no value; at least one site of the scenario is needed",
    "stores 3": "4:8: '3' is no size of a store that is seen whole; 1, 2, 4, 8, 16, 64 or whole",
    "old 90": "4:1: 'old' without `new`; `old` and `new` instead of `change`",
    "change call > nop\nold 90\nnew 91": "5:1: 'old' together with `change`; `old` and `new` instead of `change`",
    "old 9": "4:1: 'old' without `new`; `old` and `new` instead of `change`",
    "old 9\nnew 90": "4:5: '9' is no byte; two digits in hexadecimal",
    "old 90 90\nnew 90": "5:7: 1 bytes for a site of 2; as many as `old` has",
    "right eb 03 0f 1f 44 00": "4:24: 6 bytes; 1 to 5",
    "calls new": "4:1: 'calls' without `old` and `new`; `change` says what calls",
    "arch arm64": "4:6: 'arm64' is no architecture; x86_64, sparc64 or riscv64",
    "arch sparc64\nchange nops > call": "5:8: 'nops > call' is no change of sparc64; nop > call, call > call or call > nop; "
    "did you mean nop > call?",
    "change nop>call": "4:8: 'nop>call' is no change of x86_64; nop > call, call > call, call > nop or nops > call; "
    "did you mean nop > call or nops > call?",
    "change": "4:7: 'change' has no value; nop > call, call > call, call > nop, nops > call",
    "place 1": "4:1: 'place' again; it is in line 2",
    "fails 7": "4:7: '7' is no number for `fails`; a number from 1 to 6",
    "fails 0": "4:7: '0' is no number for `fails`; a number from 1 to 6",
    "handler retyr": "4:9: 'retyr' is no handler; emulate, skip, retry, die or wait; did you mean retry?",
    "handler": "4:8: 'handler' has no value; one value is needed",
    "handler skip die": "4:14: 'die' is one word too many; 'handler' has one value",
    "misses 3": "4:8: '3' is no site of the scenario; a number from 1 to 2",
    "nmi 0": "4:5: '0' is no site of the scenario; a number from 1 to 2",
    "nmi 1 1": "4:7: '1' again; once is enough",
    "entry 9": "4:7: '9' is no site of the scenario; a number from 1 to 2",
    "entry 1": "4:1: 'entry' without `user`; only a CPU that begins in user mode enters",
    "in-handler x": "4:12: 'x' is no site of the scenario; a number from 1 to 2",
    "misses": "4:7: 'misses' has no value; at least one site of the scenario is needed",
    "deaf 4": "4:6: '4' is no synchronisation or release; a number from 1 to 3",
    "visits 101": "4:8: '101' is no number for `visits`; a number from 0 to 100",
    "cpus 0": "4:6: '0' is no number for `cpus`; a number from 1 to 8",
    "cpus " + "9" * 5000: f"4:6: '{'9' * 37}...' is no number for `cpus`; a number from 1 to 8",
    "cpus \u0662": "4:6: '\u0662' is no number for `cpus`; a number from 1 to 8",
    "fetch word": "4:7: 'word' is no fetch model of x86_64; coherent, stale, torn1, torn8, torn16, torn64 or translation",
    "never trn": "4:7: 'trn' is no word for what may go wrong; torn, half, late, unknown-breakpoint, nested-breakpoint, skipped, "
    "freed, overwritten, stuck or starved; did you mean torn?",
    "fetch torn1\nexpect safe on torn8": "5:16: 'torn8' is no fetch model that is searched; torn1; did you mean torn1?",
    "expect": "4:7: 'expect' has no value; safe, unsafe, or what goes wrong",
    "expect fine":
    "4:8: 'fine' is no outcome of a search; safe, unsafe, torn, half, late, unknown-breakpoint, nested-breakpoint, "
    "skipped, freed, overwritten or stuck",
    "never torn\nexpect late": "5:8: 'late' is no outcome of a search; safe, unsafe or torn",
    "expect safe in stale": "4:13: 'in' after 'safe'; nothing, or `on` and fetch models",
    "expect safe on": "4:15: 'on' has no value; at least one fetch model",
    "expect safe\nexpect torn on stale": "5:16: a second expectation on stale; there is one for each fetch model",
    "expect safe on stale stale": "4:22: 'stale' again; once is enough",
    '"one"\n"two"': "5:1: a second sentence about the scenario; there is one",
    '"one': "4:1: the text does not end; it ends with another quotation mark, in its line",
    '"one" two': "4:7: 'two' is one word too many; '\"one\"' has one sentence",
    "    sync": "4:5: the line is indented; only steps below a `protocol` without a name are",
    "a\0b": "4:2: a NUL byte; a text has none",
}  # fmt: skip


@pytest.mark.parametrize("lines", ERRORS, ids=lambda lines: repr(lines)[:40])
def test_what_is_wrong_is_said_in_a_line(lines: str) -> None:
    with pytest.raises(TextError) as caught:
        parse(f"scenario x\nplace 0 5\nprotocol breakpoint\n{lines}\n", "wrong.race")
    assert str(caught.value) == f"wrong.race:{ERRORS[lines]}"


# Whole texts.
WHOLE_ERRORS = {
    "": "1:1: no scenario; its first line is `scenario NAME`",
    "# nothing\n": "2:1: no scenario; its first line is `scenario NAME`",
    "protocol flush\n": "1:1: no scenario; its first line is `scenario NAME`",
    "scenario\nprotocol flush": "1:9: the scenario has no name; `scenario NAME`",
    "scenario x\n": f"2:1: the scenario has no protocol; {NAMES}",
    "scenario x\nprotocol": f"2:9: 'protocol' has no value; {NAMES}",
    "scenario x\nprotocol brakpoint": f"2:10: 'brakpoint' is no protocol; {NAMES}; did you mean breakpoint?",
    "scenario x\narch sparc64\nprotocol breakpoint": f"3:10: sparc64 has no breakpoint for this protocol; {NAMES[12:]}",
    "scenario x\narch riscv64\nprotocol pair":
    f"3:10: 'nop > call' is no change of a pair, as this protocol needs; {NAMES.replace('pair, ', '')}",
    "scenario x\nchange half > pair\nprotocol pair":
    "2:8: 'half > pair' is no change of x86_64; nop > call, call > call, call > nop or nops > call",
    "scenario x\nprotocol flush without": "2:23: 'without' has no value; a number from 1 to 2",
    "scenario x\nprotocol flush without 3": "2:24: '3' is no stage of `flush`; a number from 1 to 2",
    "scenario x\nprotocol flush without 1 without 2": "2:34: '2' is no stage of `flush without 1`; 1",
    "scenario x\nprotocol flush swap 1": "2:16: 'swap' has 1 stages; two",
    "scenario x\nprotocol flush swap 2 2": "2:23: stage 2 again; once is enough",
    "scenario x\nprotocol flush backwards": "2:16: 'backwards' is no change of a protocol; without or swap",
    "scenario x\nprotocol flush\nplace": "3:6: 'place' has no value; an offset in a line for each site is needed",
    "scenario x\nprotocol flush\nplace 4096":
    "3:7: '4096' is no offset of a site of x86_64 in a page of 4096 bytes; a number from 0 to 4095",
    "scenario x\nprotocol flush\nplace 0 0 0 0 0 0 0 0 0": "3:23: 9 sites; at most 8",
    "scenario x\nprotocol flush\narch sparc64\nplace 6":
    "4:7: '6' is no offset of a site of sparc64 in a page of 4096 bytes; a multiple of 4 from 0 to 4092",
    "scenario x\nprotocol\n  synk":
    "3:3: 'synk' is no step; write, sync, park, release, free, wait-tasks, forget, know, lock or unlock; did you mean sync?",
    "scenario x\nprotocol\n  know 2": "3:8: '2' is no site of the scenario; 1",
    "scenario x\nprotocol\n  forget 1 1": "3:12: '1' is one word too many; 'forget' has a site's number or no value",
    "scenario x\nprotocol\n  write all new by": "3:17: 'by' has no value; widths of stores: 1, 2, 4, 8, 16",
    "scenario x\nprotocol\n  write all new by 3": "3:20: '3' is no width of a store; 1, 2, 4, 8 or 16",
    "scenario x\nprotocol\n  write all new by 4": "3:17: 'by': stores of 4 bytes for a part of 5; as many as the part needs",
    "scenario x\nprotocol\n  write all new by 8 1":
    "3:17: 'by': stores of 8 and 1 bytes for a part of 5; as many as the part needs",
    "scenario x\nprotocol\n  write by 8": "3:13: 'write' lacks a word; write, a site's number or nothing, a part, a value",
    "scenario x\nprotocol\n  sync 1": "3:8: '1' is one word too many; 'sync' has no value",
    "scenario x\nprotocol\n  write head": "3:13: 'write' lacks a word; write, a site's number or nothing, a part, a value",
    "scenario x\nprotocol\n  write 2 head new": "3:9: '2' is no site of the scenario; 1",
    "scenario x\nprotocol\n  write middle new":
    "3:9: 'middle': this is no part of a site; head, tail, all, or +A..B for the bytes A to B",
    "scenario x\nprotocol\n  write +3..5 new": "3:9: '+3..5': a site has no such bytes; +A..B with A <= B, from 0 to 4",
    "scenario x\nprotocol\n  write +4..3 new": "3:9: '+4..3': a site has no such bytes; +A..B with A <= B, from 0 to 4",
    "scenario x\nprotocol\n  write all breakpoint": "3:13: 'breakpoint': 1 bytes for a part of 5; as many as the part has",
    "scenario x\nprotocol\n  write head xx": "3:14: 'xx': this cannot be written; breakpoint, old, new, or bytes in hexadecimal",
    "scenario x\narch sparc64\nprotocol\n  write head new":
    "4:9: 'head': there is no head without a breakpoint; all, or +A..B for the bytes "
    "A to B",
}  # fmt: skip


@pytest.mark.parametrize("text", WHOLE_ERRORS, ids=lambda text: repr(text)[:60])
def test_what_is_wrong_with_a_whole_text(text: str) -> None:
    with pytest.raises(TextError) as caught:
        parse(text, "wrong.race")
    assert str(caught.value) == f"wrong.race:{WHOLE_ERRORS[text]}"


def test_files_that_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "x.race"

    def said() -> str:
        with pytest.raises(TextError) as caught:
            read(path)
        return str(caught.value).removeprefix(str(path))

    assert said() == ": cannot be read: No such file or directory"
    path.mkdir()
    assert said() == ": cannot be read: Is a directory"
    path.rmdir()
    path.write_bytes(b"scenario x\nprotocol \xffflush\n")
    assert said() == ":2:10: the byte 0xff is not UTF-8; a text is UTF-8"
    path.write_bytes(b"\xef\xbb\xbfscenario x\r\nprotocol \xffflush\r\n")
    assert said() == ":2:10: the byte 0xff is not UTF-8; a text is UTF-8"
    path.write_bytes(b"#" * 70_000)
    assert said() == ": is too long; at most 65,536 bytes"


def test_a_text_of_another_editor(tmp_path: Path) -> None:
    path = tmp_path / "x.race"
    path.write_bytes(codecs.BOM_UTF8 + b"scenario\tx\r\nprotocol breakpoint\r\n")
    assert read(path) == parse("scenario x\nprotocol breakpoint\n")
