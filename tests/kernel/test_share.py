# SPDX-License-Identifier: GPL-2.0-only
"""Host folders in the guest: their contents can be used there, and nothing else of the host can."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from emu.cli import main
from emu.kernel.cpio import read_entries
from emu.kernel.files.node import Directory, Node, OpenFlags
from emu.kernel.files.served_tree import ServedTree
from emu.kernel.files.share import Share
from emu.kernel.files.shared_folder import SharedFolder
from emu.machine import Machine, image_directory

SECRET = "the host's own\n"


@pytest.fixture(scope="module")
def world(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`ro` and `rw` are shared; `secret`, next to them, is not."""
    base = tmp_path_factory.mktemp(f"share-{arch}")
    (base / "secret").write_text(SECRET)
    for name in ("ro", "rw"):
        folder = base / name
        (folder / "sub" / "deep").mkdir(parents=True)
        (folder / "hello").write_text("hello from the host\n")
        (folder / "sub" / "big").write_bytes(bytes(range(256)) * 1200)
        (folder / "out").symlink_to(base / "secret")
        (folder / "up").symlink_to("../secret")
        (folder / "in").symlink_to("sub/../hello")
        (folder / "loop").symlink_to("loop")
        os.mkfifo(folder / "fifo")
        socket.socket(socket.AF_UNIX).bind(os.path.relpath(folder / "socket"))
        os.utime(folder / "hello", ns=(10**18, 10**18))
    (base / "rw" / "program").write_bytes(program(arch, "echo"))
    (base / "rw" / "program").chmod(0o755)
    return base


def program(arch: str, name: str) -> bytes:
    """One of the guest's programs."""
    archive = (image_directory(arch) / "initramfs.cpio").read_bytes()
    return next(entry.data for entry in read_entries(archive) if entry.name == f"bin/{name}")


@pytest.fixture(scope="module")
def machine(arch: str, world: Path) -> Iterator[Machine]:
    shares = [Share(world / "ro"), Share(world / "rw", "/work", writable=True)]
    with Machine(arch=arch, cpus=2, shares=shares) as made:
        yield made


def said(machine: Machine, command: str) -> str:
    """The output of a command."""
    return machine.run(command).output.decode(errors="replace")


def test_contents_sizes_modes_and_times_are_the_hosts(machine: Machine) -> None:
    assert said(machine, "ls /mnt/ro") == "fifo\nhello\nin\nloop\nout\nsocket\nsub\nup\n"
    assert said(machine, "cat /mnt/ro/hello /mnt/ro/in") == "hello from the host\n" * 2
    listing = said(machine, "ls -l /mnt/ro").splitlines()
    assert [line[0] for line in listing[1:]] == ["p", "-", "l", "l", "l", "s", "d", "l"]
    hello = listing[2].split()
    assert hello[0][1:] == stat.filemode(0o100644)[1:]
    assert (hello[1:5], hello[-3:-1]) == (["1", "root", "root", "20"], ["9", "2001"])
    assert said(machine, "cd /mnt/ro/sub/deep; cat ../../hello") == "hello from the host\n"


def test_a_large_file_comes_whole(machine: Machine, world: Path) -> None:
    machine.run("cat /mnt/ro/sub/big > /work/copy")
    assert (world / "rw" / "copy").read_bytes() == (world / "ro" / "sub" / "big").read_bytes()
    assert said(machine, "cat < /mnt/ro/sub/big > /tmp/copy; ls -l /tmp/copy").split()[4] == str(256 * 1200)


def test_a_program_runs_from_a_share_and_anew_when_it_has_changed(machine: Machine, world: Path, arch: str) -> None:
    assert said(machine, "/work/program a b; /work/program c") == "a b\nc\n"
    (world / "rw" / "program").write_bytes(program(arch, "false"))
    assert machine.run("/work/program").status == 1
    machine.run("cat /bin/echo > /work/program")
    assert said(machine, "/work/program written by the guest") == "written by the guest\n"
    assert machine.run("/work/hello").status == 126


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("cat out", "No such file or directory"),
        ("cat up", "No such file or directory"),
        ("cat loop", "Too many levels of symbolic links"),
        ("cat fifo", "No such device or address"),
        ("cat socket", "No such device or address"),
        ("cat sub", "Is a directory"),
        ("cat hello/x", "Not a directory"),
        ("cat nothing", "No such file or directory"),
    ],
)
@pytest.mark.parametrize("folder", ["/mnt/ro", "/work"])
def test_what_cannot_be_read_says_why(machine: Machine, folder: str, command: str, error: str) -> None:
    assert error in said(machine, f"cd {folder}; {command}")


