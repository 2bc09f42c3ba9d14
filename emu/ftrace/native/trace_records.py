# SPDX-License-Identifier: GPL-2.0-only
"""The records of tracing, shared by native code and Python. They are linked to each other.

    TraceArray      a trace array; it links to all others
    ArrayCpu        ... on one CPU
    EventContext    the current event, for everything that acts on it
    Event           an event of the guest or of a probe
    EventField      ... a field of it
    EventFile       ... in one trace array
    Consumer        acts when an event happens or a function is called
    Stages          memory for entries that are not made by the guest
    Kprobes         what kprobes share
    Uprobes         what uprobes share
    Rethook         a return probe; RethookPool has a RethookNode for each watched call
    Places          a table of places in the kernel
    MaxLatency      what a latency tracer measures, and its result
    Hardware        the event `hardware:sample`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.timing.record import MOST_COUNTERS
from emu.ftrace.native.awaited_returns_record import AwaitedReturns
from emu.ftrace.native.call_stacks_record import CallStacks
from emu.ftrace.native.filter_record import FilterStep
from emu.ftrace.native.guest_records import Hot, Task
from emu.ftrace.native.orc_record import OrcTables
from emu.ftrace.native.printed_events_record import PrintedEvents
from emu.ftrace.native.profile_record import FunctionProfile
from emu.ftrace.native.ring_record import Ring
from emu.ftrace.native.saved_cmdlines_record import SavedCmdlines
from emu.ftrace.native.stack_tracer_record import StackTracer
from emu.ftrace.native.trace_values import (
    COUNTER_NAME_SIZE,
    PT_REGS_WORDS,
    RETHOOK_NODES,
)
from emu.ftrace.native.wakeup_record import Wakeup
from emu.native.records import Bytes, Record, Records, Values, inline, u8, u32, u64


class TraceArray(Record):
    """An array's state for all CPUs."""

    direct_start: u64  # the direct map
    kernel_start: u64  # the kernel mapping, above it
    ram: u64  # host address of physical address 0
    ram_size: u64
    nowhere: u64  # address of a zeroed page, used for guest addresses outside RAM
    # The host address of other addresses that the kernel maps, up to the end of their pages; None: it maps no others
    translate: Callable[[TraceArray, u64], u64] | None
    page_table: u64  # the RAM address of the kernel's page table, for that function
    call_stacks: CallStacks  # the tasks' calls under way, if they are the host's (native.call_stacks)
    orc: OrcTables  # how its stacks are unwound, if that is known by ORC tables (native.orc_record)
    returned: Callable[[Cpu, u64], None]  # called where a watched call returns to, if the host looks from outside; it calls:
    graph_returned: Callable[[Cpu, u64], None] | None  # ... function_graph's (native.call_stacks); None: it watches no calls
    probes_returned: Callable[[Cpu, u64], None] | None  # ... that of return probes (native.awaited_returns); None: likewise
    programs_returned: Callable[[Cpu, u64], None] | None  # ... that of return probes of programs; None: likewise
    awaited: AwaitedReturns | None  # the calls whose returns probes await; None before the first such probe
    return_trampoline: u64
    rethook_trampoline: u64  # the trampoline of return probes
    rethooks: RethookPool | None  # None before the first return probe
    trampolines: u64  # start of .ftrace.text
    trampolines_size: u64
    trap_entry: u64  # the function with the interrupted code's struct pt_regs above its frame
    trap_entry_size: u64  # 0: there is none
    frameless: Values[u8]  # one per byte of the kernel mapping: see KernelArch.without_frame
    clock_multiplier: u64  # nanoseconds = cycles * multiplier / divisor
    clock_divisor: u64
    counter: Values[u64]  # the value of the counter clock, shared by all arrays
    saved_cmdlines: SavedCmdlines | None  # the table of names; None: names are not saved
    saved_tgids: Values[u32] | None  # thread group of each pid below PID_LIMIT, 0: unknown; None: not saved
    reader_vector: u64
    events: Values[Event | None]  # by number
    stage: u64  # address of the memory for putting together entries of the guest's events
    stages: Stages
    string_test: Callable[[FilterStep, Cpu, ArrayCpu, Bytes, u64], bool]  # tests strings for filters (native.filter_program)
    event_context: EventContext
    kprobes: Kprobes
    uprobes: Uprobes
    places: u64  # start of .ftrace.tramp
    places_size: u64
    stands_for: Values[u64]  # for each of its places: the address of which it has a copy; 0: none
    tracing_thresh: u64  # nanoseconds; if not 0, every latency of at least this length is kept, not only longer ones
    hardware: Hardware  # present if the board's timing model counts
    with_results: bool  # 1: function_graph's entries of returns have room for what the call returned (ValuedReturnEntry)
    stack: Values[u64]  # room for STACK_LIMIT addresses, for putting together a stack trace

    # Cycles that recording takes (emu.ftrace.tracers.tracer_cost); 0: none
    cost_entry: u64  # of each entry, however it is recorded
    cost_event: u64  # in addition, of a recorded event
    cost_rejected: u64  # of an event that its filter rejects
    cost_call: u64  # of a traced call, recorded or not
    cost_graph_call: u64  # the same for function_graph
    cost_graph_return: u64  # of its return
    cost_graph_rejected: u64  # of an entry of function_graph that its filter rejects

    # What the array records
    cpus: Values[ArrayCpu]
    cpu_count: u64
    recording: bool  # 1: tracing is on
    held: bool  # 1: its triggers and commands are suspended, see Recorder.held
    clock: u64  # one of the CLOCK_ constants
    clock_rate: u64  # of CLOCK_LINEAR: units per cycle
    clock_offset: u64  # nanoseconds, added to the time since boot
    site_flags: Values[u8]  # flags, one byte per byte of the kernel mapping
    site_flags_size: u64
    probes: Places  # the sites with PROBED and their first consumers
    stack_tracer: StackTracer
    profiled_sites: Places  # the sites with PROFILED (see native.profiler)
    func_stacks: Callable[[Cpu, ArrayCpu], None] | None  # records a stack trace after each call
    # Whether a call (ip, parent_ip, and the first word of its entry) repeats the latest one; None: all calls are recorded
    func_repeats: Callable[[Cpu, ArrayCpu, u64, u64, u64, u64], u64] | None
    event_stacks: Callable[[Cpu, ArrayCpu], None] | None  # the same for events, which are in the event_context
    event_user_stacks: Callable[[Cpu, ArrayCpu], None] | None  # the same for user stacks
    print_event: Callable[[Cpu, ArrayCpu], None] | None  # keeps each event for printing (tp_printk)
    printed_events: PrintedEvents  # the kept events
    event_pids: bool  # 1: set_event_pid or set_event_notrace_pid has a list
    pid_flags: Values[u8]  # of each pid below PID_LIMIT: PID_CHOSEN, PID_EXCLUDED, EVENTS_...
    only_chosen: bool  # 1: only pids with PID_CHOSEN are traced
    only_events_chosen: bool  # 1: events are only recorded for pids with EVENTS_CHOSEN
    follow_fork: u64  # the PID_FLAGS that a child inherits, and that are cleared when a task ends
    asks_each: bool  # 1, in the top array's record: calls are recorded for each array that traces the site
    reader_waits: u64  # if not 0: the next event raises READER_VECTOR on its CPU, in this cycle or later (native.readers)
    graph_running: u64  # who gets entries and returns: NOBODY, RECORDS or PROFILES
    max_depth: u64  # the number of call levels that function_graph records; 0: all
    only_selected: bool  # 1: graphs only start at GRAPH_FUNCTION sites
    hides: bool  # 1: there are GRAPH_NOTRACE sites
    skip_interrupts: bool  # 1: function_graph records nothing in hard interrupts
    sleep_time: bool  # 1: durations include the time for which a task was switched out
    graph_time: bool  # 1: the function profiler's times include called functions
    function_values: u64  # bytes behind an entry of the function tracer: ARGUMENTS or nothing (native.call_values)
    graph_values: u64  # the same, of function_graph's entries of calls: ARGUMENTS, ARGUMENTS_AND_RETURN or nothing
    max_latency: MaxLatency
    wakeup: Wakeup  # the wakeup that a tracer follows, if functions of the kernel tell of it
    print_max: bool  # 1: the spare ring buffers keep the worst latency, and no snapshots can be taken
    take_snapshot: Callable[[Cpu, TraceArray], None]  # see tracing_snapshot.SnapshotHandlers
    take_snapshot_for_action: Callable[[Cpu, TraceArray], None]
    refuse_snapshot: Callable[[Cpu, TraceArray], None]  # reports why none can be taken
    snapshot_reserved: bool  # 1: a histogram's action has reserved the snapshot
    threshold: u64  # nanoseconds: function_graph only records returns of calls this long; 0: all returns, and entries
    graph_entry_filter: FilterStep | None  # for function_graph's entries
    graph_exit_filter: FilterStep | None  # for its returns

    # Reports to Python
    snapshot_refused: u64  # why the latest snapshot was not taken (native.tracing_snapshot); 0: it was taken
    mismatch: bool  # 1: a return did not match its entry
    mismatch_expected: u64  # the frame, the function and the return address of the top entry; 0: there is none
    mismatch_function: u64
    mismatch_return: u64
    mismatch_frame: u64
    dump: u64  # in the top array's record: a command requests a dump of buffers: DUMP_..., or DUMP_CPU + a CPU's index


