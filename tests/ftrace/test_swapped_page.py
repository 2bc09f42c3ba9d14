# SPDX-License-Identifier: GPL-2.0-only
"""trace_pipe_raw and snapshot_raw: pages that the guest's own programs can read, whatever their byte order."""

from __future__ import annotations

import re
import struct
from itertools import product
from random import Random
from typing import Literal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu import arch as cpu_arch
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.buffers.swapped_page import swapped_page
from emu.ftrace.event.call import COMMON_SIZE, EventCall, Field, format_text
from emu.ftrace.event.internal import INTERNAL_EVENTS
from emu.ftrace.tracefs.events_directory import HEADER_EVENT, HEADER_PAGE
from emu.machine import Machine
from tests.ftrace.event.golden_events import golden_calls
from tests.guest.test_modules import MODULES
from tests.lib.booted_machine import booted_machine
from tests.lib.raw_events import RawEvent, RawReader, Value

# The events that a machine records


EVENTS = ("sched/sched_switch", "sched/sched_waking", "syscalls/sys_enter_openat", "syscalls/sys_exit_openat")
SYSTEMS = ("ftrace", "probes", "sample_events")


def reader_of(machine: Machine, order: Literal["little", "big"]) -> RawReader:
    tracefs = machine.tracefs
    inside = [f"{system}/{event}" for system in SYSTEMS for event in tracefs.listdir(f"events/{system}")]
    events = [*EVENTS, *(event for event in inside if not event.endswith(("/enable", "/filter")))]
    formats = [tracefs.read(f"events/{event}/format") for event in events]
    return RawReader(order, tracefs.read("events/header_page"), tracefs.read("events/header_event"), formats)


def is_told(event: RawEvent, line: str) -> bool:
    """Whether a line of `trace` belongs to an event, and agrees with its fields."""
    seconds, microseconds = map(int, re.findall(r" (\d+)\.(\d+): ", line)[0])
    assert (event.time + 500) // 1000 == seconds * 1_000_000 + microseconds
    told = line.split(": ", 1)[1]

    def shows(name: str, value: Value) -> bool:
        match value:
            case list():
                return all(f"<{number:016x}>" in told or f"{number:x}" in told for number in value)
            case bytes():
                return value.partition(b"\0")[0].decode().rstrip("\n") in told or value.hex(" ").rstrip("0 ") in told
        return any(re.search(rf"\b{text}\b", told) for text in (f"{value}", f"(0x)?0*{value % (1 << 64):x}", f"{name}=.*"))

    hidden = ("common_", "__syscall_nr", "prev_state", "next_state", "fmt", "str", "size", "fruit", "flags")
    return all(shows(name, value) for name, value in event.fields.items() if not name.startswith(hidden))


RECORD = f"""
echo 1 > options/func_stack_trace; echo 'vfs_open do_filp_open' > set_ftrace_filter
echo 'p:probes/opened do_sys_openat2 dfd=$arg1:s32 name=+0($arg2):ustring low=+0($arg2):x16' > kprobe_events
echo 'r:probes/returned do_sys_openat2 file=$retval' >> kprobe_events
insmod {MODULES}/sample_events.ko
echo 'probes sample_events {' '.join(EVENTS).replace('/', ':')}' > set_event
echo sym-addr > trace_options; echo function > current_tracer
insmod {MODULES}/sample_printk.ko count=2; cat /etc/passwd > /dev/null
echo 3 > /sys/module/sample_events/parameters/rounds
echo 'a marker' > trace_marker; printf '\\001\\002\\003\\004abc' > trace_marker_raw
usleep 20000
echo 1 > snapshot
cat /etc/passwd > /dev/null; echo 'another marker' > trace_marker
echo 0 > tracing_on
"""


