# SPDX-License-Identifier: GPL-2.0-only
"""Random probes of a Linux guest: definitions that are right, and such as may be wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS

__all__ = ["define_probes", "random_definitions"]

_REGISTERS = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "r8", "r15", "ip", "flags", "cs", "ss", "nosuch", "")
_TYPES = ("u8", "s16", "x32", "u64", "string", "ustring", "symbol", "symstr", "x8[4]", "string[2]", "b3@2/8", "b1@70/64", "bogus",
          "", "u8[0]", "u8[65]", "u8[", "u8[2]x")  # fmt: skip
_NAMES = ("file", "count", "p", "pos", "filename", "dfd", "how", "prev", "next", "preempt", "nosuch", "_", "x1")
_MEMBERS = ("f_path", "dentry", "d_name", "name", "f_inode", "i_ino", "mnt", "comm", "pid", "sched_class", "nosuch", "", "len",
            "signal", "rlim[3]", "rlim[99]", "rlim_cur", "flags", "in_execve", "thread_pid")  # fmt: skip
_VARIABLES = (
    "arg1", "arg3", "arg*", "arg99", "retval", "retval->f_inode", "arg1->f_pos", "stack", "stack3", "comm", "stack99999", "",
    "nosuch", "arg0", "argx",
)  # fmt: skip
_PLACES = (
    "vfs_read", "vfs_write", "do_sys_openat2", "try_to_wake_up", "getname_flags", "schedule", "vfs_read+1", "vfs_read+0x20",
    "vfs_read+4", "nosuch", "jiffies", "0xffffffff81000000", "0", "vfs_read%return", "vfs_read%retur", "m:vfs_read", "ext4:f",
    "vfs_read-4", "vfs_read+99999999999", "sched_switch", "sched_wakeup", "",
)  # fmt: skip
_GARBAGE = "p:r e-/.$%@+()\\\"=#>[]:tfsu0x1 *é\t"


def define_probes(fs: TraceFS, count: int, seed: int) -> None:
    """Defines kprobes at random instructions of functions that can be traced, and at returns."""
    chosen = random.Random(seed)
    functions = [line for line in fs.read("available_filter_functions").splitlines() if line.isidentifier()]
    made = 0
    while made < count:
        function, number = chosen.choice(functions), f"n{made}"
        arguments = chosen.choice(("a=%di b=%sp", "c=$comm", "s=+0(%si):string", "u=+0(%sp):x64[8]", "$arg*", "f=%flags", ""))
        offset = chosen.choice((0, chosen.randrange(200)))
        is_return = chosen.random() < 0.2
        place, first = (function, f"r:{number}") if is_return else (f"{function}+{offset}", f"p:{number}")
        try:
            fs.append("kprobe_events", f"{first} {place} {arguments}\n")
        except TraceError:  # no instruction begins there, or the function has no arguments
            continue
        made += 1


def random_definitions(seed: int) -> Iterator[str]:
    """Lines for dynamic_events, without an end."""
    chosen = random.Random(seed)
    number = 0
    while True:
        number += 1
        yield _definition(chosen, number) if chosen.random() < 0.9 else _garbage(chosen)


def _definition(chosen: random.Random, number: int) -> str:
    letter = chosen.choice(("p", "p", "r", "r4", "f", "f2", "t", "e", "s", "p9", "r99999", "-", "x"))
    name = chosen.choice((f":n{number}", "", f":g/n{number}", ":", ":/x", ":a-b", f":g.n{number}", ":" + "x" * 70))
    place = chosen.choice((*_PLACES, "kprobes.x", "sched.sched_switch", "u64 lat; pid_t pid"))
    words = [_argument(chosen) for _ in range(chosen.randrange(4))]
    if chosen.random() < 0.05:
        words.append("if " + chosen.choice(("", "count > 3", "(")))
    return " ".join((letter + name, place, *words))


def _argument(chosen: random.Random) -> str:
    named = chosen.choice(("", "", f"a{chosen.randrange(9)}=", "=", "common_pid=", "1=", "x" * 40 + "="))
    kind = chosen.choice(("", "", ":" + chosen.choice(_TYPES)))
    return named + _fetched(chosen, 0) + kind


def _fetched(chosen: random.Random, depth: int) -> str:
    makers: Sequence[str] = ("%", "$", "name", "@", "\\", "deref", "cast", "garbage")
    maker = chosen.choice(makers if depth < 4 else makers[:3])
    if maker == "cast":
        kind = chosen.choice(("task_struct", "file", "nosuch", "task_struct,tasks", "task_struct,se.vruntime", "file,", ""))
        value, members = _fetched(chosen, depth + 1), chosen.choice(("->comm", "->f_path.dentry", "->", "", "->tasks.next->prev"))
        return f"({kind}){chosen.choice(('%di', value, f'({value})'))}{members}"
    if maker == "%":
        return "%" + chosen.choice(_REGISTERS)
    if maker == "$":
        return "$" + chosen.choice(_VARIABLES)
    if maker == "name":
        text = chosen.choice(_NAMES)
        for _ in range(chosen.randrange(5)):
            text += chosen.choice(("->", "->", ".", "-")) + chosen.choice(_MEMBERS)
        return text
    if maker == "@":
        return "@" + chosen.choice(("jiffies", "nosuch", "0x1000", "jiffies+8", "+4", "jiffies+z", ""))
    if maker == "\\":
        return "\\" + chosen.choice(("1", "-7", '"text"', '"text', "z", ""))
    if maker == "deref":
        sign, user, offset = chosen.choice("+-"), chosen.choice(("", "", "u")), chosen.choice(("0", "8", "0x18", "z", ""))
        inner = chosen.choice("((([") + _fetched(chosen, depth + 1) + chosen.choice((")", ")", ""))
        return sign + user + offset + inner
    return _garbage(chosen)


def _garbage(chosen: random.Random) -> str:
    return "".join(chosen.choice(_GARBAGE) for _ in range(chosen.randrange(12)))