class ArrayCpu(Record):
    """An array's state for one CPU. A CPU's `callout` is the top array's; `next` links to those of the instances."""

    ring: Ring
    spare_ring: Ring | None  # swapped with `ring` by a snapshot
    hot: Hot  # the CPU's struct pcpu_hot; the array's `nowhere` before the kernel uses the CPU
    array: TraceArray
    recorded: bool  # 1: an event was recorded since the last task switch
    ignored: u64  # reasons for not recording functions, as bits
    events_ignored: u64  # the same for events
    pid: u64  # the current task's pid
    task: u64  # the task whose calls the host looks at, in the guest
    calls: u64  # ... address of its `Calls`
    stack: u64  # ... the lowest address of its stack, in the guest
    stack_page: u64  # ... a page of a stack, in the guest
    stack_host: u64  # ... and in the host
    section_start: u64  # when the CPU's critical section started, in the trace clock's time (Linux: preempt_timestamp)
    critical_start: u64  # where it started; 0: there is no section
    sequence: u64  # max_latency's sequence at that time
    sections: ArrayCpu | None  # in the top array's record: that of the array that traces sections; None: none does
    off: u64  # if sections are seen from outside (native.watched_sections): what was off at the CPU's latest block
    block: u64  # ... the block's address
    trapped: u64  # ... the CPU's `trapped` at that time
    place: u64  # ... where the latest section started or ended
    is_entry: bool  # ... an interrupt or an exception had come before that block
    wakeups: ArrayCpu | None  # in the top array's record: that of the array that follows wakeups by functions
    graphs: ArrayCpu  # in the top array's record: that of the array that records graphs, or may
    profile: Records[FunctionProfile]  # the function profiler's counts on the CPU (native.profiler)
    last_ip: u64  # the latest call, while FUNC_REPEATS is set (Linux: struct trace_func_repeats); 0: none
    last_parent_ip: u64
    last_repeats: u64  # how many times it has been repeated since
    last_time: u64  # the time of the last repetition
    next: ArrayCpu | None  # the next array's


