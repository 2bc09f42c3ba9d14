# SPDX-License-Identifier: GPL-2.0-only
"""The records of a board, its CPUs, and a CPU's translated blocks, shared by native code and Python.

Native code gets a CPU's record through hooks' user pointers and CPUState.opaque. `emu.cpu.internals` finds the offsets of members
in Unicorn's own structures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from emu.cpu.native.heap_record import Heap
from emu.cpu.native.history_record import History
from emu.cpu.native.known_blocks_record import KnownBlocks
from emu.cpu.native.timing.cache_records import SharedCaches
from emu.cpu.native.timing.profile_record import Profile
from emu.cpu.native.timing.record import Timing
from emu.cpu.native.timing.summary_record import Tables
from emu.native.records import Bytes, GuestRecord, Record, Records, Shape, Values, i32, inline, u16, u32, u64

if TYPE_CHECKING:
    from emu.cpu.internals import CpuStructures

__all__ = [
    "Block", "Board", "Callout", "Callouts", "Cpu", "CpuState", "DisasContext", "Label", "Listener", "ListenerTable", "Operand",
    "Operation", "Point", "StringCost", "TranslationBlock", "Translator", "TranslatorContext", "Uc", "shapes",
]  # fmt: skip

HOST_CALL_COUNT = 64
WATCHED_COUNT = 2048

VECTORS = 256
ARGUMENT_COUNT = 4
HOOK_ARGUMENT_COUNT = 4
TRANSLATION_BUFFER = 64 << 20  # bytes of translated code a CPU may hold
BLOCK_COUNT = TRANSLATION_BUFFER // 256  # a TranslationBlock and its code take more bytes than that
NEVER = u64(0xFFFF_FFFF_FFFF_FFFF)  # a time that is never reached

INSTRUCTION_COUNT = 4
OPENING_COUNT = 8
NOTICED_COUNT = 16
# Of TranslatorOps: its functions, and the index of translate_insn. Of DisasContextBase: the offset of pc_next.
OPERATION_COUNT, TRANSLATE, CONTEXT_PC_NEXT = 7, 4, 16

# Values of Cpu.status
OFF, RUNNING, HALTED = u64(0), u64(1), u64(2)
STOPPED = u64(3)  # halted with interrupts off
HELD = u64(8)  # is added to one of these: the CPU gets no turns

# Values of Cpu.request
NO_REQUEST, HOST_CALL_REQUEST, STOP_REQUEST = u64(0), u64(1), u64(2)


class Board(Record):
    """State that a board's CPUs share."""

    ram: u64  # host address
    ram_size: u64
    heap: Heap  # the active heap while a CPU executes
    decode: Callable[[Cpu, Block], None]  # stores a block's cost, given its size and place
    known: KnownBlocks | None  # the costs of other blocks; None: `decode` is called for each
    cpus: Values[Cpu]
    cpu_count: u64
    callouts: Callouts  # the virtual addresses at which blocks have a host function
    grow_callouts: Callable[[Cpu, u64], None]  # makes that table larger; its argument is 0
    listeners: ListenerTable  # the virtual addresses of instructions before which host functions run
    named_listeners: ListenerTable  # the same for programs' instructions, by the names of their pages plus the offset there
    name_page: Callable[[Cpu, u64], None] | None  # stores a RAM page's name in `page_name`; None: programs have no listeners
    page_names: u64  # the record of that function's data
    looked_at_start: u64  # virtual addresses: start of the range in which all blocks call the block hook
    looked_at_end: u64
    at_each_block: Callable[[Cpu, u64], None] | None  # called before each block in that range
    at_other_block: Callable[[Cpu, u64], None] | None  # ... before each block that calls the hook for another reason
    host_calls: Values[Callable[[Cpu, u64], None] | None]  # one per host call, called with its number; None: Python answers
    quantum: u64
    random: u64  # state of the generator that varies the length of turns
    current: u64  # index of the CPU whose turn it is
    interrupted: bool  # whether its turn is not over: it was stopped for Python, and goes on
    longest_turn: u64  # cycles, if nothing else ends it
    limit: u64  # cycles: no turn begins at or after this time
    vector_start: u64  # first vector that the architecture can deliver
    vector_end: u64
    direct_start: u64  # virtual address at which all of physical memory is mapped
    kernel_start: u64  # virtual address at which the kernel's text maps physical 0
    pace: u64  # cycles: the quantum while CPUs contend for cache lines; 0: they do not
    timing_tables: Tables  # of a timing model with state: blocks' summaries, and states
    timing_shared: SharedCaches  # ... and the state that CPUs share
    ipi_time: u64  # cycles from sending an inter-processor interrupt to its arrival
    settle: Callable[[Cpu, u64], None] | None  # called when a turn has ended; its argument is 0
    profile: Callable[[Cpu, u64], None] | None  # called when a block begins at an address: counts so far belong to earlier blocks
    profile_record: Profile  # the data of that function
    wanted: bool  # whether another thread wants Python to act, so turns end
    sample: Callable[[Cpu, u64], None] | None  # called if the block at an address contains a sample point
    page_count: u64  # of RAM, in pages of `code_pages`
    coherent_code: bool  # whether CPUs see changes of code; otherwise the guest has to tell them
    fenced_code: bool  # whether a CPU sees them from its next fence on
    code_drops: u64  # how often a CPU has dropped its translations of a page because somebody wrote to it
    devices: u64  # the record of the board's devices, whose type the board knows; 0: none
    history: History | None  # of a machine that stops and goes back; None: it does not


