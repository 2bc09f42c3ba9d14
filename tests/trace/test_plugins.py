# SPDX-License-Identifier: GPL-2.0-only
"""Events that trace-cmd's plug-ins print, compared byte for byte, with the fields in which kernels differ."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from emu.trace.report import ReportOptions
from tests.lib.event_formats import OLDER_FTRACE, format_file, with_formats
from tests.lib.trace_dat import Dat, Pages
from tests.trace.test_report import SYMBOLS, TEXT, entry, file, report, same_as_trace_cmd

__all__ = ["file"]  # a fixture

SWITCH = "16siiq16sii"
NO_BODY = '"its print fmt"'


def same(  # type: ignore[no-untyped-def]
    file, system: str, formats: Sequence[str], entries: Sequence[bytes], options: ReportOptions | None = None
) -> str:
    """The report of a file with these events, which must equal trace-cmd's."""
    pages = Pages()
    for n, data in enumerate(entries):
        pages.add(1000 + n, data)
    pages.flush()
    dat = Dat([pages.data], formats=with_formats(system, *formats), kallsyms=SYMBOLS, cmdlines="5 name\n")
    path: Path = file(dat.version7())
    same_as_trace_cmd(path, *(["-R"] if options and options.raw else []), options=options)
    return report(path, options).decode()


def switch(number: int, state: str = "long prev_state:32:8") -> str:
    shift = 0 if state.endswith("8") else -4
    return format_file(
        number, "sched_switch",
        ["char prev_comm[16]:8:16", "pid_t prev_pid:24:4", "int prev_prio:28:4", state,
         f"char next_comm[16]:{40 + shift}:16", f"pid_t next_pid:{56 + shift}:4", f"int next_prio:{60 + shift}:4"], NO_BODY,
    )  # fmt: skip


def wakeup(number: int, *more: str, name: str = "sched_wakeup") -> str:
    return format_file(number, name, ["char comm[16]:8:16", "pid_t pid:24:4", "int prio:28:4", *more], NO_BODY)


def test_every_plug_in_is_here() -> None:
    folder = Path("/usr/lib/x86_64-linux-gnu/traceevent/plugins")
    if not folder.is_dir():
        pytest.skip("libtraceevent is not installed (on Debian: apt-get install trace-cmd)")
    modules = {path.stem for path in Path("emu/trace/report/plugins").resolve().glob("*.py")}
    beside = {"function", "jbd2", "cfg80211", "xen"}  # the last three have only functions
    installed = {path.stem.removeprefix("plugin_") for path in folder.glob("*.so")}
    assert installed <= modules | beside


def test_wakeups_of_older_kernels_say_whether_they_had_success(file) -> None:  # type: ignore[no-untyped-def]
    formats = [
        wakeup(901, "int success:32:4", "int target_cpu:36:4"), wakeup(902, "int success:32:4", name="sched_wakeup_new"),
    ]  # fmt: skip
    entries = [entry(901, "16siiii", b"a task", -7, -1, success, cpu) for success, cpu in ((1, 1), (0, -1), (-1, 3))]
    text = same(file, "sched", formats, [*entries, entry(902, "16siii", b"a name without end", 7, 1, 1)])
    assert " success=1 CPU:001\n" in text and " success=1\n" in text


@pytest.mark.parametrize("state", ["long prev_state:32:8", "int prev_state:32:4"])
def test_a_state_of_any_size_does_not_change_the_style(state: str, file) -> None:  # type: ignore[no-untyped-def]
    """A report does not mix switches by print fmt with wakeups by the plug-in."""
    layout = SWITCH if state.endswith("8") else SWITCH.replace("q", "i")
    entries = [entry(903, layout, b"one", -10, -5, 1, b"two", -20, -6), entry(901, "16siii", b"two", 20, 1, 0)]
    text = same(file, "sched", [switch(903, state), wakeup(901, "int target_cpu:32:4")], entries)
    assert "one:4294967286 [-5] S ==> two:4294967276 [-6]" in text


