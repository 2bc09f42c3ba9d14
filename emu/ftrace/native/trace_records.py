# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of tracing: the records that lead to each other.

    TraceArray      a trace array; it leads to all others
    ArrayCpu        ... on one CPU
    EventContext    the event that happens now, for what acts on it
    Event           an event of the guest's, or of a probe
    EventField      ... a field of it
    EventFile       ... in one trace array
    Consumer        what acts when an event happens, or a function is called
    Stages          memory in which entries are put together that something else than the guest makes
    Kprobes         what kprobes share
    Uprobes         what the probes in programs share
    Rethook         a return probe; RethookPool has a RethookNode for each call that one watches
    Places          a table of places in the kernel
    MaxLatency      what a latency tracer looks for, and has found
    Hardware        the event `hardware:sample`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.timing.record import MOST_COUNTERS
from emu.ftrace.native.filter_record import FilterStep
from emu.ftrace.native.guest_records import Hot, Task
from emu.ftrace.native.printed_events_record import PrintedEvents
from emu.ftrace.native.profile_record import FunctionProfile
from emu.ftrace.native.ring_record import Ring
from emu.ftrace.native.saved_cmdlines_record import SavedCmdlines
from emu.ftrace.native.stack_tracer_record import StackTracer
from emu.ftrace.native.trace_values import (
    COUNTER_NAME_SIZE,
    RETHOOK_NODES,
)
from emu.native.records import Bytes, Record, Records, Values, inline, u8, u32, u64


