# SPDX-License-Identifier: GPL-2.0-only
# Callers in emu's kernel that gdb does not find by itself: those of functions that tracing has made return to a trampoline,
# and those in an image without debug information. It also makes `catch syscall` work on x86-64. `emu gdb` sources this file; with
# another gdb, do it before `target remote`.

# Files of libraries, which are modules, are on this host.
set sysroot /

python

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.unwinder import Unwinder, register_unwinder

_WORD = (1 << 64) - 1


class _Frame:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


def _pairs(words):
    """NAME=VALUE, as numbers by names; NAME=*ADDRESS: the value is in memory."""
    return {name: _value(value) for name, _, value in (word.partition("=") for word in words)}


def _value(text):
    if text[:1] == "*":
        return int(gdb.parse_and_eval("*(unsigned long *)" + text[1:]))
    return int(text, 16)


def _is_known(value):
    """Whether a register has a value. Of a task that waits, few were saved."""
    return not value.is_optimized_out and "<unavailable>" not in str(value)


class Callers(Unwinder):
    """Asks emu: `monitor caller`."""

    def __init__(self):
        super().__init__("emu: callers")
        self._known = None

    def _ask(self, *words):
        return gdb.execute(" ".join(("monitor caller", *words)), False, True).split()

    def _look(self):
        """The registers that emu needs, the stack's bias, and the trampolines."""
        if self._known is None and gdb.selected_inferior().connection is not None:
            try:
                names, bias, *ends = self._ask()
                ends = [int(end, 16) for end in ends]
                self._known = names.split(","), int(bias), [*zip(ends[::2], ends[1::2])]
            except (gdb.error, ValueError):
                pass
        return self._known

    def is_trampoline(self, frame):
        """Whether a frame is where a function returns to that tracing has made do so."""
        return self._known is not None and any(first == frame.pc() for first, _ in self._known[-1])

    def __call__(self, pending):
        pc = int(pending.read_register("pc")) & _WORD
        if pc >> 63 == 0 or (known := self._look()) is None:  # a program's code
            return None
        names, bias, trampolines = known
        # With register windows, which a bias tells, gdb does not use what debug information says of frames.
        described = bias == 0 and gdb.find_pc_line(pc).symtab is not None
        if described and not any(first <= pc < end for first, end in trampolines):
            return None
        values = {name: value for name in names if _is_known(value := pending.read_register(name))}
        try:
            changed = _pairs(self._ask(*("%s=%#x" % (name, int(value) & _WORD) for name, value in values.items())))
        except (gdb.error, ValueError):
            return None
        if not changed:
            return None
        found = pending.create_unwind_info(_Frame(pending.read_register("sp") + bias, pending.read_register("pc")))
        for name in (one.name for one in pending.architecture().registers()):
            value = pending.read_register(name)
            if name in changed:
                found.add_saved_register(name, gdb.Value(changed[name]).cast(value.type))
            elif _is_known(value):
                found.add_saved_register(name, value)
        return found


class _Named(FrameDecorator):
    """A frame whose function gdb does not know. It takes what is before a return address for the call."""

    def __init__(self, frame, name):
        super().__init__(frame)
        self._name = name

    def function(self):
        return self._name

    def filename(self):
        return None

    def line(self):
        return None


def _symbol(address):
    words = gdb.execute("info symbol %#x" % (address & _WORD), False, True).split()
    return "??" if words[:1] == ["No"] else words[0]


def _found(frames):
    """The frames, as far as gdb finds callers. If there is no register of one, it does not give the frame before that either."""
    last = None
    try:
        for one in frames:
            yield one
            last = one.inferior_frame()
    except gdb.error:
        if last is not None and (left := last.older()) is not None:
            yield FrameDecorator(left)


class Names:
    """Names the trampolines in backtraces."""

    def __init__(self, callers):
        self.name, self.enabled, self.priority, self._callers = "emu: trampolines", True, 100, callers
        gdb.current_progspace().frame_filters[self.name] = self

    def filter(self, frames):
        for one in _found(frames):
            frame = one.inferior_frame()
            if self._callers.is_trampoline(frame):
                yield _Named(one, _symbol(frame.pc()))
            elif frame.type() == gdb.SIGTRAMP_FRAME:  # the entry of an interrupt or an exception
                yield _Named(one, _symbol(frame.pc()))
            elif isinstance(one.function(), str):
                yield one
            else:  # where there is no symbol, gdb writes ?? only without filters
                newer = frame.newer()
                called = newer is not None and newer.type() != gdb.SIGTRAMP_FRAME
                yield _Named(one, _symbol(frame.pc() - called))


def expect_linux():
    """gdb has `catch syscall` only where it takes the ABI for GNU/Linux's. For SPARC V9 it does so anyway."""
    inferior = gdb.selected_inferior()
    if inferior.connection is not None and inferior.architecture().name().startswith("i386"):
        gdb.execute("monitor abi linux", False, True)
        gdb.execute("unset tdesc filename")
        gdb.execute("set osabi GNU/Linux")


_callers = Callers()
register_unwinder(None, _callers, True)
Names(_callers)
end

define catch hook-syscall
python expect_linux()
end

define tcatch hook-syscall
python expect_linux()
end