def test_fields_that_are_missing_are_named(file) -> None:  # type: ignore[no-untyped-def]
    formats = [format_file(901, "sched_wakeup", ["short pid:8:2"], NO_BODY)]
    assert "<CANT FIND FIELD prio>" in same(file, "sched", formats, [entry(901, "h", 5)])
    formats = [format_file(901, "sched_wakeup", ["pid_t pid:8:4", "long prio:16:8"], NO_BODY)]
    same(file, "sched", formats, [entry(901, "i4xq", 5, -1)])


def test_lines_tell_the_names_of_tasks_that_were_not_saved(file) -> None:  # type: ignore[no-untyped-def]
    """The first name counts, from the next line on."""
    formats = [switch(903), wakeup(901, "int target_cpu:32:4")]

    def wakes(woken: int, name: bytes, by: int) -> bytes:
        return entry(901, "16siii", name, woken, 120, 0, pid=by)

    entries = [
        wakes(7, b"seven", 20), entry(903, SWITCH, b"ten", 10, 1, 1, b"twenty", 20, 1, pid=10),
        *(wakes(7, b"renamed", by) for by in (10, 20, 7, 7, 8, 0, 5)), wakes(5, b"other", 5), wakes(5, b"other", 5),
    ]  # fmt: skip
    text = same(file, "sched", formats, entries)
    assert "seven-7 " in text and "twenty-20 " in text and "<...>-20 " in text and "name-5 " in text
    assert "renamed-7 " not in text and "other-5 " not in text
    raw = same(file, "sched", formats, entries, ReportOptions(raw=True))
    assert "<...>-20 " in raw and "twenty-20 " not in raw


def test_names_that_are_not_shown_tell_nothing(file) -> None:  # type: ignore[no-untyped-def]
    formats = [switch(903), wakeup(901, "int target_cpu:32:4")]
    entries = [entry(901, "16siii", b"seven", 7, 120, 0), entry(903, SWITCH, b"other", 7, 1, 1, b"x", 8, 1, pid=7)]
    pages = Pages()
    for n, data in enumerate([*entries, entries[1]]):
        pages.add(1000 + n, data)
    pages.flush()
    path = file(Dat([pages.data], formats=with_formats("sched", *formats)).version7())
    lines = report(path, ReportOptions(events={"sched:sched_switch"})).decode().splitlines()[1:]
    assert [line.split("-")[0].strip() for line in lines] == ["<...>", "other"]


def test_older_messages(file) -> None:  # type: ignore[no-untyped-def]
    entries = [entry(5, "Q16s", TEXT, b"said\n"), entry(5, "Q16s", TEXT + 4, b"no end"), entry(18, "I8s", 0x42, b"raw")]
    for options in (None, ReportOptions(raw=True)):
        assert "said\n" in same(file, "ftrace", OLDER_FTRACE, entries, options)
    for conversion in ("%ps", "%pS", "%pf", "%pF"):  # the latter two are the older names
        print_fmt = f'"{conversion}: %s", (void *)REC->ip, REC->buf'
        older = format_file(5, "print", ["unsigned long ip:8:8", "char buf:16:0"], print_fmt)
        same(file, "ftrace", [older], entries)


def test_texts_that_end_in_a_newline(file) -> None:  # type: ignore[no-untyped-def]
    formats = [
        format_file(901, "first", ["int a:8:4", "char buf:12:0"], r'"%d %s", REC->a, REC->buf'),
        format_file(902, "second", ["int a:8:4", "char buf[8]:12:8"], r'"%d %s\n", REC->a, REC->buf'),
        format_file(903, "third", ["char buf[8]:8:8", "int a:16:4"], r'"%s %d", REC->buf, REC->a'),
    ]
    texts = (b"text", b"text\n", b"text\n\n")
    entries = [entry(number, "i8s", 7, text) for number in (901, 902) for text in texts] + [entry(903, "8si", texts[1], 9)]
    for options in (None, ReportOptions(raw=True)):
        same(file, "own", formats, entries, options)