class TraceArray(Record):
    """What an array has for all CPUs."""

    direct_start: u64  # the direct map
    kernel_start: u64  # the kernel mapping, above it
    ram: u64  # host address of physical address 0
    ram_size: u64
    nowhere: u64  # address of a zeroed page, to which guest addresses outside RAM lead
    return_trampoline: u64
    rethook_trampoline: u64  # the one of return probes
    rethooks: RethookPool | None  # None: there was no return probe yet
    trampolines: u64  # where .ftrace.text begins
    trampolines_size: u64
    trap_entry: u64  # the function above whose frame is the struct pt_regs of what it has interrupted
    trap_entry_size: u64  # 0: there is none
    frameless: Values[u8]  # per byte of the kernel mapping: see KernelArch.without_frame
    clock_multiplier: u64  # nanoseconds = cycles * multiplier / divisor
    clock_divisor: u64
    counter: Values[u64]  # the counter of the counter clock, the same for all arrays
    saved_cmdlines: SavedCmdlines | None  # the table of command names; None: names are not kept
    saved_tgids: Values[u32] | None  # the thread group of each pid below PID_LIMIT, 0: unknown; None: they are not kept
    reader_vector: u64
    events: Values[Event | None]  # by number
    stage: u64  # address of memory in which entries of the guest's events are put together
    stages: Stages
    string_test: Callable[[FilterStep, Cpu, ArrayCpu, Bytes, u64], bool]  # tests strings for filters (native.filter_program)
    event_context: EventContext
    kprobes: Kprobes
    uprobes: Uprobes
    places: u64  # where .ftrace.tramp begins
    places_size: u64
    stands_for: Values[u64]  # of each of its places: the address of what is copied there; 0: nothing is
    tracing_thresh: u64  # nanoseconds; if not 0, each latency is kept that is as long, not only one that is longer
    hardware: Hardware  # if the board's timing model counts anything
    stack: Values[u64]  # room for STACK_LIMIT addresses, in which those of a stack are put together

    # Cycles that recording takes (emu.ftrace.tracers.tracer_cost); 0: none
    cost_entry: u64  # of each entry, in whatever way it is recorded
    cost_event: u64  # besides, of an event that is recorded
    cost_rejected: u64  # of an event that its filter leaves out
    cost_call: u64  # of a traced call, whether it is recorded or not
    cost_graph_call: u64  # the same of one that function_graph traces
    cost_graph_return: u64  # of its return
    cost_graph_rejected: u64  # of an entry of function_graph that its filter leaves out

    # What the array records
    cpus: Values[ArrayCpu]
    cpu_count: u64
    recording: bool  # 1: tracing is on
    held: bool  # 1: its triggers and commands do not act yet, see Recorder.held
    clock: u64  # one of the CLOCK_ constants
    clock_rate: u64  # of CLOCK_LINEAR: what it counts in a cycle
    clock_offset: u64  # nanoseconds, added to those since boot
    site_flags: Values[u8]  # flags per byte of the kernel mapping
    site_flags_size: u64
    probes: Places  # the sites with PROBED: their first consumers
    stack_tracer: StackTracer
    profiled_sites: Places  # the sites with PROFILED (see native.profiler)
    func_stacks: Callable[[Cpu, ArrayCpu], None] | None  # records the stack after each call
    # Whether a call (ip, parent_ip, and the word that its entry begins with) repeats the latest; None: all are recorded
    func_repeats: Callable[[Cpu, ArrayCpu, u64, u64, u64, u64], u64] | None
    event_stacks: Callable[[Cpu, ArrayCpu], None] | None  # the same for events, those in the event_context
    event_user_stacks: Callable[[Cpu, ArrayCpu], None] | None  # the same for the stacks of programs
    print_event: Callable[[Cpu, ArrayCpu], None] | None  # keeps each event to be printed (tp_printk)
    printed_events: PrintedEvents  # where it keeps them
    event_pids: bool  # 1: there is a set_event_pid or a set_event_notrace_pid
    pid_flags: Values[u8]  # of each pid below PID_LIMIT: PID_CHOSEN, PID_EXCLUDED, EVENTS_...
    only_chosen: bool  # 1: only pids with PID_CHOSEN are traced
    only_events_chosen: bool  # 1: only of pids with EVENTS_CHOSEN are events recorded
    follow_fork: u64  # flags of PID_FLAGS that a child gets from its parent, and an ended task loses
    asks_each: bool  # 1, in the top array's record: a call is recorded for each array that wants the site
    reader_waits: u64  # if not 0: the next event raises READER_VECTOR on its CPU, in this cycle or later (native.readers)
    graph_running: u64  # who is told of entries and returns: NOBODY, RECORDS or PROFILES
    max_depth: u64  # levels of calls that function_graph records; 0: all
    only_selected: bool  # 1: graphs begin at GRAPH_FUNCTION sites only
    hides: bool  # 1: there are GRAPH_NOTRACE sites
    skip_interrupts: bool  # 1: function_graph records nothing in hard interrupts
    sleep_time: bool  # 1: durations include the time a task was switched out
    graph_time: bool  # 1: those of the function profiler include the functions that were called
    max_latency: MaxLatency
    print_max: bool  # 1: the spare ring buffers keep the worst latency, and there are no snapshots
    take_snapshot: Callable[[Cpu, TraceArray], None]  # see tracing_snapshot.SnapshotHandlers
    take_snapshot_for_action: Callable[[Cpu, TraceArray], None]
    refuse_snapshot: Callable[[Cpu, TraceArray], None]  # says why there is none
    snapshot_reserved: bool  # 1: an action of a histogram takes the snapshots
    threshold: u64  # nanoseconds: function_graph records only returns of calls this long; 0: all, and entries
    graph_entry_filter: FilterStep | None  # of function_graph's entries
    graph_exit_filter: FilterStep | None  # of its returns

    # What native code reports to Python
    snapshot_refused: u64  # why the latest snapshot was not taken (native.tracing_snapshot); 0: it was
    mismatch: bool  # 1: a return did not match its entry
    mismatch_expected: u64  # the frame, the function and the return address of the entry on top; 0: there is none
    mismatch_function: u64
    mismatch_return: u64
    mismatch_frame: u64
    dump: u64  # in the top array's record: a command asks that buffers are printed: DUMP_..., or DUMP_CPU + a CPU's index


class ArrayCpu(Record):
    """What an array has for one CPU. A CPU's `callout` is that of the top array; `next` leads on to those of the instances."""

    ring: Ring
    spare_ring: Ring | None  # which a snapshot exchanges for it
    hot: Hot  # the CPU's struct pcpu_hot; at `nowhere` of the array, before the kernel uses the CPU
    array: TraceArray
    recorded: bool  # 1: an event was recorded since the last process switch
    ignored: u64  # bits that say why functions are not recorded
    events_ignored: u64  # the same for events
    pid: u64  # pid of the task that runs
    section_start: u64  # when the CPU's critical section began, by the trace's clock (Linux: preempt_timestamp)
    critical_start: u64  # where; 0: it is in none
    sequence: u64  # that of max_latency, when it began
    sections: ArrayCpu | None  # in the top array's: that of the array that looks for sections; None: none does
    graphs: ArrayCpu  # in the top array's: that of the array that records graphs, or may
    profile: Records[FunctionProfile]  # what the function profiler has counted on the CPU (native.profiler)
    last_ip: u64  # the latest call, while FUNC_REPEATS is set (Linux: struct trace_func_repeats); 0: there is none
    last_parent_ip: u64
    last_repeats: u64  # how often it has been repeated since
    last_time: u64  # when, the latest time
    next: ArrayCpu | None  # of the next array


