# SPDX-License-Identifier: GPL-2.0-only
"""The packets of a client, and what they do with the machine (GDB manual, appendix E "Remote Serial Protocol", "Packets")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.guest_cpu import GuestCpu
from emu.gdb import arch
from emu.gdb.breakpoints import Breakpoints
from emu.gdb.libraries import Known, Libraries
from emu.gdb.memory import Memory, NotMapped
from emu.gdb.monitor import Monitor
from emu.gdb.packet_parts import BAD_PACKET, MOST_BYTES, Refused, contents, part, place, point, quoted, syscalls
from emu.gdb.resuming import Resuming
from emu.gdb.stepping import Stepping
from emu.gdb.syscalls import Syscalls
from emu.gdb.task_threads import WaitingTask
from emu.gdb.wire import LONGEST, Wire, unescaped
from emu.history.travel import Travel

__all__ = ["Detached", "Stub"]

_OK, _NOTHING = b"OK", b""
_BAD_ADDRESS, _BAD_VALUE, _BAD_THREAD = b"E0e", b"E16", b"E03"  # Linux's numbers of errors
_SUPPORTED = (
    f"PacketSize={LONGEST:x};QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;qXfer:libraries:read+;"
    "qXfer:libraries-svr4:read+;vContSupported+;ReverseStep+;ReverseContinue+;swbreak+;hwbreak+;QCatchSyscalls+"
)


class Detached(Exception):
    """The client has let the machine go.

    Attributes:
        kills: it wants the machine to end.
    """

    def __init__(self, *, kills: bool) -> None:
        super().__init__()
        self.kills = kills


class Stub:
    """Answers a client's packets.

    Args:
        board: the machine's board.
        cpus: its CPUs.
        travel: the machine, with its history.
        monitor: answers `monitor`.
        wire: the client.
        libraries: of the guest; None: it has none.
    """

    def __init__(
        self,
        board: Board,
        cpus: Sequence[GuestCpu],
        travel: Travel,
        monitor: Monitor,
        wire: Wire,
        libraries: Libraries | None = None,
    ) -> None:
        self._board, self._cpus, self._monitor, self._wire = board, cpus, monitor, wire
        self._arch = arch.load(board.arch.name)
        self._memory = Memory(board, self._arch)
        self._known = Known(libraries)
        self._libraries = b""  # the list that the client is reading
        self._breakpoints = Breakpoints(travel, len(cpus), self._known.watched)
        stepping = Stepping(travel, board, self._arch, self._memory)
        self._syscalls = Syscalls(travel, self._memory)
        self._resuming = Resuming(
            travel, self._breakpoints, stepping, monitor.catching, self._syscalls, wire, self._known
        )
        self._cpu = travel.cpu  # of registers and memory
        self._tasks = monitor.tasks
        self._task: WaitingTask | None = None  # whose registers are shown instead
        self._continued: int | None = None  # of `s`, `bs`; None: the user's
        self._chosen = self._cpu  # by the user: the one that has stopped, or of gdb's `thread`, which asks whether it lives
        self._exact: Mapping[bytes, Callable[[], bytes]] = {
            b"?": self._stop_reply, b"g": self._read_registers, b"!": lambda: _OK,
            b"bc": lambda: self._stopped(self._resuming.back()),
            b"bs": lambda: self._stopped(self._resuming.back_step(self._stepping)),
            b"qC": lambda: b"QC%x" % (self._cpu + 1),
            b"qfThreadInfo": lambda: b"m" + b",".join(b"%x" % number for number in self._numbers),
            b"qsThreadInfo": lambda: b"l", b"qAttached": lambda: b"1", b"vCont?": lambda: b"vCont;c;C;s;S",
            b"QStartNoAckMode": self._stop_acknowledging, b"k": self._kill, b"D": self._detach,
            b"qSymbol::": lambda: _OK,
        }  # fmt: skip
        self._by_prefix: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
            (b"qSupported", self._supported), (b"qXfer:features:read:target.xml:", self._description),
            (b"qXfer:threads:read::", self._threads),
            (b"qXfer:libraries:read::", lambda rest: self._library_list(rest, of_linux=False)),
            (b"qXfer:libraries-svr4:read::", lambda rest: self._library_list(rest, of_linux=True)),
            (b"qThreadExtraInfo,", self._thread_text), (b"qRcmd,", self._command), (b"QCatchSyscalls:", self._catch),
            (b"vCont;", self._go_on), (b"vKill", lambda rest: self._kill()), (b"D;", lambda rest: self._detach()),
            (b"Hg", self._choose), (b"Hc", self._choose_continued), (b"T", self._is_alive), (b"m", self._read_memory),
            (b"M", self._write_memory), (b"X", self._write_binary), (b"G", self._write_registers),
            (b"p", self._read_register), (b"P", self._write_register), (b"Z", self._insert), (b"z", self._remove),
            (b"c", lambda rest: self._stopped(self._resuming.go(None))),
            (b"C", lambda rest: self._stopped(self._resuming.go(None))),
            (b"s", lambda rest: self._stopped(self._resuming.step(self._stepping, None))),
            (b"S", lambda rest: self._stopped(self._resuming.step(self._stepping, None))),
        )  # fmt: skip

    def serve(self) -> None:
        """Answers packets until the client goes.

        Raises:
            Closed: the connection has ended.
            Detached: the client has let the machine go.
        """
        try:
            while True:
                packet = self._wire.receive()
                self._wire.send(self.answer(packet))
                if packet == b"QStartNoAckMode":
                    self._wire.acknowledges = False
        finally:
            self._breakpoints.clear()
            self._monitor.catching.clear()
            self._syscalls.clear()
            self._monitor.of_linux = False

    def answer(self, packet: bytes) -> bytes:
        """The reply to a packet: an error to a damaged one, nothing to an unknown one."""
        try:
            if (exact := self._exact.get(packet)) is not None:
                return exact()
            for prefix, function in self._by_prefix:
                if packet.startswith(prefix):
                    return function(packet[len(prefix) :])
        except Refused as refused:
            return refused.answer
        except NotMapped:
            return _BAD_ADDRESS
        except ValueError:
            return _BAD_VALUE
        except (NotImplementedError, RuntimeError) as error:  # what cannot be done now, or not with this guest
            return b"E." + str(error).encode().splitlines()[0] if str(error) else _BAD_VALUE
        return _NOTHING

    # What is supported, and the end

    def _supported(self, rest: bytes) -> bytes:
        words = rest.removeprefix(b":").decode(errors="replace").split(";")
        self._resuming.features = frozenset(word[:-1] for word in words if word.endswith("+"))
        return _SUPPORTED.encode()

    def _stop_acknowledging(self) -> bytes:
        return _OK  # the mode changes behind this reply

    def _kill(self) -> bytes:
        raise Detached(kills=True)

    def _detach(self) -> bytes:
        self._wire.send(_OK)
        raise Detached(kills=False)

    def _description(self, rest: bytes) -> bytes:
        return part(self._arch.description(of_linux=self._monitor.of_linux).encode(), rest)

    def _threads(self, rest: bytes) -> bytes:
        lines = [
            f'<thread id="{n + 1:x}" core="{n}" name="CPU {n}">{quoted(self._activity(n))}</thread>'
            for n in range(len(self._board.cpus))
        ]
        for number, task in self._tasks.all().items():
            lines.append(f'<thread id="{number:x}" name="{quoted(task.name)}-{task.pid}">waits</thread>')
        return part("\n".join(["<threads>", *lines, "</threads>"]).encode(), rest)

    def _library_list(self, rest: bytes, *, of_linux: bool) -> bytes:
        if place(rest)[0] == 0:
            self._libraries = self._known.document(of_linux=of_linux)
        return part(self._libraries, rest)

    def _thread_text(self, rest: bytes) -> bytes:
        task = self._task_of(rest)
        text = self._activity(self._index(rest)) if task is None else f"{task.name}-{task.pid}, waits"
        return text.encode().hex().encode()

    def _activity(self, index: int) -> str:
        """What a CPU does."""
        return self._cpus[index].activity + ", held" * self._board.cpus[index].held

    def _command(self, rest: bytes) -> bytes:
        try:
            line = bytes.fromhex(rest.decode()).decode()
        except ValueError:
            raise Refused(BAD_PACKET) from None
        self._tasks.forget()
        said = self._monitor.obey(line, self._board.cpus[self._cpu]).encode()
        for at in range(0, len(said), MOST_BYTES):
            self._wire.send(b"O" + said[at : at + MOST_BYTES].hex().encode())
        return _OK

    # Threads

    @property
    def _numbers(self) -> list[int]:
        """Of all threads."""
        return [*range(1, len(self._board.cpus) + 1), *self._tasks.all()]

    def _task_of(self, word: bytes) -> WaitingTask | None:
        """The task of a thread that is no CPU's; None: it may be one's."""
        try:
            return self._tasks.all().get(int(word, 16))
        except ValueError:
            return None

    def _index(self, word: bytes) -> int:
        """The index of a thread's CPU."""
        try:
            number = int(word, 16)
        except ValueError:
            raise Refused(BAD_PACKET) from None
        if number in self._tasks.all():
            raise Refused(b"E.no CPU runs this task")
        if not 1 <= number <= len(self._board.cpus):
            raise Refused(_BAD_THREAD)
        return number - 1

    def _choose(self, rest: bytes) -> bytes:
        if rest not in (b"0", b"-1"):
            task = self._task_of(rest)
            if task is None:
                self._cpu = self._index(rest)
            self._task = task
        return _OK

    def _choose_continued(self, rest: bytes) -> bytes:
        self._continued = None if rest in (b"0", b"-1") else self._index(rest)
        return _OK

    def _is_alive(self, rest: bytes) -> bytes:
        if self._task_of(rest) is None:
            self._chosen = self._index(rest)
        return _OK

    @property
    def _stepping(self) -> int:
        return self._chosen if self._continued is None else self._continued

    @property
    def _shown(self) -> Cpu:
        return self._board.cpus[self._cpu]

    # Going on

    def _stop_reply(self) -> bytes:
        return self._resuming.latest(self._cpu)

    def _go_on(self, rest: bytes) -> bytes:
        stepping: int | None = None
        others = locked = False
        for action in rest.split(b";"):
            what, _, thread = action.partition(b":")
            if what[:1] not in (b"c", b"C", b"s", b"S"):
                raise Refused(BAD_PACKET)
            anyone = thread in (b"", b"-1", b"0")
            if what[:1] in b"sS" and stepping is None:
                stepping = self._chosen if anyone else self._index(thread)
            elif anyone:
                others = True
            else:
                self._index(thread)
                locked = True
        if stepping is None:
            return self._stopped(self._resuming.go(None, locked=locked and not others))
        return self._stopped(self._resuming.step(stepping, None if others else stepping))

    def _stopped(self, answer: bytes) -> bytes:
        """The reply to a packet that has made the machine go on. The CPU that has stopped is shown from now on."""
        self._cpu = self._chosen = self._resuming.cpu
        self._task = None
        self._tasks.forget()
        return answer

    # Registers

    def _hexadecimal(self, cpu: Cpu, number: int) -> bytes:
        name, bits, _, _ = self._arch.registers[number]
        value = self._arch.read(cpu, name) if self._task is None else self._tasks.registers(self._task).get(name)
        if value is None:
            return b"x" * (bits // 4)
        mask = (1 << bits) - 1
        return (value & mask).to_bytes(bits // 8, self._board.arch.byte_order).hex().encode()

    def _read_registers(self) -> bytes:
        return b"".join(self._hexadecimal(self._shown, n) for n in range(len(self._arch.registers)))

    def _read_register(self, rest: bytes) -> bytes:
        return self._hexadecimal(self._shown, self._number(rest))

    def _number(self, word: bytes) -> int:
        try:
            number = int(word, 16)
        except ValueError:
            raise Refused(BAD_PACKET) from None
        if not 0 <= number < len(self._arch.registers):
            raise Refused(_BAD_VALUE)
        return number

    def _write_register(self, rest: bytes) -> bytes:
        word, _, digits = rest.partition(b"=")
        number = self._number(word)
        data = contents(digits)
        if 8 * len(data) != self._arch.registers[number].bits:
            raise Refused(BAD_PACKET)
        self._set_registers({number: data})
        return _OK

    def _write_registers(self, rest: bytes) -> bytes:
        data, at = contents(rest), 0
        new: dict[int, bytes] = {}
        for number, register in enumerate(self._arch.registers):
            size = register.bits // 8
            if at + size > len(data):
                raise Refused(BAD_PACKET)
            new[number] = data[at : at + size]
            at += size
        self._set_registers(new)
        return _OK

    def _set_registers(self, values: Mapping[int, bytes]) -> None:
        cpu = self._shown
        if self._task is not None:
            raise Refused(b"E.no CPU runs this task: its registers cannot be set")
        values = {number: data for number, data in values.items() if self._hexadecimal(cpu, number) != data.hex().encode()}
        if not values:
            return
        with self._resuming.changing():
            for number, data in values.items():
                value = int.from_bytes(data, self._board.arch.byte_order)
                if not self._arch.write(cpu, self._arch.registers[number].name, value):
                    raise Refused(_BAD_VALUE)

    # Memory

    def _read_memory(self, rest: bytes) -> bytes:
        address, size = place(rest)
        return self._memory.read(self._shown, address, min(size, MOST_BYTES)).hex().encode() if size else _NOTHING

    def _write_memory(self, rest: bytes) -> bytes:
        where, _, digits = rest.partition(b":")
        return self._store(where, contents(digits))

    def _write_binary(self, rest: bytes) -> bytes:
        where, _, data = rest.partition(b":")
        return self._store(where, unescaped(data))

    def _store(self, where: bytes, data: bytes) -> bytes:
        address, size = place(where)
        if size != len(data):
            raise Refused(BAD_PACKET)
        if data:
            self._memory.physical(self._shown, address)  # nothing changes if this is not mapped
            with self._resuming.changing():
                self._memory.write(self._shown, address, data)
        return _OK

    # Breakpoints

    def _insert(self, rest: bytes) -> bytes:
        return _OK if self._breakpoints.insert(*point(rest)) else _NOTHING

    def _remove(self, rest: bytes) -> bytes:
        return _OK if self._breakpoints.remove(*point(rest)) else _NOTHING

    def _catch(self, rest: bytes) -> bytes:
        self._syscalls.choose(syscalls(rest))
        return _OK