def test_a_program_reads_in_pages_what_the_trace_says(arch: str) -> None:
    order = cpu_arch.load(arch).byte_order
    with booted_machine(arch, cpus=2) as machine:
        assert machine.run(f"cd /sys/kernel/tracing; {RECORD}").status == 0
        reader = reader_of(machine, order)
        formats = dict(re.findall(r'^(0x\w+) : "(.*)\\n"$', machine.tracefs.read("printk_formats"), re.MULTILINE))
        seen = set()
        for cpu, (file, text_file) in product((0, 1), (("snapshot_raw", "snapshot"), ("trace_pipe_raw", "trace"))):
            text = re.sub(r"\n(?= => )", " ", machine.tracefs.read(f"per_cpu/cpu{cpu}/{text_file}"))
            lines = [line for line in text.splitlines() if line and not line.startswith("#")]
            pages = machine.tracefs.read_pieces(f"per_cpu/cpu{cpu}/{file}")
            for event, line in zip((event for page in pages for event in reader.events(page)), lines, strict=True):
                if event.name == "bprint":
                    arguments = struct.unpack_from("<2i" if order == "little" else ">2i", event.fields.pop("buf"))
                    assert formats[hex(event.fields["fmt"])] % arguments in line
                assert is_told(event, line), (event, line)
                seen.add((text_file, event.name))
        assert seen >= {("trace", "function"), ("trace", "kernel_stack"), ("trace", "print")} | {
            ("snapshot", name) for name in (
                "function", "kernel_stack", "opened", "returned", "sample_basket", "sample_lists", "bprint", "bputs", "print",
                "raw_data", "sched_switch", "sched_waking", "sys_enter_openat", "sys_exit_openat",
            )
        }  # fmt: skip


# Any fields that can be recorded

FIELDS = [
    ("u8", 1, 0), ("u16", 2, 0), ("int", 4, 0), ("unsigned long", 8, 0), ("char[16]", 16, 1), ("u32[3]", 12, 4),
    ("u64[2]", 16, 8), ("__data_loc char[]", 4, 1), ("__data_loc u16[]", 4, 2), ("__data_loc u64[]", 4, 8),
    ("__rel_loc u32[]", 4, 4),
]  # fmt: skip


@st.composite
def made_up_events(draw: st.DrawFn) -> list[EventCall]:
    """Some events with fields of all kinds, without gaps, like those of probes."""
    calls = []
    for number in range(60_000, 60_003):
        offset, fields = COMMON_SIZE, []
        for index, (type_, size, element) in enumerate(draw(st.lists(st.sampled_from(FIELDS), max_size=6))):
            fields.append(Field(type_, f"field{index}", offset, size, index % 2 == 0, element))
            offset += size
        calls.append(EventCall("made", "up", number, fields, '""', offset))
    return calls


def entry_of(call: EventCall, random: Random) -> bytes:
    entry = bytearray(np.uint16(call.number).tobytes() + random.randbytes(call.size - 2))
    for field in call.fields:
        if field.is_dynamic:
            data = random.randbytes(field.number_size * random.randrange(5))
            start = len(entry) - (field.offset + field.size if field.type.startswith("__rel_loc") else 0)
            entry[field.offset : field.offset + 4] = np.uint32(start | len(data) << 16).tobytes()
            entry += data
    if call.name in ("kernel_stack", "print", "raw_data"):
        entry += random.randbytes(8 * random.randrange(30))
    return bytes(entry)


@settings(max_examples=15, deadline=None)
@given(made_up_events(), st.integers(0, 1 << 32), st.integers(0, 3))
def test_a_swapped_page_says_the_same(made_up: list[EventCall], seed: int, consumed: int) -> None:
    random = Random(seed)
    calls = {call.number: call for call in (*golden_calls().values(), *INTERNAL_EVENTS, *made_up)}
    chosen = random.choices([*made_up, *INTERNAL_EVENTS, *random.sample([*calls.values()], 30)], k=random.randrange(1, 100))
    ring, time = RingBuffer(0, 2), 0
    for call in chosen:
        time += random.choice((0, 1, 1000, 1 << 27, 1 << 40))
        assert ring.write(time, entry_of(call, random))
    ring.discard(min(consumed, ring.peek()[1]))
    formats = [format_text(call) for call in {*chosen}]

    def reader(order: Literal["little", "big"]) -> RawReader:
        return RawReader(order, HEADER_PAGE, HEADER_EVENT, formats)

    while (page := ring.read_page()) is not None:
        before, swapped = page.tobytes(), swapped_page(page, calls).tobytes()
        assert list(reader("big").events(swapped)) == list(reader("little").events(before))
        assert reader("big").lost(swapped) == reader("little").lost(before)