@pytest.mark.parametrize(
    "command",
    ["echo x > new", "echo x > hello", "echo x >> hello", "mkdir d", "rmdir sub/deep", "rm hello", "ln -s a b",
     "ln hello h", "mv hello moved", "> hello"],
)  # fmt: skip
def test_a_share_is_read_only_unless_it_is_not(machine: Machine, world: Path, command: str) -> None:
    before = sorted(os.listdir(world / "ro"))
    done = machine.run(f"cd /mnt/ro; {command}")
    assert done.status != 0
    assert b"Read-only file system" in done.output
    assert sorted(os.listdir(world / "ro")) == before
    assert (world / "ro" / "hello").read_text() == "hello from the host\n"


def test_nothing_makes_a_read_only_share_writable(machine: Machine, world: Path) -> None:
    machine.run("mkdir /again; mount -t hostfs -o rw share0 /again; echo x > /again/new; echo x > /again/hello")
    assert not (world / "ro" / "new").exists()
    assert (world / "ro" / "hello").read_text() == "hello from the host\n"
    assert machine.run("mkdir /nosuch; mount -t hostfs share9 /nosuch").status != 0


def test_files_and_directories_come_and_go(machine: Machine, world: Path) -> None:
    folder = world / "rw"
    assert said(machine, "cd /work; echo one > f; echo two >> f; cat f; > f; ls -l f").split()[:3:2] == ["one", "-rw-r--r--"]
    assert (folder / "f").read_text() == ""
    command = "cd /work; mkdir d; echo x > d/a; mv d/a d/b; mv d e; cat e/b; ln e/b hard; rm e/b; cat hard"
    assert said(machine, command) == "x\nx\n"
    assert (folder / "hard").read_text() == "x\n"
    assert (folder / "e").is_dir()
    assert "Directory not empty" in said(machine, "cd /work; ln -s b e/link; rmdir e")
    assert os.readlink(folder / "e" / "link") == "b"
    assert machine.run("cd /work; rm e/link; rmdir e; rm hard; rm f; ls").output.decode().split() == sorted(os.listdir(folder))
    assert not (folder / "e").exists()


def test_what_the_host_changes_is_seen(machine: Machine, world: Path) -> None:
    file = world / "rw" / "changing"
    file.write_text("first\n")
    assert said(machine, "cat /work/changing") == "first\n"
    file.write_text("second, and longer\n")
    assert said(machine, "cat /work/changing") == "second, and longer\n"
    file.unlink()
    assert "No such file" in said(machine, "cat /work/changing")
    file.mkdir()
    (file / "x").write_text("now a directory\n")
    assert said(machine, "cat /work/changing/x") == "now a directory\n"
    (file / "x").unlink()
    file.rmdir()


def test_an_open_file_outlives_its_name(machine: Machine) -> None:
    command = "cd /work; echo kept > gone; { rm gone; cat; } < gone; cat gone"
    assert said(machine, command) == "kept\ncat: gone: No such file or directory\n"


def test_owners_cannot_be_changed(machine: Machine) -> None:
    assert said(machine, "chown 0:0 /work/hello && ls -n /work/hello | cut -d' ' -f3,4") == "0 0\n"
    assert said(machine, "chown 1:1 /work/hello; ls -n /work/hello | cut -d' ' -f3,4").endswith("Operation not permitted\n0 0\n")


def test_the_guests_own_links_lead_nowhere_on_the_host(machine: Machine, world: Path) -> None:
    """The guest follows links itself, in its own tree."""
    outside = world / "secret"
    machine.run(f"cd /work; ln -s {outside} l1; ln -s ../secret l2; ln -s .. parent; echo x > l1; echo x > l2; cat l1; cat l2")
    assert outside.read_text() == SECRET
    assert SECRET not in said(machine, "cd /work; cat l1 l2 parent/secret ../secret ../../secret")
    machine.run("cd /work; echo x > f; mv f ../moved; ln hello ../linked; ln -s / root; echo x > root/new; echo x > ../new")
    assert sorted(os.listdir(world)) == ["ro", "rw", "secret"]
    machine.run("cd /work; rm l1; rm l2; rm parent; rm root")


