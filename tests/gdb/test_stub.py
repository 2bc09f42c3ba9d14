# SPDX-License-Identifier: GPL-2.0-only
"""Packets and their replies, without a gdb."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from emu.gdb.libraries import Library
from emu.gdb.server import Server
from emu.gdb.stub import Detached, Stub
from emu.gdb.wire import Closed, Wire, escaped, unescaped
from emu.history.stops import Breakpoint, Instant, Reason, StopReason, Watchpoint
from emu.machine import Machine
from tests.gdb.standing import Loaded, Standing, stub_of


@pytest.fixture
def travel(machine: Machine) -> Standing:
    return Standing(machine)


@pytest.fixture
def client() -> Iterator[list[socket.socket]]:
    opened: list[socket.socket] = []
    yield opened
    for one in opened:
        one.close()


@pytest.fixture
def stub(machine: Machine, travel: Standing, client: list[socket.socket]) -> Stub:
    made, end = stub_of(machine, travel)
    client.append(end)
    return made


def test_threads_are_cpus(stub: Stub, machine: Machine) -> None:
    assert stub.answer(b"qfThreadInfo") == b"m1,2"
    assert stub.answer(b"T2") == b"OK"
    assert stub.answer(b"T3").startswith(b"E")
    assert bytes.fromhex(stub.answer(b"qThreadExtraInfo,2").decode()).decode() == machine.cpus[1].activity


def test_registers_are_the_cpus(stub: Stub, machine: Machine) -> None:
    order = machine.board.arch.byte_order
    names = [register.name for register in stub._arch.registers]
    number = names.index({"x86_64": "rip"}.get(machine.board.arch.name, "pc"))
    for n, cpu in enumerate(machine.cpus):
        assert stub.answer(b"Hg%x" % (n + 1)) == b"OK"
        assert int.from_bytes(bytes.fromhex(stub.answer(b"p%x" % number).decode()), order) == cpu.pc
    whole = stub.answer(b"g")
    assert len(whole) == sum(register.bits for register in stub._arch.registers) // 4
    assert whole == b"".join(stub.answer(b"p%x" % n) for n in range(len(names)))


def test_what_is_set_is_read(stub: Stub, machine: Machine, travel: Standing) -> None:
    number = [register.name for register in stub._arch.registers].index({"x86_64": "rbx"}.get(machine.board.arch.name, "fp"))
    before = stub.answer(b"p%x" % number)
    assert stub.answer(b"P%x=%s" % (number, b"0123456789abcdef")) == b"OK"
    assert stub.answer(b"p%x" % number) == b"0123456789abcdef"
    assert stub.answer(b"P%x=%s" % (number, before)) == b"OK"
    assert travel.asked == [("changing",)] * 2


def test_memory(stub: Stub, machine: Machine) -> None:
    name = "linux_banner" if "linux_banner" in machine.kernel.image.symbols else "init_task"
    address = machine.kernel.image.symbol(name)
    data = machine.kernel.memory.read(address, 32)
    assert bytes.fromhex(stub.answer(b"m%x,20" % address).decode()) == data
    assert stub.answer(b"M%x,2:ffee" % address) == b"OK"
    assert stub.answer(b"m%x,2" % address) == b"ffee"
    assert stub.answer(b"X%x,2:%s" % (address, escaped(data[:2]))) == b"OK"
    assert machine.kernel.memory.read(address, 32) == data
    for refused in (b"m8,4", b"M8,1:00", b"m%x,zz" % address, b"M%x,3:00" % address, b"X%x,9:a" % address):
        assert stub.answer(refused).startswith(b"E")


def test_breakpoints_are_set_when_the_machine_goes_on(stub: Stub, travel: Standing) -> None:
    assert [stub.answer(packet) for packet in (b"Z0,1000,1", b"Z2,2000,8", b"Z4,3000,4")] == [b"OK"] * 3
    assert travel.stops == frozenset()
    stub.answer(b"vCont;c")
    both = Watchpoint(0x3000, 4, reads=True, writes=True)
    assert travel.asked[-1][1] == {Breakpoint(0x1000), Watchpoint(0x2000, 8), both}
    stub.answer(b"z2,2000,8")
    stub.answer(b"z4,3000,4")
    stub.answer(b"bc")
    assert travel.asked[-1][1] == {Breakpoint(0x1000)}


def test_a_step_from_a_breakpoint_leaves_it_for_the_others(stub: Stub, travel: Standing) -> None:
    """gdb removes the breakpoint, and believes that the other CPUs stand."""
    stub.answer(b"Z0,1000,1")
    stub.answer(b"vCont;c")
    stub.answer(b"z0,1000,1")
    stub.answer(b"vCont;s:1")
    assert travel.asked[-1][1:] == (0, {Breakpoint(0x1000, cpu=1)})
    stub.answer(b"Z0,1000,1")
    stub.answer(b"vCont;c")
    assert travel.asked[-1][1] == {Breakpoint(0x1000)}
    stub.answer(b"z0,1000,1")
    stub.answer(b"vCont;s:2;c")  # here all CPUs go on
    assert travel.asked[-1][1:] == (1, frozenset())


def test_stop_replies(stub: Stub, travel: Standing) -> None:
    stub.answer(b"qSupported:swbreak+;hwbreak+")
    stub.answer(b"Z0,1000,1")
    stub.answer(b"Z2,2000,8")
    travel.next = StopReason(Reason.BREAKPOINT, Instant(1), 1, (Breakpoint(0x1000),))
    assert stub.answer(b"vCont;c") == b"T05thread:2;swbreak:;"
    travel.next = StopReason(Reason.WATCHPOINT, Instant(1), 0, (Watchpoint(0x2000, 8),), write=True, address=0x2004)
    assert stub.answer(b"vCont;c") == b"T05thread:1;watch:2004;"
    travel.next = StopReason(Reason.START, Instant(1), 0)
    assert stub.answer(b"bc") == b"T05thread:1;replaylog:begin;"
    travel.next = StopReason(Reason.INTERRUPTED, Instant(1), 0)
    assert stub.answer(b"c") == b"T02thread:1;"


@pytest.mark.parametrize("packet", [b"vCont;c", b"vCont;s:1;c", b"c", b"s", b"bc", b"bs"])
def test_the_cpu_that_has_stopped_is_shown(stub: Stub, travel: Standing, packet: bytes) -> None:
    travel.next = StopReason(Reason.STEP, Instant(1), 1)
    stub.answer(packet)
    assert stub.answer(b"qC") == b"QC2"


def test_a_step_back_is_of_the_thread_that_the_user_has_chosen(stub: Stub, travel: Standing) -> None:
    travel.next = StopReason(Reason.STEP, Instant(1000), 1)
    stub.answer(b"c")
    travel.asked.clear()
    for packet in (b"Hg1", b"Hc0", b"bs", b"T1", b"Hg1", b"bs"):  # `info threads` reads registers; `thread` asks for life
        stub.answer(packet)
    assert [asked for asked in travel.asked if asked[0] == "back_step"] == [("back_step", 1), ("back_step", 0)]


def test_libraries_are_told_before_what_else_has_stopped_the_machine(
    machine: Machine, travel: Standing, client: list[socket.socket]
) -> None:
    loaded = Loaded()
    stub, end = stub_of(machine, travel, loaded)
    client.append(end)
    own = StopReason(Reason.BREAKPOINT, Instant(1), 0, (Breakpoint(0x5000),))
    both = StopReason(Reason.BREAKPOINT, Instant(1), 1, (Breakpoint(0x1000),))
    read = b"qXfer:libraries:read::0,1000"
    stub.answer(b"Z0,1000,1")
    assert stub.answer(read) == b"l<library-list>\n</library-list>\n"
    loaded.libraries = [Library("/a&b.ko", (0x5000, 0x6000)), Library("/c.ko", (0,), relocatable=True)]
    travel.next = own
    assert stub.answer(b"vCont;c") == b"T05thread:1;library:;"
    assert travel.asked[-1][1] == {Breakpoint(0x1000), Breakpoint(0x5000)}
    assert stub.answer(read).splitlines()[1:3] == [
        b'<library name="/a&amp;b.ko"><segment address="0x5000"/><segment address="0x6000"/></library>',
        b'<library name="/c.ko"><section address="0x0"/></library>',
    ]
    loaded.libraries = []
    travel.next = both
    assert stub.answer(b"vCont;c") == b"T05thread:2;library:;"
    assert stub.answer(read).endswith(b"<library-list>\n</library-list>\n")
    asked = len(travel.asked)
    assert stub.answer(b"vCont;c").startswith(b"T05thread:2;")
    assert len(travel.asked) == asked  # the machine has not moved


def test_libraries_as_gdb_reads_them_where_the_abi_is_of_linux(
    machine: Machine, travel: Standing, client: list[socket.socket]
) -> None:
    """Only files that say themselves where they are."""
    loaded = Loaded()
    stub, end = stub_of(machine, travel, loaded)
    client.append(end)
    loaded.libraries = [Library("/a&b.ko", (0x5000,)), Library("/c.ko", (0x6000,), relocatable=True)]
    assert stub.answer(b"qXfer:libraries-svr4:read::0,1000").splitlines()[1:-1] == [
        b'<library name="/a&amp;b.ko" lm="0x1" l_addr="0x0" l_ld="0x0" lmid="0x0"/>'
    ]
    loaded.libraries = []
    travel.next = StopReason(Reason.BREAKPOINT, Instant(1), 0, (Breakpoint(0x5000),))
    assert stub.answer(b"vCont;c") == b"T05thread:1;library:;"


def test_monitor(stub: Stub, travel: Standing, client: list[socket.socket]) -> None:
    def monitor(line: str) -> str:
        assert stub.answer(b"qRcmd," + line.encode().hex().encode()) == b"OK"
        return said(client[0])

    assert monitor("when").startswith("0.014349000 s, turn 1000")
    assert monitor("trace") == "the trace\n"
    assert monitor("tasks") == "init\n"
    assert "goto" in monitor("help")
    monitor("goto 14.3ms")
    monitor("checkpoint here")
    monitor("goto here")
    assert travel.asked == [("goto", 14_300_000), ("goto", Instant(1000))]
    assert monitor("goto nowhere").startswith("'nowhere' is no time")
    assert monitor("bogus") == "'bogus' is unknown: monitor help\n"
    assert monitor("physical 0xfffffffffff") == "physical address 0xfffffffffff is not in RAM\n"
    monitor("watch 0x1000 8 a")
    assert travel.stops == {Watchpoint(0x1000, 8, reads=True, writes=True, physical=True)}
    assert monitor("unwatch") == "1 removed\n"


def test_input_is_typed(stub: Stub, travel: Standing) -> None:
    for line, data in (
        (r"type one\n two\t\\\x41", b"one\n two\t\\A"), (r"type \x20é\x20", b" \xc3\xa9 "), ("type", b""), (r"type a\q", None),
        ("type a\\", None), ("run -i cat -i", (b"begin", b"cat -i", None)), ("run cat", (b"begin", b"cat", b"")),
        ("run -i", None),
    ):  # fmt: skip
        travel.asked.clear()
        assert stub.answer(b"qRcmd," + line.encode().hex().encode()) == b"OK"
        typed = [tuple(one.encode() if isinstance(one, str) else one for one in asked) for asked in travel.asked]
        assert typed == ([] if data is None else [data if isinstance(data, tuple) else (b"type", data)])


def test_held_cpus(stub: Stub, machine: Machine, travel: Standing, client: list[socket.socket]) -> None:
    """They make no step, and `info threads` says that they are held. Where gdb wants that others stand, its user is told."""
    def monitor(line: str) -> None:
        assert stub.answer(b"qRcmd," + line.encode().hex().encode()) == b"OK"

    travel.next = StopReason(Reason.IDLE, Instant(1), 0)
    stub.answer(b"vCont;c:1")
    stub.answer(b"vCont;c:1")
    assert said(client[0]).count("All CPUs run") == 1
    stub.answer(b"Hg1")
    monitor("hold others")
    assert [cpu.held for cpu in machine.board.cpus] == [False, True] and travel.asked[-1] == ("changing",)
    assert bytes.fromhex(stub.answer(b"qThreadExtraInfo,2").decode()).endswith(b", held")
    asked = len(travel.asked)
    assert stub.answer(b"vCont;s:2;c") == b"T02thread:2;"  # after an error, gdb would try it for ever
    assert len(travel.asked) == asked
    stub.answer(b"vCont;s:1;c")
    monitor("when")
    monitor("hold 0")
    monitor("hold 7")
    assert said(client[0]).splitlines()[1:] == [
        "CPU 1 is held, so it makes no step: monitor release.", "Every other CPU sleeps, and CPU 1 is held: monitor release.",
        "0.014349000 s, turn 1000, CPU 0, branch 0, held: CPU 1",
        "one CPU must run", "CPU 7 is not there, or off",
    ]  # fmt: skip
    monitor("release")
    assert not any(cpu.held for cpu in machine.board.cpus)


def said(client: socket.socket) -> str:
    """What a client was told to print."""
    pieces = [piece.split(b"#")[0] for piece in client.recv(1 << 16).split(b"$O")[1:]]
    return b"".join(bytes.fromhex(piece.decode()) for piece in pieces).decode()


PACKETS = (
    *(b"qRcmd," + line.hex().encode() for line in (b"catch syscall", b"threads tasks", b"caller pc=0x1000", b"uncatch")),
    b"QCatchSyscalls:1;0;1", b"QCatchSyscalls:0", b"qXfer:libraries-svr4:read::0,1000", b"qRcmd,747970652061", b"vCont;c:1",
    b"?", b"g", b"G00", b"m1000,8", b"M1000,1:00", b"X1000,1:a", b"p0", b"P0=00", b"Z0,1000,1", b"z0,1000,1", b"Z2,1000,8",
    b"vCont;c", b"vCont;s:1;c", b"vCont;s:1", b"c", b"s", b"bc", b"bs", b"Hg1", b"Hc-1", b"T1", b"qC", b"qfThreadInfo",
    b"qSupported:swbreak+;xmlRegisters=i386", b"qXfer:features:read:target.xml:0,1000", b"qXfer:threads:read::0,1000",
    b"qRcmd,68656c70", b"qThreadExtraInfo,1", b"vCont?", b"vMustReplyEmpty", b"qSymbol::", b"qRcmd,676f746f20302e31",
)  # fmt: skip


def damaged(r: random.Random) -> bytes:
    """A packet with some bytes changed, left out or added."""
    data = bytearray(r.choice(PACKETS))
    for _ in range(r.randrange(4)):
        at = r.randrange(len(data) + 1)
        match r.randrange(4):
            case 0:
                data[at:at] = bytes([r.randrange(256)])
            case 1:
                del data[at : at + r.randrange(1, 4)]
            case 2:
                data[at : at + 1] = r.choice([b"0", b"f", b"-1", b",", b":", b";", b"ffffffffffffffff", b"$", b"#", b"}"])
            case _:
                data += r.choice(PACKETS)
    return bytes(data)


@pytest.mark.parametrize("seed", range(10))
def test_damaged_packets_get_a_reply(stub: Stub, machine: Machine, client: list[socket.socket], seed: int) -> None:
    r = random.Random(seed)
    client[0].setblocking(False)
    before = machine.checkpoint()
    for n in range(10_000):
        with suppress(Detached):
            assert isinstance(stub.answer(damaged(r)), bytes)
        if n % 50 == 0:
            with suppress(BlockingIOError):
                while client[0].recv(1 << 20):
                    pass
    machine.restore(before)


# The wire


def wire_of() -> tuple[Wire, socket.socket]:
    ours, client = socket.socketpair()
    return Wire(ours, socket.create_server(("127.0.0.1", 0)), lambda: None), client


def test_packets_are_acknowledged() -> None:
    wire, client = wire_of()
    client.sendall(b"+$qC#b4$?#3f")
    assert (wire.receive(), wire.receive()) == (b"qC", b"?")
    assert client.recv(10) == b"++"
    client.sendall(b"$qC#b5$g#67")
    assert wire.receive() == b"g"
    assert client.recv(10) == b"-+"
    wire.send(b"OK")
    assert client.recv(10) == b"$OK#9a"
    client.sendall(b"-$g#67")  # it came damaged
    wire.receive()
    assert client.recv(20) == b"$OK#9a+"


def test_an_interrupt_is_seen_and_a_lost_packet_is_left_out() -> None:
    wire, client = wire_of()
    assert not wire.interrupted()
    client.sendall(b"\x03")
    assert wire.interrupted()
    assert not wire.interrupted()
    client.sendall(b"\x03$qC#b4")  # it stood already
    assert wire.receive() == b"qC" and not wire.interrupted()
    client.sendall(b"$qC#b4\x03")
    assert wire.receive() == b"qC" and wire.interrupted()
    assert client.recv(10) == b"++"
    client.sendall(b"$m100$qC#b4")
    assert wire.receive() == b"qC"
    assert client.recv(10) == b"-+"
    client.close()
    with pytest.raises(Closed):
        wire.receive()


def test_noise_ends_no_wire() -> None:
    r = random.Random(1)
    wire, client = wire_of()
    client.setblocking(False)
    for _ in range(300):
        client.sendall(r.randbytes(r.randrange(1, 40)).replace(b"$", b"x") + b"$?#3f")
        assert wire.receive() is not None
        client.recv(1 << 16)


def test_escapes() -> None:
    data = bytes(range(256))
    assert unescaped(escaped(data)) == data
    assert not set(b"$#*") & set(escaped(data))


# The server


def talk(port: int, *packets: bytes) -> list[bytes]:
    """What one client is told."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        told: list[bytes] = []
        for packet in packets:
            client.sendall(b"$%b#%02x" % (packet, sum(packet) & 0xFF))
            data = b""
            while data.count(b"#") < 1 or len(data) < data.index(b"#") + 3:
                try:
                    piece = client.recv(1 << 16)
                except ConnectionResetError:
                    piece = b""
                if not piece:
                    return told
                data += piece
            told.append(data[data.index(b"$") + 1 : data.index(b"#")])
        return told


def test_clients_come_one_after_the_other(machine: Machine, travel: Standing) -> None:
    views = stub_of(machine, travel)[0]._monitor._views
    with Server(machine.board, machine.cpus, travel, views) as server:
        serving = threading.Thread(target=server.serve, daemon=True)
        serving.start()
        assert talk(server.port, b"qC") == [b"QC1"]  # and dies
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as first:
            first.sendall(b"$qC#b4")
            assert first.recv(100)
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as second:
                assert second.recv(100) == b""
            first.sendall(b"$qC#b4")
            assert first.recv(100)
        assert talk(server.port, b"D", b"qC") == [b"OK"]
        assert serving.is_alive()
        assert talk(server.port, b"k") == []
        serving.join(10)
        assert not serving.is_alive()