class Callout(Record):
    """Host functions for an address at which blocks begin, in the order in which they are called."""

    place: u64  # virtual address; 0: the slot is free
    returned: Callable[[Cpu, u64], None] | None  # (cpu, address): a call may have returned there
    noticed: Callable[[Cpu, u64], None] | None  # (cpu, address): the host follows the guest's state by it
    handler: Callable[[Cpu, u64], None] | None  # (cpu, argument)
    argument: u64


class Callouts(Record):
    """A hash table of callouts (`callouts`)."""

    last: u64  # index of the last slot: a power of two minus one
    used: u64  # slots
    watched: Values[u64] = inline(WATCHED_COUNT)  # some addresses that have `returned`, each in the slot of its hash
    watched_in_programs: Values[u64] = inline(WATCHED_COUNT)  # some of programs, with the RAM there, likewise
    slots: Records[Callout] = inline()


class Listener(Record):
    """A host function that runs before an instruction is executed."""

    handler: Callable[[Cpu, u64], None] | None  # (cpu, argument); None: it does not listen any more
    argument: u64
    next: Listener | None  # at the same place


class Point(Record):
    """A place with listeners."""

    place: u64  # 0: the slot is free
    first: Listener | None


class ListenerTable(Record):
    """A hash table of points (`listeners`)."""

    last: u64  # index of the last slot: a power of two minus one
    used: u64  # slots
    slots: Records[Point] = inline()


class Block(Record):
    """A CPU's data about a block that it has translated (`block_record`)."""

    cycles: u64  # the block's cost, or UNKNOWN, or a StringCost
    size: u32  # in bytes
    instructions: u32
    summary: u64  # offset of a timing model's summary (summary_record); 0: none
    place: u64  # RAM address of its code


class StringCost(Record):
    """The cost of a block whose last instruction is repeated. As a number it is later than any deadline."""

    cycles: u16  # without the repetitions
    offset: u16  # of that instruction, in bytes from the block's beginning
    description: u16  # of that instruction, for the architecture's hook
    mark: u16  # the upper bits of `block_record.STRING`


class Uc(GuestRecord):
    """struct uc_struct"""

    cpu: CpuState
    stop_interrupt: u64  # bool (*)(uc, exception)


class CpuState(GuestRecord):
    """CPUState"""

    opaque: u64  # a pointer that is free for our use: the CPU's record; 0 if it is not a board's CPU
    exception_index: i32
    cflags_next_tb: u32  # maximum of instructions in the next block; all ones: no maximum


class TranslationBlock(GuestRecord):
    """TranslationBlock"""

    pc: u64  # start address
    size: u16  # in bytes
    instructions: u16


class TranslatorContext(GuestRecord):
    """TCGContext"""

    uc: Uc


class DisasContext(GuestRecord):
    """DisasContextBase, with which every architecture's DisasContext begins: the state of a translation"""

    pc_next: u64  # address of the instruction that is translated next


Operation: TypeAlias = Callable[[DisasContext, CpuState], None]
"""A function in TranslatorOps. Not all have these arguments; only translate_insn is called."""


class Operand(Record):
    """TCGTemp"""


class Label(Record):
    """TCGLabel"""


def shapes(at: CpuStructures) -> dict[type[Record], Shape]:
    """The layouts of Unicorn's structures."""
    return {
        Uc: Shape({"cpu": at.uc_cpu, "stop_interrupt": at.uc_stop_interrupt}),
        CpuState: Shape(
            {
                "opaque": at.cpu_opaque,
                "exception_index": at.cpu_exception_index,
                "cflags_next_tb": at.cpu_cflags_next_tb,
            }
        ),
        TranslationBlock: Shape({"pc": 0, "size": 20, "instructions": 22}),
        TranslatorContext: Shape({"uc": at.translator.context_uc}),
        DisasContext: Shape({"pc_next": CONTEXT_PC_NEXT}),
    }