_FUTEX = format_file(
    910, "sys_enter_futex",
    ["int __syscall_nr:8:4", "u32 * uaddr:16:8", "int op:24:8", "u32 val:32:8", "const struct __kernel_timespec * utime:40:8",
     "u32 * uaddr2:48:8", "u32 val3:56:8"],
    '"uaddr: 0x%08lx, op: 0x%08lx", ((unsigned long)(REC->uaddr)), ((unsigned long)(REC->op))',
)  # fmt: skip


def test_futex(file) -> None:  # type: ignore[no-untyped-def]
    operations = [*range(16), 128, 129, 256 + 128 + 9, 256 + 5, 512, 1 << 40]
    entries = [entry(910, "i4x6Q", 202, 0x7FFF1234, op, 5, 0x77, 1 << 39, 1 << 63) for op in operations]
    assert "op=FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME uaddr=" in same(file, "syscalls", [_FUTEX], entries)


_EXIT = ["unsigned int exit_reason:8:4", "unsigned long guest_rip:16:8", "u32 isa:24:4", "u64 info1:32:8", "u64 info2:40:8"]


def test_why_guests_are_left(file) -> None:  # type: ignore[no-untyped-def]
    numbers = [*range(0x100), *range(0x3F0, 0x410), 0xFFFFFFFF]
    entries = [entry(930, "I4xQI4xQQ", number, TEXT, isa, 5, 1 << 63) for isa in range(4) for number in numbers]
    assert "reason EXIT_HLT rip 0xffffffff81000000 info 5 8000000000000000\n" in same(
        file, "kvm", [format_file(930, "kvm_exit", _EXIT, NO_BODY)], entries
    )
    for fields in (_EXIT[:2], _EXIT[:4]):
        same(file, "kvm", [format_file(930, "kvm_exit", fields, NO_BODY)], entries[:20])


def test_guests_are_entered_and_emulated(file) -> None:  # type: ignore[no-untyped-def]
    entered = format_file(931, "kvm_entry", ["unsigned int vcpu_id:8:4", "unsigned long rip:16:8"], NO_BODY)
    emulated = format_file(
        932, "kvm_emulate_insn",
        ["__u64 rip:8:8", "__u32 csbase:16:4", "__u8 len:20:1", "__u8 insn[15]:21:15", "__u8 flags:36:1", "__u8 failed:37:1"],
        NO_BODY,
    )  # fmt: skip
    code = bytes(range(1, 16))
    entries = [entry(932, "QIB15sBB", TEXT, 0x10, length, code, 11, length & 1) for length in (1, 2, 14, 15)]
    same(file, "kvm", [entered, emulated], [entry(931, "I4xQ", 3, TEXT), *entries])


@pytest.mark.parametrize("name", ["kvm_nested_vmexit", "kvm_nested_vmexit_inject"])
def test_nested_guests(name: str, file) -> None:  # type: ignore[no-untyped-def]
    fields = ["__u64 rip:8:8", "__u32 exit_code:16:4", "__u64 exit_info1:24:8", "__u64 exit_info2:32:8",
              "__u32 exit_int_info:40:4", "__u32 exit_int_info_err:44:4", "__u32 isa:48:4"]  # fmt: skip
    entries = [entry(933, "QI4xQQIII", TEXT, 0x7C, 1, 2, 3, 4, isa) for isa in (1, 2)]
    same(file, "kvm", [format_file(933, name, fields, NO_BODY)], entries)


@pytest.mark.parametrize("name", ["kvm_mmu_get_page", "kvm_mmu_sync_page", "kvm_mmu_unsync_page", "kvm_mmu_zap_page"])
def test_page_tables_of_guests(name: str, file) -> None:  # type: ignore[no-untyped-def]
    fields = ["__u64 gfn:8:8", "__u32 role:16:4", "__u32 root_count:20:4", "bool unsync:24:1", "bool created:25:1"]
    roles = [0, 0xFFFFFFFF, *(1 << bit for bit in range(32))]
    entries = [entry(934, "QII??", 0x77, role, 2, bool(role & 1), not role & 2) for role in roles]
    same(file, "kvmmmu", [format_file(934, name, fields, NO_BODY)], entries)