# The folder itself, on a host that changes it while the guest uses it.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shared" / "d").mkdir(parents=True)
    (tmp_path / "shared" / "d" / "f").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("outside")
    return tmp_path / "shared"


@pytest.fixture
def root(folder: Path) -> Iterator[Directory]:
    made = SharedFolder(folder, writable=True)
    yield made.root
    made.close()


@pytest.fixture
def d(root: Directory) -> Directory:
    found = root.lookup("d")
    assert isinstance(found, Directory)
    return found


@pytest.fixture
def f(d: Directory) -> Node:
    return d.lookup("f")


def swap_for_link(folder: Path) -> None:
    """Replaces `d` by a link to the folder outside."""
    (folder / "d").rename(folder / "was")
    (folder / "d").symlink_to("../outside")


OPERATIONS: dict[str, Callable[[Directory, Directory, Node], object]] = {
    "lookup": lambda root, d, f: d.lookup("f"),
    "attributes": lambda root, d, f: f.attributes(),
    "read": lambda root, d, f: f.open(OpenFlags.READ),
    "write": lambda root, d, f: f.open(OpenFlags.WRITE),
    "truncate": lambda root, d, f: f.set_attributes(None, 0, None),
    "chmod": lambda root, d, f: f.set_attributes(0o777, None, None),
    "open directory": lambda root, d, f: d.open(OpenFlags.READ),
    "list": lambda root, d, f: d.entries(),
    "create": lambda root, d, f: d.create("new", 0o644),
    "mkdir": lambda root, d, f: d.mkdir("new", 0o755),
    "symlink": lambda root, d, f: d.symlink("new", "text"),
    "link": lambda root, d, f: d.link("new", f),
    "unlink": lambda root, d, f: d.unlink("f"),
    "rename to": lambda root, d, f: root.rename("was", d, "new"),
    "rename from": lambda root, d, f: d.rename("f", root, "new"),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_directory_swapped_for_a_link_is_not_followed(
    folder: Path, root: Directory, d: Directory, f: Node, operation: str
) -> None:
    swap_for_link(folder)
    with pytest.raises(OSError):
        OPERATIONS[operation](root, d, f)
    assert [path.name for path in (folder.parent / "outside").iterdir()] == ["f"]
    assert (folder.parent / "outside" / "f").read_text() == "outside"
    assert stat.S_IMODE((folder.parent / "outside" / "f").stat().st_mode) == 0o644


@pytest.mark.parametrize("operation", ["read", "write", "truncate", "chmod"])
def test_a_file_swapped_for_a_link_is_not_followed(
    folder: Path, root: Directory, d: Directory, f: Node, operation: str
) -> None:
    (folder / "d" / "f").unlink()
    (folder / "d" / "f").symlink_to("../../outside/f")
    with pytest.raises(OSError):
        OPERATIONS[operation](root, d, f)
    assert (folder.parent / "outside" / "f").read_text() == "outside"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_has_anothers_name_is_not_taken_for_it(
    folder: Path, root: Directory, d: Directory, f: Node, operation: str
) -> None:
    (folder / "d").rename(folder / "was")
    (folder / "d").mkdir()
    (folder / "d" / "f").write_text("another")
    with pytest.raises(OSError) as error:
        OPERATIONS[operation](root, d, f)
    assert error.value.errno == errno.ESTALE
    assert (folder / "d" / "f").read_text() == "another"


def test_what_moves_stays_what_it_was(folder: Path, root: Directory, d: Directory, f: Node) -> None:
    d.rename("f", d, "f")
    d.rename("f", root, "g")
    assert f.attributes().size == len("inside")
    assert root.lookup("g") is f
    (folder / "d" / "f").write_text("new")
    replaced = d.lookup("f")
    root.rename("g", d, "f")
    assert d.lookup("f") is f
    assert not f.removed
    assert replaced.removed
    with pytest.raises(OSError) as error:
        replaced.attributes()
    assert error.value.errno == errno.ESTALE


def test_what_was_in_a_directory_that_is_gone_is_gone_too(folder: Path, root: Directory, d: Directory, f: Node) -> None:
    (folder / "d" / "f").unlink()
    (folder / "d").rmdir()
    (folder / "d").write_text("now a file")
    assert root.lookup("d") is not d
    assert d.removed
    assert f.removed


def test_numbers_that_a_host_does_not_have_are_errnos(folder: Path, f: Node) -> None:
    file = f.open(OpenFlags.READ | OpenFlags.WRITE)
    assert file.read((1 << 63) - 1, 4096) == b""
    assert file.read((1 << 64) - 1, 4096) == b""
    for operation, code in (
        (lambda: file.write((1 << 63) - 1, b"xx"), errno.EFBIG),
        (lambda: f.set_attributes(None, 1 << 63, None), errno.EFBIG),
        (lambda: f.set_attributes(None, None, 1 << 80), errno.EINVAL),
        (lambda: f.set_attributes(None, None, -(1 << 80)), errno.EINVAL),
    ):
        with pytest.raises(OSError) as error:
            operation()
        assert error.value.errno == code
    file.release()
    assert (folder / "d" / "f").read_text() == "inside"


def test_what_is_no_regular_file_is_not_opened(folder: Path, root: Directory) -> None:
    os.mkfifo(folder / "fifo")
    fifo = root.lookup("fifo")
    for flags in (OpenFlags.READ, OpenFlags.WRITE, OpenFlags.READ | OpenFlags.WRITE):
        with pytest.raises(OSError) as error:
            fifo.open(flags)
        assert error.value.errno == errno.ENXIO
    with pytest.raises(OSError):
        fifo.set_attributes(0o777, None, None)


def test_a_directory_moved_out_is_left_alone(folder: Path, root: Directory, d: Directory, f: Node) -> None:
    (folder / "d").rename(folder.parent / "moved")
    for operation in ("lookup", "create", "unlink", "read"):
        with pytest.raises(OSError):
            OPERATIONS[operation](root, d, f)


def test_permissions_beyond_rwx_are_not_the_guests_to_give(folder: Path, root: Directory) -> None:
    made = root.create("new", 0o6777)
    made.set_attributes(0o6755, None, None)
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o755


def test_numbers_depend_on_the_order_of_names_only(folder: Path) -> None:
    for name in ("c", "a", "b"):
        (folder / name).write_text("")
    for _ in range(2):
        shared = SharedFolder(folder)
        served = ServedTree(shared.root)
        listing = [(name, served.number(node)) for name, node in shared.root.entries()]
        assert listing == [("a", 2), ("b", 3), ("c", 4), ("d", 5)]
        shared.close()


def test_descriptors_are_bounded_and_given_back(f: Node) -> None:
    before = len(os.listdir("/proc/self/fd"))
    handles = []
    with pytest.raises(OSError, match="too many"):
        for _ in range(1000):
            handles.append(f.open(OpenFlags.READ))
    assert len(handles) == 256
    for handle in handles:
        handle.release()
    f.open(OpenFlags.READ).release()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("a", Share(Path("a"))),
        ("a:rw", Share(Path("a"), None, True)),
        ("a:/b", Share(Path("a"), "/b")),
        ("a:/b:rw", Share(Path("a"), "/b", True)),
        ("a:b", Share(Path("a:b"))),
        ("/:ro", Share(Path("/"))),
    ],
)
def test_the_option(text: str, share: Share) -> None:
    assert Share.parse(text) == share


def test_where_shares_are_found(tmp_path: Path) -> None:
    assert Share(tmp_path / "x" / "..").mount_point == f"/mnt/{tmp_path.name}"
    assert Share(Path("/")).mount_point == "/mnt/host"


@pytest.mark.parametrize(("folder", "why"), [("nosuch", "No such file or directory"), ("file", "Not a directory")])
def test_a_folder_that_is_none_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: str, why: str
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as end:
        main(["run", "--share", str(tmp_path / folder), "--", "true"])
    assert end.value.code == 2
    assert capsys.readouterr().err == f"emu: cannot read {tmp_path / folder}: {why}\n"