class Entry(Record):
    """What every entry of a ring buffer begins with."""

    common: u64  # type, flags, preempt_count and pid (emu.ftrace.buffers.entries.ENTRY)


class EventContext(Record):
    """What consumers are told of the event that happens."""

    event: Event | None  # None: the host records the event itself
    entry: Bytes  # that is staged; at 0: a function was called
    size: u64  # bytes of the entry, a multiple of four
    newline: Values[u8] | None  # a byte that becomes a newline after consumers have looked at the entry
    place: u64  # where the CPU stands, and so where a backtrace begins
    ip: u64  # of a probe: the address that is probed; when a function returns, the function's
    return_ip: u64  # when a probed function returns: where to
    saved: u64  # of a probe: guest address of the struct pt_regs of a trap; 0: the registers are the CPU's
    registers: Values[u64]  # at the probe, in the host's byte order (Probing.registers)
    fill: Callable[[Cpu, EventContext], None] | None  # stores them there; None: they are there
    written: bool  # 1: the registers there have been changed, and the CPU is to go on with them
    goes_on_at: u64  # where the CPU goes on instead of at the called function; 0: there
    calls_first: u64  # what the CPU calls before it goes on there; 0: nothing


class Event(Record):
    """What native code knows of an event."""

    number: u64  # `common_type` of its entries
    files: EventFile | None  # of the first array; None: no array wants the event
    size: u64  # bytes of the part that the guest fills
    depth: u64  # is added to the preemption depth that entries show; or UNDERFLOWS
    irqs_off: bool  # 1: entries show interrupts off, whether they are or not
    swaps: Records[EventField]  # the numbers of the fixed part, if the guest's byte order is not the host's
    swap_count: u64
    dynamic: Records[EventField]  # the fields of variable length, in their order
    dynamic_count: u64
    by_syscall: Values[u64]  # by system call: the number of the event that it records, too; 0: none
    syscalls: u64  # how many
    first_pid: u64  # offset of a pid in the entry, by which set_event_pid may choose the event, too; 0: there is none
    second_pid: u64


class EventField(Record):
    """A field of an event's entries, or data of variable length behind its fields."""

    offset: u64  # of the field; NO_OFFSET: none says where the data is
    element: u64  # bytes of a number in it, or in the data that it leads to
    count: u64  # of numbers in it
    relative: bool  # 1: the offset of the data that it leads to is from the field's end


class EventFile(Record):
    """An event in one trace array."""

    next: EventFile | None  # the next array's of this event
    cpus: Values[ArrayCpu]  # of the array
    flags: u64  # entries are recorded if these are ENABLED and nothing else
    handler: Callable[[Cpu, EventFile], None] | None  # None: what `filter` keeps is recorded; else it does all instead
    filter: FilterStep | None  # None: every entry passes
    consumers: Consumer | None  # the first
    trigger_cond: bool  # 1: consumers act when the entry has its place in the ring buffer, not before it is recorded
    record_first: bool  # 1: what they do cannot change whether it is recorded; events that they make come after it


class Consumer(Record):
    """What acts when an event happens, or a function is called."""

    handler: Callable[[Cpu, Consumer], None]
    next: Consumer | None  # of the same event or function
    filter: FilterStep | None  # only entries that pass count; None: all do
    count: u64  # how often it still acts, or ALWAYS
    post: u64  # when it acts: BEFORE or AFTER the entry, or the call, has been recorded
    due: bool  # 1: its filter has kept the entry, and it acts after it has been recorded
    array: TraceArray  # on which it acts
    target: u64  # of what switches an event: address of its EventFile; of hist: of its Histogram
    record_stack: Callable[[Cpu, ArrayCpu], None]  # of stacktrace
    missed: u64  # of a return probe: how many calls had too many others under way to be watched
    paused: bool  # of hist: 1 while it does not act