def test_wireless_settings(file) -> None:  # type: ignore[no-untyped-def]
    fields = [
        "char wiphy_name[32]:8:32", "unsigned int vif_type:40:4", "__data_loc char[] vif_name:44:4", "bool assoc:48:1",
        "u16 aid:50:2", "bool cts:52:1", "bool shortpre:53:1", "bool shortslot:54:1", "u8 dtimper:55:1", "u16 bcnint:56:2",
        "u16 assoc_cap:58:2", "u32 basic_rates:60:4", "bool enable_beacon:64:1", "u16 ht_operation_mode:66:2",
    ]  # fmt: skip
    layout = "32sII?xH???BHHI?xH8s"
    entries = [
        entry(920, layout, b"phy0", kind, 68 | 6 << 16, True, 7, False, True, True, 3, 100, cap, cap, True, 5, b"wlan0")
        for kind, cap in ((2, 0x411), (0xFFFFFFFF, 0))
    ]
    same(file, "mac80211", [format_file(920, "drv_bss_info_changed", fields, NO_BODY)], entries)


def of_text(file, name: str, fields: Sequence[str], print_fmt: str, *entries: bytes) -> str:  # type: ignore[no-untyped-def]
    return same(file, "own", [format_file(940, name, fields, print_fmt)], entries)


def test_functions_that_print_fmts_call(file) -> None:  # type: ignore[no-untyped-def]
    numbers, data = ["dev_t dev:8:4", "unsigned long wait:16:8"], ["int a:8:4", "__data_loc u8[] ie:12:4"]
    times = '"dev %s wait %u %d", jbd2_dev_to_name(REC->dev), jiffies_to_msecs(REC->wait), jiffies_to_msecs(REC->wait)'
    assert " dev 8:3 wait 250 250\n" in of_text(file, "jbd2", numbers, times, entry(940, "I4xQ", 8 << 20 | 3, 250))
    same_bit = '"%d %d", is_writable_pte(REC->wait), is_writable_pte(REC->dev)'
    of_text(file, "mmu", numbers, same_bit, entry(940, "I4xQ", 4, 7), entry(940, "I4xQ", 2, 0))
    control = '"%x", __le16_to_cpup((const __le16 *)__get_dynamic_array(ie))'
    assert " 201\n" in of_text(file, "frame", data, control, entry(940, "II2s", 0, 16 | 2 << 16, b"\1\2"))
    calls = [entry(940, "I", number) for number in range(60)]
    of_text(file, "xen", ["unsigned int op:8:4"], '"op %u%s", REC->op, xen_hypercall_name(REC->op)', *calls)


_PARSE = '"(%s) %s", scsi_trace_parse_cdb(p, __get_dynamic_array(cmnd), REC->cmd_len), __print_hex(__get_dynamic_array(cmnd), 2)'


def test_commands_of_disks(file) -> None:  # type: ignore[no-untyped-def]
    """If a 4-byte number is 2^31 or more, trace-cmd also sets the bits above it; such numbers are tested below."""
    choose, blocks = random.Random(1), []
    for opcode in range(256):
        for variant in range(8):
            block = bytearray(byte & 0x7F for byte in choose.randbytes(32))
            block[0] = opcode
            if opcode == 0x9E:
                block[1] = choose.choice([0x10, 0x12, 0x11, 0xF0])
            if opcode == 0x7F:
                block[8:10] = 0, 7 + variant
            blocks.append(bytes(block))
    fields = ["unsigned int cmd_len:8:4", "__data_loc unsigned char[] cmnd:12:4"]
    entries = [entry(940, "II32s", 32, 16 | 32 << 16, block) for block in blocks]
    assert "READ_CAPACITY_16 lba=" in of_text(file, "scsi", fields, _PARSE, *entries)
    high = struct.pack(">BBIBHB", 0x28, 0, 0x80000000, 0, 8, 0)
    pages = Pages()
    pages.add(1000, entry(940, "II10s", 10, 16 | 10 << 16, high))
    pages.flush()
    dat = Dat([pages.data], formats=with_formats("own", format_file(940, "scsi", fields, _PARSE)))
    assert b"(lba=2147483648 txlen=8 protect=0)" in report(file(dat.version7()))
