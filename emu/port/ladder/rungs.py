# SPDX-License-Identifier: GPL-2.0-only
"""The ladder: all rungs, in order."""

from __future__ import annotations

from collections.abc import Sequence

from emu.port.ladder.rung import Rung

__all__ = ["RUNGS"]

_PROBES = ("ftrace.native.probe.build", "ftrace.native.rethook.build", "ftrace.native.uprobe.build")
_TRACING = ("ftrace.native.build", "ftrace.native.unwind.build", "ftrace.native.user.build", *_PROBES)
"""What the host compiles before the kernel boots."""

RUNGS: Sequence[Rung] = (
    Rung("state", "the host finds a CPU's state in Unicorn, resets it and shows it", "first.state"),
    Rung("hello", "a program executes, and calls the host", "first.hello"),
    Rung("slices", "steps and turns of any length execute the same, and time passes", "first.slices"),
    Rung("blocks", "what ends Unicorn's blocks, between which interrupts come", "first.blocks"),
    Rung("traps", "each trap comes to the guest's handler with its cause and address, and returns", "trapping.traps",
         parts=("CpuArch.repair",)),
    Rung("interrupts", "an interrupt is taken once, exactly where it may come", "trapping.interrupts"),
    Rung("sleep", "a CPU sleeps until an interrupt, and ends its turn when it waits", "trapping.sleep",
         parts=("NativeCpu.stop_interrupt", "cpu.native.takes_interrupt")),
    Rung("mmu", "a page is mapped and unmapped; the host's translation and the CPU's follow", "user_mode.mmu",
         parts=("NativeCpu.instructions",)),
    Rung("user", "a program runs without privileges; what it must not do traps", "user_mode.user",
         parts=("NativeCpu.stop_interrupt", "NativeCpu.instructions")),
    Rung("syscalls", "system calls and interrupts of a program come to the handler, and return", "user_mode.syscalls",
         parts=("NativeCpu.stop_interrupt", "NativeCpu.instructions")),
    Rung("page-faults", "faults have their cause and address, and can be repaired", "user_mode.page_faults",
         parts=("NativeCpu.stop_interrupt", "CpuArch.translate")),
    Rung("atomics", "atomic additions of two CPUs are not lost", "several_cpus.atomics", parts=("NativeCpu.block_hook",)),
    Rung("ipis", "a CPU interrupts another one", "several_cpus.ipis", parts=("cpu.native.takes_interrupt",)),
    Rung("stale-code", "a CPU keeps old code until it is told to forget it", "several_cpus.stale_code",
         parts=("NativeCpu.translator",)),
    Rung("timing", "timing models that follow a CPU charge what instructions take there", "first.timing", limit=600),
    Rung("link", "the kernel, modules and programs are built, and the host can read the image", "kernel.link", limit=900),
    Rung("boot", "the kernel boots on 1, 2 and 4 CPUs", "kernel.boot",
         parts=("CpuArch.translate", "NativeCpu.block_hook", "NativeCpu.instructions", "asm/irqflags.h", "asm/preempt.h",
                *_TRACING)),
    Rung("programs", "programs run: pipes, threads, signals, faults, memory, timers", "kernel.programs",
         parts=("interrupt handlers", "trap handlers", "system call entry", "page faults", "local_flush_tlb_page",
                "local_flush_tlb_mm", "asm/processor.h", "asm/preempt.h", "KernelArch.callers", "KernelArch.registers")),
    Rung("sites", "each entry of __mcount_loc is a call site as compiled", "sites.sites",
         ("mcount", "HAVE_FTRACE_MCOUNT_RECORD"), ("FtraceArch.profiler", "FtraceArch.call")),
    Rung("nops", "after the boot each site is a nop", "sites.nops", ("ftrace_make_nop", "ftrace_stub"), ("FtraceArch.nop",)),
    Rung("one-site", "one site becomes a call, which is traced, and a nop again", "sites.one_site", ("ftrace_make_call",),
         ("FtraceArch.call", "interrupt handlers")),
    Rung("protocols", "all sites change under load on 4 CPUs, by each protocol", "sites.protocols", ("ftrace_modify_call",),
         ("FtraceArch.call", "Callbacks.function_entry", "interrupt handlers")),
    Rung("function", "the function trace is what an independent log has seen", "tracing.function",
         parts=("Callbacks.function_entry", "asm/irqflags.h")),
    Rung("graph", "each call has its return, and returns go where they should", "tracing.graph",
         ("ftrace_graph_caller", "return_to_handler")),
    Rung("backtraces", "stacks are the same with and without replaced return addresses", "tracing.backtraces",
         ("HAVE_FUNCTION_GRAPH_RET_ADDR_PTR",),
         ("Callbacks.graph_entry", "trap entry", "FtraceArch.jump", "module_alloc", "apply_relocation")),
    Rung("fp-test", "a return in the wrong frame is detected, and the guest goes on", "tracing.fp_test",
         ("HAVE_FUNCTION_GRAPH_FP_TEST",), ("Callbacks.graph_return", "return_to_handler")),
    Rung("modules", "modules are loaded, relocated, traced and protected", "events.modules",
         parts=("arch_kretprobe_hook", "arch_kretprobe_returned", "kretprobe_trap", "Probing.instruction",
                "FtraceArch.direct_calls", "KernelArch.callers", "trap handlers", *_PROBES)),
    Rung("keys", "the branches of static keys follow them, under load on 4 CPUs", "events.keys", parts=("FtraceArch.protocols",)),
    Rung("events", "events, filters, histograms and latency tracers", "events.events",
         parts=("arch_local_irq_disable", "arch_local_irq_enable", "page faults", "ftrace.native.unwind.build",
                "KernelArch.saved_registers", "trap handlers", "asm/irqflags.h")),
    Rung("kprobes", "probes at sites and instructions see arguments and results", "probing.kprobes",
         ("HAVE_DYNAMIC_FTRACE_WITH_REGS",),
         ("KernelArch.saved_registers", "ftrace.native.unwind.build", "trap entry", "asm/stacktrace.h")),
    Rung("uprobes", "probes in programs, which do as without", "probing.uprobes",
         parts=("trap handlers", "page faults", "ftrace.native.probe.build")),
    Rung("syscall-metadata", "system calls have events with arguments and results", "events.syscall_metadata",
         ("HAVE_SYSCALL_TRACEPOINTS",), ("asm/syscall.h", "system call entry")),
    Rung("direct-calls", "modules have sites call their own functions", "probing.direct_calls",
         ("HAVE_DYNAMIC_FTRACE_WITH_DIRECT_CALLS",)),
    Rung("live-patching", "functions are replaced while CPUs call them", "probing.live_patching",
         ("HAVE_DYNAMIC_FTRACE_WITH_ARGS",), ("FtraceArch.keeps_arguments", "FtraceArch.jump", "Callbacks.function_entry")),
    Rung("race-lab", "the port's protocol is safe on model and machine, and litmus tests are as they say", "probing.race_lab",),
    Rung("suite", "the test suite of this architecture passes", "suite.suite", limit=3600),
)