class Entry(Record):
    """The head of an entry in a ring buffer."""

    common: u64  # type, flags, preempt_count and pid (emu.ftrace.buffers.entries.ENTRY)


class EventContext(Record):
    """The current event, for consumers."""

    event: Event | None  # None: the host records the event itself
    entry: Bytes  # the staged entry; address 0: a function was called
    size: u64  # bytes of the entry, a multiple of four
    newline: Values[u8] | None  # a byte that becomes a newline after consumers have read the entry
    place: u64  # where the CPU is, and thus where a backtrace starts
    ip: u64  # of a probe: the probed address; at a function's return, the function
    return_ip: u64  # at a probed function's return: the return address
    saved: u64  # of a probe: guest address of a trap's struct pt_regs; 0: the registers are the CPU's
    registers: Values[u64]  # at the probe, in the host's byte order (Probing.registers)
    fill: Callable[[Cpu, EventContext], None] | None  # stores them there; None: they are stored already
    written: bool  # 1: the registers there have been changed, and the CPU must continue with them
    goes_on_at: u64  # address at which the CPU continues instead of the called function; 0: none
    calls_first: u64  # address that the CPU calls before it continues; 0: none


class Event(Record):
    """Native code's record of an event."""

    number: u64  # `common_type` of its entries
    files: EventFile | None  # of the first array; None: no array uses the event
    size: u64  # bytes of the part filled in by the guest
    depth: u64  # added to the preemption depth in entries; or UNDERFLOWS
    irqs_off: bool  # 1: entries always show interrupts as off
    swaps: Records[EventField]  # the numbers of the fixed part, if the guest's byte order is not the host's
    swap_count: u64
    dynamic: Records[EventField]  # the variable-length fields, in order
    dynamic_count: u64
    by_syscall: Values[u64]  # by system call number: the number of the event to record in addition; 0: none
    syscalls: u64  # size of that table
    first_pid: u64  # offset of a pid in the entry by which set_event_pid may also select the event; 0: none
    second_pid: u64