class Translator(Record):
    """Changes of Unicorn's translator for all CPUs of an architecture: addresses of its functions and of ours."""

    hooks: u64  # helper_uc_tracecode, which calls all hooks: Unicorn calls it if there are others besides the block hook
    exit_check: u64  # helper_check_exit_request, which the translator calls after each access to memory
    instructions: Values[u64] = inline(INSTRUCTION_COUNT)  # helpers of instructions that the block hook executes (see translator)
    openings: Values[u64] = inline(OPENING_COUNT)  # helpers after which a CPU may take interrupts that it did not take before
    noticed: Values[u64] = inline(NOTICED_COUNT)  # helpers whose calls are preceded by code of the architecture
    translate: Operation  # the architecture's translate_insn, which translates an instruction
    translate_listened: Operation  # ours, which takes its place if there are listeners
    operations: Values[Operation] = inline(OPERATION_COUNT)  # TranslatorOps: the architecture's functions, and ours


class Cpu(Record):
    """A CPU's record, shared by native code and Python."""

    uc: Uc
    state: CpuState
    env: u64  # CPUArchState *: the architecture's Env
    board: Board
    index: u64
    status: u64
    cycles: u64
    deadline: u64  # when `cycles` reaches it, the block hook checks what is due
    turn_end: u64
    timer: u64  # the local timer's deadline
    timer_period: u64  # cycles until its next deadline; 0: it is one-shot
    timer_vector: u64
    arrival: u64  # the earliest of `arrivals`
    request: u64  # the reason why Python must act before the CPU continues
    host_call: u64  # the number of the host call for Python to answer
    stepping: bool  # whether exact stepping is on
    steps: u64  # blocks that may still start in exact stepping
    goal: u64  # the turn ends before the block with which `instructions` would reach it; or NEVER
    goal_block: Block | None  # that block, once the turn has ended so
    shown: bool  # whether blocks of one instruction are not accounted: an instruction in the midst of a block is shown
    shows_first: bool  # ... and it is the first one of its block, at which host functions run
    instructions: u64  # instructions in the blocks that have started
    pending_count: u64
    priority: u64  # only vectors above it are taken: those of an interrupt controller's higher priorities
    nmi: bool  # whether one is pending
    nmi_arrival: u64  # when one that was sent becomes pending, or NEVER
    location: Values[u64]  # env's program counter
    taken: u64  # the number of delivered interrupts
    trapped_at: u64  # the value of `instructions` when it took its latest trap
    trapped: u64  # the number of interrupts and exceptions that came while interrupts were on, of architectures that count
    arguments: Values[u64] = inline(ARGUMENT_COUNT)  # of a host call
    result: u64
    pending: Values[u64] = inline(VECTORS // 64)  # one bit per vector
    callout: u64  # free for the layer above: its own record of this CPU
    arrivals: Values[u64] = inline(VECTORS)  # one word per vector: when it becomes pending, or NEVER
    next_location: Values[u64]  # env's next program counter, or `location` again
    resume: u64  # the next program counter at the start of the turn; 0 once the architecture has restored it
    nmi_timer: u64  # the watchdog timer's deadline, at which an NMI becomes pending
    smi_next: u64  # when the next SMI is due, or NEVER
    smi_period: u64  # cycles from one to the next
    smi_length: u64  # cycles that each of them takes
    block: u64  # virtual address of the block that is being translated, or whose cost is requested
    string: u64  # virtual address of the latest repeated string instruction
    string_begun: u64  # the value of `instructions` at that time
    timing: Timing  # of a timing model with state; absent otherwise
    trap_time: u64  # parts of a cycle that a trap takes in such a model
    block_hook: u64  # called by translated blocks (see `translator`)
    slept: u64  # the cycles during which it was halted
    devices: u64  # the record of the CPU's own devices, whose type the board knows; 0: none
    cycle_counter: Values[u64] | None  # a register that follows `cycles`
    translator: Translator  # the architecture's
    code_pages: Bytes  # one per page of RAM: whether the CPU has translated code of it (`code_pages`)
    old_code: u64  # where fenced code is: as much memory as RAM has, for the code of STALE pages
    written_page: u64  # the page of the latest store that was slow
    deaf: bool  # for the study of races: its fences do nothing
    fetched: u64  # the code that the translator has read last, where an architecture needs it
    told: u64  # the place at which listeners were called last (`listeners`)
    told_at: u64  # the value of `instructions` at that time
    rewritten: u64  # what `instructions` will be in the block that repeats a store which has changed its own block
    flushed: bool  # whether its translations were all dropped since the turn began, because the buffer was full
    translates_shown: bool  # whether a block of an instruction that is shown is being translated
    translated: Block | None  # the block whose translation is about to start; None: it has started
    stale: bool  # whether some of its pages may be STALE (`code_pages`)
    context: TranslatorContext  # of the translation under way
    program_page: u64  # the address of the page of a program that it has come to
    page_name: u64  # ... and its name, a multiple of the page size; 0: there are no listeners
    leaves: bool  # whether its next block must not be what the last one jumps to: a dropped block goes on jumping to itself
    hook_arguments: Values[Operand] = inline(HOOK_ARGUMENT_COUNT)  # of the call whose code is being emitted
    first_tb: TranslationBlock | None  # the first in the buffer
    blocks_used: u64
    blocks: Records[Block] = inline(BLOCK_COUNT)  # one per TranslationBlock in the buffer
