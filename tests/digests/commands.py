# SPDX-License-Identifier: GPL-2.0-only
"""The commands with digests of their traces and guest output. None lists /bin or shows an address: any program changes those."""

from __future__ import annotations

from dataclasses import dataclass

from emu.architectures import ARCHITECTURES

__all__ = ["COMMANDS", "Command"]


@dataclass(frozen=True)
class Command:
    """One command: arguments of `emu`, and its standard input."""

    name: str
    arguments: tuple[str, ...]
    stdin: str = ""


def _run(name: str, arguments: str, line: str) -> Command:
    return Command(name, ("run", *arguments.split(), "--", line))


def _session(name: str, arguments: str, *lines: str) -> Command:
    return Command(name, ("shell", *arguments.split()), "".join(f"{line}\n" for line in lines))


_TRACING = "cd /sys/kernel/tracing"

_EVERYWHERE = (
    _run("nop", "-p nop --cpus 1", "echo hello; exit 3"),
    _run("function", "-p function --cpus 1", "echo hello | wc -c"),
    _run("function, filtered", "-p function -l vfs_* -l schedule -n vfs_fstat* --cpus 4", "busy 4 2"),
    _run("graph", "-p function_graph -O funcgraph-proc", "echo hello | sed s/l/L/g"),
    _run(
        "graph, selected",
        "-p function_graph -g sys_pipe2 -g schedule --set max_graph_depth=4 -O nofuncgraph-irqs -O funcgraph-proc",
        "ls / | sed s/[aeiou]/z/g",
    ),
    _run(
        "graph, many CPUs",
        "-p function_graph -g run_local_timers -O funcgraph-proc --cpus MANY",
        "busy 4 1",
    ),
    _run("stop_machine", "-p function --patching stop_machine --seed 7 --quantum 200 --cpus 4", "busy 4 1"),
    _run("lost events", "-p function -b 8 --cpus 2", "for i in 1 2 3; do cat /proc/self/stat | wc -w; done"),
    _run("threads", "-p function -l futex_* -l do_exit -l wake_up_new_task --cpus 4", "threads"),
    _run(
        "files",
        "-p function -l ramfs_* -l simple_* -l d_* --seed 5",
        "mkdir /d; mount -t ramfs none /d; echo x > /d/f; cat /d/f; rm /d/f",
    ),
    _run("pipes", "-p function -l handle_mm_fault -l *switch* --seed 3 --cpus 4", "hackbench -g 1 -f 3 -l 5 | head -2"),
    _session(
        "instances",
        "--cpus 4",
        _TRACING,
        "mkdir instances/a instances/b; ls instances",
        "echo 'vfs_*' > instances/a/set_ftrace_filter; echo function > instances/a/current_tracer",
        "echo schedule > instances/b/set_ftrace_filter; echo function > instances/b/current_tracer",
        "echo do_exit > set_ftrace_filter; echo function > current_tracer",
        "busy 4 1; cat /proc/version > /dev/null",
        "echo 0 > tracing_on; echo 0 > instances/a/tracing_on; echo 0 > instances/b/tracing_on",
        "cat trace instances/a/trace instances/b/trace; cat enabled_functions",
        "rmdir instances/a; ls instances",
    ),
    _session(
        "filters",
        "--cpus 2",
        _TRACING,
        "echo 'vfs_*' > set_ftrace_filter; echo '!vfs_read' >> set_ftrace_filter; cat set_ftrace_filter",
        "echo 'schedule:traceoff:3' >> set_ftrace_filter; echo bogus_function >> set_ftrace_filter; echo $?",
        "echo $$ > set_ftrace_pid; echo function > current_tracer; echo 1 > options/function-fork",
        "echo before > trace_marker; cat /proc/self/stat | wc -l; echo after > trace_marker",
        "cat trace; cat set_ftrace_filter; cat per_cpu/cpu0/stats | grep -v bytes",
        "echo nop > current_tracer; echo > set_ftrace_filter; echo mono > trace_clock; cat trace_clock; cat trace",
    ),
    _session(
        "modules",
        "--cpus 2",
        _TRACING,
        "echo '*:mod:sample_timer' > set_ftrace_filter; echo function > current_tracer; modprobe sample_timer",
        "sleep 0.1; echo 0 > tracing_on; cat trace; cat set_ftrace_filter",
        "rmmod sample_timer; cat set_ftrace_filter; cat trace | wc -l",
    ),
    _session(
        "pipe",
        "--cpus 2",
        _TRACING,
        "echo 'vfs_*' > set_ftrace_filter; echo function_graph > current_tracer; echo 1 > options/funcgraph-proc",
        "head -40 trace_pipe; echo nop > current_tracer; cat saved_cmdlines | wc -l",
        "echo 'do_nanosleep' > set_ftrace_filter; echo 1 > max_graph_depth; echo 100 > tracing_thresh",
        "echo function_graph > current_tracer; usleep 500; usleep 50; cat trace",
    ),
)
_MANY = "MANY"
_MOST_CPUS = {"x86_64": 8, "sparc64": 16, "riscv64": 16}


def _on(command: Command, arch: str) -> Command:
    first, *rest = command.arguments
    words = [str(_MOST_CPUS[arch]) if word == _MANY else word for word in rest]
    return Command(f"{arch}: {command.name}", (first, "--arch", arch, *words), command.stdin)


COMMANDS = [_on(command, arch) for arch in ARCHITECTURES for command in _EVERYWHERE]