class EventField(Record):
    """A field of an event's entries, or variable-length data after its fields."""

    offset: u64  # of the field; NO_OFFSET: no field has the data's location
    element: u64  # bytes of a number in it, or in its data
    count: u64  # of numbers in it
    relative: bool  # 1: its data's offset counts from the field's end


class EventFile(Record):
    """An event in one trace array."""

    next: EventFile | None  # the next array's file of this event
    cpus: Values[ArrayCpu]  # of the array
    flags: u64  # entries are recorded if only ENABLED is set
    handler: Callable[[Cpu, EventFile], None] | None  # None: what `filter` passes is recorded; else it does all instead
    filter: FilterStep | None  # None: all entries pass
    consumers: Consumer | None  # the first consumer
    trigger_cond: bool  # 1: consumers act after the entry is reserved in the ring buffer, rather than before recording
    record_first: bool  # 1: they cannot affect whether it is recorded; events that they generate come after it


class Consumer(Record):
    """An action for when an event happens or a function is called."""

    handler: Callable[[Cpu, Consumer], None]
    next: Consumer | None  # of the same event or function
    filter: FilterStep | None  # only entries that pass count; None: all do
    count: u64  # how many more times it acts, or ALWAYS
    post: u64  # whether it acts BEFORE or AFTER the entry or call is recorded
    due: bool  # 1: its filter has passed the entry, and it acts after recording
    array: TraceArray  # the array on which it acts
    target: u64  # of commands that switch an event: address of its EventFile; of hist: of its Histogram
    record_stack: Callable[[Cpu, ArrayCpu], None]  # of stacktrace
    missed: u64  # of a return probe: calls that were not watched because too many others were
    paused: bool  # of hist: 1 while it is paused


class Stages(Record):
    """Memory for putting together entries."""

    memory: u64  # address of STAGES times STAGE_SIZE bytes
    depth: u64  # number of stages in use
    dropped: u64  # number of events that found no stage
    put: Callable[[Cpu, Stages], None]  # passes the entry below to the arrays
    event: Event
    file: EventFile | None  # the only file that gets it; None: all arrays that use the event
    entry: Bytes  # the staged entry
    size: u64  # bytes, a multiple of four


