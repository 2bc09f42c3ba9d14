# SPDX-License-Identifier: GPL-2.0-only
"""The options of `emu run` and `emu record` that select what is traced, in the top trace array and in instances.

As in trace-cmd, their order matters: -f and -R apply to the event of the preceding -e, and options after
-B apply to that instance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import click

from emu.cli.event_choice import EventChoice
from emu.cli.linux.options import with_equals
from emu.cli.settings import Setting, apply, file_setting
from emu.cli.uprobe_places import with_offsets

if TYPE_CHECKING:
    from emu.linux.machine import LinuxMachine
    from emu.machine import Machine

__all__ = [
    "LETTERS", "ArrayOptions", "TracingCommand", "instance_option", "recording_of", "trace_options", "trace_options_of",
    "words_of",
]  # fmt: skip

_WORDS = "emu.cli.trace_options.words"  # key of click.Context.meta
_Command = TypeVar("_Command", bound=Callable[..., object])
_INSTANCE = "-B"
_DEFINING = ("dynamic_events", "kprobe_events", "synthetic_events", "uprobe_events")  # files; -e can name their events
_OF_FORMATS = "syscall_user_buf_size"  # a file of a Linux guest's tree; no event may be in use when it is written
_OF_TRACERS = ("hwlat_detector/", "osnoise/")  # folders; these tracers' threads read them when they start
_LISTS = {  # files that get all values of an option
    "-l": ("set_ftrace_filter",), "-n": ("set_ftrace_notrace",), "-g": ("set_graph_function",),
    "-P": ("set_ftrace_pid", "set_event_pid"),
}  # fmt: skip


def _option(word: str, metavar: str, text: str) -> Callable[[_Command], _Command]:
    """An option whose values are not passed as arguments, which have no order: see `trace_options_of`."""
    name = f"{'capital_' * word.isupper()}{word.strip('-')}"  # click lowercases names, and -p is not -P
    return click.option(word, name.lower(), metavar=metavar, multiple=True, expose_value=False, help=text)


_OPTIONS = (
    _option("-p", "TRACER", "Tracer: function, function_graph, irqsoff, ... (`emu list tracers`)."),
    _option("-e", "SYSTEM[:EVENT]", "Record these events; 'all': all. Repeatable."),
    _option("-f", "FILTER", "Record the events of the previous -e only if: 'prev_pid == 0'."),
    _option("-R", "TRIGGER", "Trigger of the event of the previous -e: 'traceoff:1'."),
    _option("-l", "FUNC", "Trace only these functions. A name or a glob, or a command: 'schedule:stacktrace'."),
    _option("-n", "FUNC", "Never trace these functions."),
    _option("-g", "FUNC", "function_graph: only these and what they call."),
    click.option(
        "-F", "follow", is_flag=True,
        help="Trace only COMMAND, from its first instruction, and its children: functions and events, in every instance.",
    ),
    _option(
        "--sample", "COUNTER:PERIOD",
        "With --timing pipeline or caches: record where each PERIODth miss is: 'L1-dcache-load-misses:1000'. Repeatable.",
    ),
    _option("-P", "PID", "Trace only this task: functions and events. Repeatable; adds to -F."),
    _option("-O", "OPTION", "Trace option; 'no' before its name turns it off."),
    _option("-b", "KB", "Size of the trace buffer of each CPU."),
    _option("-m", "KB", "Keep at most the last KB of each CPU's trace."),
    _option("-C", "CLOCK", "Clock of the trace: local, global, counter, mono, ... (trace_clock)."),
    _option("--set", "FILE=VALUE", "Write VALUE to FILE of tracefs. uprobe_events takes FILE:SYMBOL, too: 'p:up /bin/cat:main'."),
)  # fmt: skip
_SWITCH = "tracing_on"  # a file
LETTERS = ("-p", "-e", "-f", "-R", "-l", "-n", "-g", "--sample", "-P", "-O", "-b", "-m", "-C", "--set", _INSTANCE)


def trace_options(command: _Command) -> _Command:
    """Gives a command these options. `follow` becomes an argument; the others are in `trace_options_of`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


instance_option = _option(_INSTANCE, "NAME", "Create this trace instance; the options up to the next -B apply to it.")