class Stages(Record):
    """Memory in which entries are put together."""

    memory: u64  # address of STAGES times STAGE_SIZE bytes
    depth: u64  # how many are in use
    dropped: u64  # how many events found none
    put: Callable[[Cpu, Stages], None]  # gives the entry below to the arrays
    event: Event
    file: EventFile | None  # that alone gets it; None: all arrays that want it do
    entry: Bytes  # that is staged
    size: u64  # bytes, a multiple of four


class Kprobes(Record):
    """What kprobes share."""

    table: Places  # the instructions that breakpoints stand for: their Kprobes
    saved_offsets: Values[u64]  # where struct pt_regs has the registers that probes see
    fill_at_breakpoint: Callable[[Cpu, EventContext], None]  # stores them in `registers`
    fill_at_site: Callable[[Cpu, EventContext], None]  # at a call site: those before the function's first instruction
    write_at_site: Callable[[Cpu, EventContext], None]  # has the CPU go on with them


class Uprobes(Record):
    """What the probes in programs share."""

    consumers: Values[Consumer | None]  # of each probe, by number
    count: u64  # of these
    saved_offsets: Values[u64]  # where the registers are in struct pt_regs, if that says all
    fill: Callable[[Cpu, EventContext], None]  # stores a program's registers


class Rethook(Consumer):
    """A return probe. It begins as the consumer that acts at the entry of the function."""

    left: u64  # how many more calls may be under way at once
    at_return: Consumer | None  # what acts when a call returns; None: nothing does any more


class RethookNode(Record):
    """A call that a return probe watches: where it returns to instead of the trampoline.

    Nodes are known by number, from 1 on; a task has the number of its latest one in `task_struct.rethooks`.
    """

    next: u64  # number of the task's node before this one, or of the next free one; 0: there is none
    task: Task | None  # None: the node is free
    rethook: Rethook | None  # None: the probe is gone
    function: u64
    returns_to: u64  # what has been replaced; it may be the trampoline of function_graph or of return probes
    frame: u64  # identifies the call, as fp of struct ftrace_ret_stack does


class RethookPool(Record):
    """The nodes of all return probes."""

    free: u64  # number of a node that has been used and is free; 0: there is none
    used: u64  # the highest number that a node has had
    of_guest: Rethook  # of all calls that the guest itself watches
    nodes: Records[RethookNode] = inline(RETHOOK_NODES)  # number 1 is the first


class Place(Record):
    """A slot of a table of places."""

    offset: u64  # in the kernel mapping
    belonging: u64  # what belongs to the place: an address, or another number; 0: the slot is free


class Places(Record):
    """A table of places (`native.probes`)."""

    last: u64  # the last slot's number: one less than a power of two
    slots: Records[Place] = inline()


class MaxLatency(Record):
    """What a latency tracer looks for, and has found."""

    max_latency: u64  # nanoseconds: tracing_max_latency

    # What the spare ring buffers hold
    saved_latency: u64  # nanoseconds
    start: u64  # when it began, by the trace's clock: what is older belongs to something else
    cpu: u64
    pid: u64
    comm: Values[u8] = inline(16)
    static_prio: u64  # 120 + nice
    policy: u64
    rt_priority: u64
    critical_start: u64  # where the section was begun; 0: it is no section
    critical_end: u64

    # The latency tracer that is set
    enabled: bool  # 1: it looks for latencies (Linux: tracer_enabled)
    graph: bool  # 1: it records graphs (display-graph)
    sections: u64  # which critical sections it wants, of the bits below; 0: none
    sequence: u64  # how many sections were kept (Linux: max_sequence)
    keep: Callable[[Cpu, ArrayCpu], None]  # keeps a section (native.sections)


class CounterName(Record):
    characters: Values[u8] = inline(COUNTER_NAME_SIZE)


class Told(Record):
    """How much of each counter of a CPU samples have told."""

    counts: Values[u64] = inline(MOST_COUNTERS)


class Hardware(Record):
    """What native code knows of the event `hardware:sample`."""

    event: Event
    names: Records[CounterName] = inline(MOST_COUNTERS)
    told: Records[Told] = inline()  # of each CPU


def link(consumers: Sequence[Consumer]) -> Consumer | None:
    """Has each lead to the next. Returns the first."""
    following = None
    for one in reversed(consumers):
        one.next = following
        following = one
    return following