class Kprobes(Record):
    """What kprobes share."""

    table: Places  # the instructions replaced by breakpoints, and their Kprobes
    saved_offsets: Values[u64]  # offsets in struct pt_regs of the registers that probes see
    fill_at_breakpoint: Callable[[Cpu, EventContext], None]  # stores them in `registers`
    fill_at_site: Callable[[Cpu, EventContext], None]  # at a call site: those before the function's first instruction
    write_at_site: Callable[[Cpu, EventContext], None]  # makes the CPU continue with them


class Uprobes(Record):
    """What uprobes share."""

    consumers: Values[Consumer | None]  # of each probe, by number
    count: u64  # of these
    saved_offsets: Values[u64]  # offsets of the registers in struct pt_regs, if they are all there
    fill: Callable[[Cpu, EventContext], None]  # stores a program's registers
    program: Values[u64] = inline(PT_REGS_WORDS)  # at PLACE_PROGRAM: those that an unwinder needs, as a struct pt_regs


class Rethook(Consumer):
    """A return probe. It begins with the consumer that acts at the function's entry."""

    left: u64  # how many more calls can be watched at once
    at_return: Consumer | None  # acts when a call returns; None: nothing does any more


class RethookNode(Record):
    """A call watched by a return probe: where it returns to instead of the trampoline.

    Nodes are identified by number, from 1 on. A task has its latest node's number in `task_struct.rethooks`.
    """

    next: u64  # number of the task's next older node, or of the next free one; 0: none
    task: Task | None  # None: the node is free
    rethook: Rethook | None  # None: the probe is gone
    function: u64
    returns_to: u64  # the replaced address, which may be a trampoline of function_graph or of return probes
    frame: u64  # identifies the call, like fp of struct ftrace_ret_stack


class RethookPool(Record):
    """The nodes of all return probes."""

    free: u64  # number of a freed node; 0: none
    used: u64  # the highest number used so far
    of_guest: Rethook  # for all calls that the guest itself watches
    nodes: Records[RethookNode] = inline(RETHOOK_NODES)  # the first one has number 1


class Place(Record):
    """A slot of a table of places."""

    offset: u64  # in the kernel mapping
    belonging: u64  # the value of the place: an address or another number; 0: the slot is free


class Places(Record):
    """A table of places (`native.probes`)."""

    last: u64  # index of the last slot: a power of two minus one
    slots: Records[Place] = inline()


class MaxLatency(Record):
    """What a latency tracer measures, and its result."""

    max_latency: u64  # nanoseconds: tracing_max_latency

    # The contents of the spare ring buffers
    saved_latency: u64  # nanoseconds
    start: u64  # when it started, in the trace clock's time: older events belong to something else
    cpu: u64
    pid: u64
    comm: Values[u8] = inline(16)
    static_prio: u64  # 120 + nice
    policy: u64
    rt_priority: u64
    critical_start: u64  # where the section started; 0: it is not a section
    critical_end: u64

    # The current latency tracer
    enabled: bool  # 1: it measures latencies (Linux: tracer_enabled)
    graph: bool  # 1: it records graphs (display-graph)
    sections: u64  # the critical sections that it measures, of the bits below; 0: none
    sequence: u64  # number of sections kept (Linux: max_sequence)
    keep: Callable[[Cpu, ArrayCpu], None]  # keeps a section (native.sections)


class CounterName(Record):
    characters: Values[u8] = inline(COUNTER_NAME_SIZE)


class Told(Record):
    """The part of each counter of a CPU that samples have reported."""

    counts: Values[u64] = inline(MOST_COUNTERS)


class Hardware(Record):
    """Native code's record of the event `hardware:sample`."""

    event: Event
    names: Records[CounterName] = inline(MOST_COUNTERS)
    told: Records[Told] = inline()  # of each CPU


def link(consumers: Sequence[Consumer]) -> Consumer | None:
    """Links consumers to each other. Returns the first one."""
    following = None
    for one in reversed(consumers):
        one.next = following
        following = one
    return following