class TracingCommand(click.Command):
    """A command with these options. It saves the words of the command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = tuple(args)
        return super().parse_args(ctx, with_equals(args, self.params))


def words_of(context: click.Context) -> tuple[str, ...]:
    """The words of the command line of a TracingCommand."""
    words: tuple[str, ...] = context.meta[_WORDS]
    return words


@dataclass
class ArrayOptions:
    """The options for one trace array.

    Attributes:
        instance: its name; "" for the top array.
        values: of each option, the values given, in order.
        events: the events named by -e, with their -f and -R.
    """

    instance: str
    values: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    events: list[EventChoice] = field(default_factory=list)

    def add(self, option: str, text: str) -> None:
        """Adds an option.

        Raises:
            click.UsageError: the value is empty, or nothing precedes it to which it could apply.
        """
        if option == "-e":
            if not text.strip():
                raise click.UsageError("-e '' selects nothing: -e all records all events")
            self.events.append(EventChoice(text))
        elif option in ("-f", "-R"):
            if not self.events:
                raise click.UsageError(f"{option} '{text}' must come after the -e that it is about")
            (self.events[-1].filters if option == "-f" else self.events[-1].triggers).append(text)
        elif option in _LISTS and not text.strip():  # an empty filter would mean all functions
            raise click.UsageError(f"{option} '' selects nothing: leave it out to trace everything")
        elif option == "--sample" and self.instance:
            raise click.UsageError(f"--sample: only the top trace array has hardware events, not the instance {self.instance}")
        else:
            self.values[option].append(text)

    def one(self, option: str) -> str | None:
        """The last value of an option."""
        given = self.values.get(option)
        return given[-1] if given else None

    def settings(self) -> list[Setting]:
        """The writes to tracefs files, in order, without filters and triggers of events.

        Raises:
            click.UsageError: options contradict each other.
        """
        written = [file_setting(text) for text in self.values["--set"]]
        settings = [setting for setting in written if _comes_first(setting)]
        settings += self._buffer_sizes()
        if (clock := self.one("-C")) is not None:
            settings.append(Setting("-C", "trace_clock", clock))
        settings += [
            Setting(option, path, " ".join(words))
            for option, paths in _LISTS.items()
            if (words := self.values[option])
            for path in paths
        ]
        if (tracer := self.one("-p")) is not None:
            settings.append(Setting("-p", "current_tracer", tracer))
        recorded = [choice.word for choice in self.events]
        if samples := self.values["--sample"]:
            settings.append(Setting("--sample", "hardware_events", "\n".join(samples)))
            recorded.append("hardware:sample")
        if recorded:
            settings.append(Setting("-e", "set_event", " ".join(recorded)))
        settings += [Setting("-O", "trace_options", option) for option in self.values["-O"]]
        settings += [setting for setting in written if not _comes_first(setting)]
        return [self._of_array(setting) for setting in settings]

    def _buffer_sizes(self) -> Iterable[Setting]:
        """The settings for -b and -m: the smaller one counts, because a trace is limited by its buffer."""
        if self.one("-m") is not None and "nooverwrite" in self.values["-O"]:
            raise click.UsageError("-m keeps the end of the trace, -O nooverwrite its beginning")
        given = [Setting(option, "buffer_size_kb", kb) for option in ("-b", "-m") if (kb := self.one(option)) is not None]
        if all(setting.text.isdecimal() for setting in given):
            given.sort(key=lambda setting: int(setting.text))
            return given[:1]
        return given  # one of them will be refused

    def _of_array(self, setting: Setting) -> Setting:
        return setting._replace(path=f"instances/{self.instance}/{setting.path}") if self.instance else setting

    def set_up(self, machine: Machine | LinuxMachine, settings: Iterable[Setting]) -> None:
        """Writes the settings, then filters and triggers of events. Nothing is recorded yet, except with `--set tracing_on=1`.

        Raises:
            click.ClickException: tracefs refuses a setting.
        """
        tracefs = machine.tracefs
        if self.values["--sample"] and machine.board.timing is None:
            raise click.ClickException("--sample: the timing model static counts nothing; --timing pipeline does, and caches")
        if self.instance:
            apply(lambda path, _: tracefs.mkdir(path), [Setting(_INSTANCE, f"instances/{self.instance}", "")])
        settings = [with_offsets(machine.program_files, setting) for setting in settings]
        if any(self.values.values()) or self.events:  # otherwise, what boot options have started continues
            apply(tracefs.write, [self._of_array(Setting(_SWITCH, _SWITCH, "0"))])
        apply(tracefs.write, settings)
        about_events = (Setting(*one) for choice in self.events for one in choice.settings(tracefs))
        apply(tracefs.append, map(self._of_array, about_events))


def recording_of(arrays: Iterable[ArrayOptions]) -> list[str]:
    """The trace arrays that record while the command runs: all except those with `--set tracing_on`."""
    return [array.instance for array in arrays if not any(file_setting(text).path == _SWITCH for text in array.values["--set"])]


def trace_options_of(context: click.Context) -> list[ArrayOptions]:
    """The options of a TracingCommand: for the top trace array, and for each instance.

    Raises:
        click.UsageError: an option is empty, or misplaced.
    """
    arrays = [ArrayOptions("")]
    for option, text in _in_order(context, with_equals([*words_of(context)], context.command.params)):
        if option == _INSTANCE:
            if not text or "/" in text or text in (array.instance for array in arrays):
                raise click.UsageError(f"-B '{text}': an instance needs a name of its own, without '/'")
            arrays.append(ArrayOptions(text))
        else:
            arrays[-1].add(option, text)
    return arrays


def _in_order(context: click.Context, arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """These options and their values, in the order of the command line."""
    values, _, order = context.command.make_parser(context).parse_args([*arguments])
    left = {parameter: iter(values[parameter.name]) for parameter in order if parameter.opts[0] in LETTERS and parameter.name}
    for parameter in order:
        if parameter in left:
            yield parameter.opts[0], next(left[parameter])


def _comes_first(setting: Setting) -> bool:
    """Whether a file must be written before the tracer and events are set."""
    return setting.path in (*_DEFINING, _OF_FORMATS) or setting.path.startswith(_OF_TRACERS)
