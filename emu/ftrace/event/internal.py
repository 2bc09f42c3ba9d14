# SPDX-License-Identifier: GPL-2.0-only
"""The events of the system `ftrace`, recorded by tracers and by the host itself. Their numbers are fixed, as in Linux.

Some tracers are threads of the guest, which fill in their entries themselves (firmware/include/linux/trace_entries.h).

`emu/ftrace/buffers/entries.py` has the layouts of the entries that the host records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from emu.ftrace.buffers.entries import EventType
from emu.ftrace.event.call import COMMON_SIZE, EventCall, EventKind, Field

__all__ = ["BLK", "GUEST_ENTRIES", "INTERNAL_EVENTS", "OF_TOP_ARRAY", "SYSTEM", "VALUED_EVENTS"]

SYSTEM = "ftrace"

_SIZES = {
    "char": 1, "unsigned char": 1, "u16": 2, "int": 4, "unsigned int": 4, "u32": 4, "long": 8, "unsigned long": 8,
    "unsigned long long": 8, "u64": 8, "s64": 8, "resource_size_t": 8, "const char *": 8,
}  # fmt: skip
_SIGNED = {"char", "int", "long", "s64"}

_SWITCH = (
    "unsigned int prev_pid", "unsigned int next_pid", "unsigned int next_cpu", "unsigned char prev_prio",
    "unsigned char prev_state", "unsigned char next_prio", "unsigned char next_state",
)  # fmt: skip
_SWITCH_FMT = (
    '"%u:%u:%u  {} %u:%u:%u [%03u]", REC->prev_pid, REC->prev_prio, REC->prev_state,'
    " REC->next_pid, REC->next_prio, REC->next_state, REC->next_cpu"
)
_STACK_DEPTH = 8  # callers declared in `format`; an entry has as many as it needs
_CALLERS = f"unsigned long[{_STACK_DEPTH}] caller"
_CALLERS_FMT = (
    r'"\t=> %ps\n\t=> %ps\n\t=> %ps\n" "\t=> %ps\n\t=> %ps\n\t=> %ps\n" "\t=> %ps\n\t=> %ps\n", '
    + ", ".join(f"(void *)REC->caller[{n}]" for n in range(_STACK_DEPTH))
)  # fmt: skip


def _event(name: str, number: int, declarations: tuple[str, ...], print_fmt: str) -> EventCall:
    fields = tuple(_fields(declarations))
    size = -(-max(field.offset + field.size for field in fields) // 4) * 4
    return EventCall(SYSTEM, name, number, fields, print_fmt, size, EventKind.FTRACE)


def _fields(declarations: tuple[str, ...]) -> Iterator[Field]:
    """The fields, from declarations `TYPE NAME`, each aligned to its size."""
    offset = COMMON_SIZE
    for declaration in declarations:
        type_, _, name = declaration.rpartition(" ")
        base, bracket, rest = type_.partition("[")
        element = _SIZES[base]
        count = int(rest.removesuffix("]") or 0) if bracket else 1
        offset = -(-offset // element) * element
        yield Field(type_, name, offset, element * count, base in _SIGNED, element if bracket else 0)
        offset += element * count


INTERNAL_EVENTS = (
    _event("function", 1, ("unsigned long ip", "unsigned long parent_ip"),
           '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
    _event("context_switch", 2, _SWITCH, _SWITCH_FMT.format("==>")),
    _event("wakeup", 3, _SWITCH, _SWITCH_FMT.format("==+")),
    _event("kernel_stack", 4, ("int size", _CALLERS), _CALLERS_FMT),
    _event("print", 5, ("unsigned long ip", "char[] buf"), '"%ps: %s", (void *)REC->ip, REC->buf'),
    _event("bprint", 6, ("unsigned long ip", "const char * fmt", "u32[] buf"), '"%ps: %s", (void *)REC->ip, REC->fmt'),
    _event("mmiotrace_rw", 7,
           ("resource_size_t phys", "unsigned long value", "unsigned long pc", "int map_id", "unsigned char opcode",
            "unsigned char width"),
           '"%lx %lx %lx %d %x %x", (unsigned long)REC->phys, REC->value, REC->pc, REC->map_id, REC->opcode, REC->width'),
    _event("mmiotrace_map", 8,
           ("resource_size_t phys", "unsigned long virt", "unsigned long len", "int map_id", "unsigned char opcode"),
           '"%lx %lx %lx %d %x", (unsigned long)REC->phys, REC->virt, REC->len, REC->map_id, REC->opcode'),
    _event("branch", 9, ("unsigned int line", "char[31] func", "char[21] file", "char correct", "char constant"),
           '"%u:%s:%s (%u)%s", REC->line, REC->func, REC->file, REC->correct, REC->constant ? " CONSTANT" : ""'),
    _event("funcgraph_exit", 10,
           ("unsigned long func", "int depth", "unsigned int overrun", "unsigned long long calltime",
            "unsigned long long rettime"),
           '"<-- %ps (%d) (start: %llx  end: %llx) over: %d", '
           "(void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth"),
    _event("funcgraph_entry", 11, ("unsigned long func", "int depth"), '"--> %ps (%d)", (void *)REC->func, REC->depth'),
    _event("user_stack", 12, ("unsigned int tgid", _CALLERS), _CALLERS_FMT),
    _event("bputs", 14, ("unsigned long ip", "const char * str"), '"%ps: %s", (void *)REC->ip, REC->str'),
    _event("hwlat", 15,
           ("u64 duration", "u64 outer_duration", "u64 nmi_total_ts", "s64 tv_sec", "long tv_nsec",
            "unsigned int nmi_count", "unsigned int seqnum", "unsigned int count"),
           r'"cnt:%u\tts:%010llu.%010lu\tinner:%llu\touter:%llu\tcount:%d\tnmi-ts:%llu\tnmi-count:%u\n", '
           "REC->seqnum, REC->tv_sec, REC->tv_nsec, REC->duration, REC->outer_duration, REC->count, "
           "REC->nmi_total_ts, REC->nmi_count"),
    _event("osnoise", 16,
           ("u64 noise", "u64 runtime", "u64 max_sample", "unsigned int hw_count", "unsigned int nmi_count",
            "unsigned int irq_count", "unsigned int softirq_count", "unsigned int thread_count"),
           r'"noise:%llu\tmax_sample:%llu\thw:%u\tnmi:%u\tirq:%u\tsoftirq:%u\tthread:%u\n", '
           "REC->noise, REC->max_sample, REC->hw_count, REC->nmi_count, REC->irq_count, REC->softirq_count, "
           "REC->thread_count"),
    _event("timerlat", 17, ("unsigned int seqnum", "int context", "u64 timer_latency"),
           r'"seq:%u\tcontext:%d\ttimer_latency:%llu\n", REC->seqnum, REC->context, REC->timer_latency'),
    _event("raw_data", 18, ("unsigned int id", "char[] buf"), '"id:%04x %08x", REC->id, (int)REC->buf[0]'),
    _event("func_repeats", 19,
           ("unsigned long ip", "unsigned long parent_ip", "u16 count", "u16 top_delta_ts", "u32 bottom_delta_ts"),
           r'" %ps <-%ps\t(repeats:%u  delta: -%llu)", (void *)REC->ip, (void *)REC->parent_ip, REC->count, '
           "(((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)"),
)  # fmt: skip

_VALUED = (
    _event("function", 1, ("unsigned long ip", "unsigned long parent_ip", "unsigned long[] args"),
           '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
    _event("funcgraph_exit", 10,
           ("unsigned long func", "unsigned long retval", "unsigned int depth", "unsigned int overrun",
            "unsigned long long calltime", "unsigned long long rettime"),
           '"<-- %ps (%u) (start: %llx  end: %llx) over: %u retval: %lx", '
           "(void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth, REC->retval"),
    _event("funcgraph_entry", 11, ("unsigned long func", "unsigned int depth", "unsigned long[] args"),
           '"--> %ps (%u)", (void *)REC->func, REC->depth'),
)  # fmt: skip
_VALUED_BY_NUMBER = {call.number: call for call in _VALUED}

VALUED_EVENTS: Sequence[EventCall] = [_VALUED_BY_NUMBER.get(call.number, call) for call in INTERNAL_EVENTS]
"""The same, of a kernel whose calls' arguments and return values can be recorded: as in Linux 6.15."""

# Linux has no `format` file for it, so no file names it.
BLK = _event("blk", 13,
             ("u64 time", "u64 sector", "u32 bytes", "u32 action", "u32 pid", "u32 device", "u32 cpu", "u16 error", "u16 pdu_len",
              "char[] pdu"), "")  # fmt: skip

# Entries filled in by the guest. A last field without a size, such as `char[] buf`, is the data passed along with the entry.
_FILLED_BY_GUEST = frozenset({"branch", "mmiotrace_rw", "mmiotrace_map", "hwlat", "osnoise", "timerlat"})
_CALLS = (
    BLK,
    *(call for call in INTERNAL_EVENTS if call.name in _FILLED_BY_GUEST),
    _event("kernel_stack", 4, ("int size", "unsigned long[] caller"), ""),  # timerlat's, with any number of callers
)
GUEST_ENTRIES: Mapping[int, EventCall] = {call.number: call for call in _CALLS}
OF_TOP_ARRAY = (EventType.BLK, EventType.MMIO_RW, EventType.MMIO_MAP)  # with any tracer
