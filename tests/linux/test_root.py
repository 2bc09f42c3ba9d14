# SPDX-License-Identifier: GPL-2.0-only
"""What the guest's initramfs has in it. The real cpio unpacks what emu packs, and packs what emu reads."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import re
import shutil
import socket
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.kernel.cpio import MAGICS, TRAILER, Header, Member, head, padding, read_member
from emu.linux import root
from emu.linux.root import BadRoot, base, initrd_of, tree_of
from emu.linux.tree import HostFile

CPIO = shutil.which("cpio")
needs_cpio = pytest.mark.skipif(CPIO is None, reason="needs cpio")
COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstandard.compress,
}  # fmt: skip
FILE, LINK, HARD, DIRECTORY = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE


def run(*command: str, data: bytes = b"", cwd: Path | None = None) -> bytes:
    done = subprocess.run(command, input=data, cwd=cwd, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def members(archive: bytes) -> list[Member]:
    found, offset = [], 0
    while offset < len(archive):
        found.append(read_member(archive, offset))
        offset = found[-1].end
    assert found[-1].name == TRAILER
    return found[:-1]


def names(archive: bytes) -> list[str]:
    return [member.name.decode() for member in members(archive)]


def text_of(archive: bytes) -> dict[str, bytes]:
    return {member.name.decode(): bytes(member.data) for member in members(archive)}


def tar(*files: tuple[str, bytes, str], **fields: int) -> bytes:
    """A tar of names, kinds, and contents or targets."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for name, kind, text in files:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.mode = 0o755
            if kind == FILE:
                info.size = len(text.encode())
            else:
                info.linkname = text
            for field, value in fields.items():
                setattr(info, field, value)
            made.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def cpio(*files: tuple[str, int, str], **fields: int) -> bytes:
    """A cpio of names, modes, and contents or targets."""
    made = b""
    for name, mode, text in files:
        data = text.encode()
        made += head(name.encode(), Header(mode=mode, size=len(data))._replace(**fields)) + data + padding(len(data))
    return made + head(TRAILER, Header())


SHELL = ("bin/sh", FILE, "#!")
SMALL = (*(("bin", DIRECTORY, ""), SHELL), ("bin/ash", HARD, "bin/sh"), ("etc/a", LINK, "../bin/sh"), ("etc/b", FILE, "text"))


def written(directory: Path, data: bytes) -> Path:
    path = directory / "source"
    path.write_bytes(data)
    return path


@pytest.fixture
def refusal(tmp_path: Path) -> Callable[[bytes], str]:
    """Why the file with these bytes is refused."""

    def why(data: bytes) -> str:
        path = written(tmp_path, data)
        with pytest.raises(BadRoot) as refused:
            tree_of(path)
        start, _, rest = str(refused.value).partition(": ")
        assert start == str(path) and "\n" not in rest
        return rest

    return why


@needs_cpio
def test_the_base_as_cpio_lists_it() -> None:
    assert CPIO
    listed = run(CPIO, "-itv", "--quiet", "--numeric-uid-gid", data=base(b"i" * 5, b"b" * 7)).decode()
    # The mode, the number of links, the owner, and then the size or the device's numbers, the date, and the name.
    lines = [re.sub(r", +", ",", line).split() for line in listed.splitlines()]
    assert [f"{line[0]} {line[4]} {line[-1]}" for line in lines] == [
        "drwxr-xr-x 0 .emu",
        "-rwxr-xr-x 7 .emu/busybox",
        "-rwxr-xr-x 5 .emu/init",
        "drwxr-xr-x 0 bin",
        "drwxr-xr-x 0 dev",
        "crw------- 5,1 dev/console",
        "crw-rw-rw- 1,3 dev/null",
        "drwxr-xr-x 0 etc",
        "-rw-r--r-- 10 etc/group",
        "-rw-r--r-- 30 etc/passwd",
        "drwxr-xr-x 0 mnt",
        "drwxr-xr-x 0 proc",
        "drwxr-xr-x 0 root",
        "drwxr-xr-x 0 run",
        "drwxr-xr-x 0 sys",
        "drwxrwxrwt 0 tmp",
    ]


def test_the_base_without_busybox() -> None:
    both, one = base(b"init", b"busybox"), base(b"init", None)
    assert set(names(both)) - set(names(one)) == {".emu/busybox"}
    assert {member.header.mtime for member in members(both)} == {0}
    assert len(both) % 4 == len(one) % 4 == 0  # so that another archive can follow


PARTS = st.sampled_from(["a", "b", "é", "\udcff", "with space", "line\nbreak", "z.z"])
TARGETS = st.binary(min_size=1, max_size=5).filter(lambda text: b"\0" not in text)
CONTENTS = st.one_of(
    st.tuples(st.just("file"), st.binary(max_size=9)), st.tuples(st.sampled_from(["link", "fifo", "hard"]), TARGETS)
)
FILES = st.dictionaries(st.lists(PARTS, min_size=1, max_size=3).map(tuple), CONTENTS, max_size=7)


def populate(top: Path, files: Mapping[tuple[str, ...], tuple[str, bytes]], mode: int) -> None:
    """Makes files, with /bin/sh among them; `hard` gives a regular file another name."""
    (top / "bin").mkdir(parents=True)
    (top / "bin/sh").write_bytes(b"#!")
    for parts, (kind, data) in files.items():
        path = top.joinpath(*parts)
        if path.exists() or path.is_symlink() or any(top.joinpath(*parts[:n]).is_file() for n in range(len(parts))):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError:  # a link or a FIFO is there
            continue
        if kind == "file":
            path.write_bytes(data)
            path.chmod(mode)
        elif kind == "link":
            path.symlink_to(os.fsdecode(data))
        elif kind == "fifo":
            os.mkfifo(path, mode)
        else:
            os.link(top / "bin/sh", path)
    for number, path in enumerate(sorted(top.rglob("*"))):
        os.utime(path, (number, 10**9 + number), follow_symlinks=False)


@needs_cpio
@settings(max_examples=15, deadline=None)
@given(files=FILES, mode=st.integers(0o400, 0o777))
def test_a_tree_comes_back(files: Mapping[tuple[str, ...], tuple[str, bytes]], mode: int) -> None:
    """A directory, what cpio unpacks of it, what cpio packs of that, and a tar of it give the same archive."""
    assert CPIO
    with tempfile.TemporaryDirectory() as folder:
        top, copy = Path(folder, "top"), Path(folder, "copy")
        populate(top, files, mode)
        copy.mkdir()
        archive = tree_of(top)
        run(CPIO, "-im", "--quiet", data=archive, cwd=copy)
        for path in top.rglob("*"):
            if path.is_symlink() or path.is_dir():  # cpio does not keep their times
                os.utime(copy / path.relative_to(top), ns=(0, path.lstat().st_mtime_ns), follow_symlinks=False)
        assert tree_of(copy) == archive
        listed = b"".join(os.fsencode(path.relative_to(top)) + b"\0" for path in top.rglob("*"))
        packed = run(CPIO, "-o0", "-H", "newc", "--quiet", data=listed, cwd=top)
        assert tree_of(written(Path(folder), packed)) == archive
        packed = run(CPIO, "-o0", "-H", "crc", "--quiet", data=listed, cwd=top)
        assert tree_of(written(Path(folder), packed)) == archive
        with tarfile.open(Path(folder, "tar"), "w", format=tarfile.GNU_FORMAT) as made:
            made.add(top, ".")
        assert tree_of(Path(folder, "tar")) == archive


def test_names_are_sorted_and_directories_come_first(tmp_path: Path) -> None:
    populate(tmp_path / "top", {("a", "z"): ("file", b""), ("a-b",): ("file", b""), ("B",): ("file", b"")}, 0o600)
    assert names(tree_of(tmp_path / "top")) == ["B", "a", "a/z", "a-b", "bin", "bin/sh"]


def test_hard_links_have_one_inode_and_the_data_at_the_last(tmp_path: Path) -> None:
    found = members(tree_of(written(tmp_path, tar(*SMALL))))
    shells = [member for member in found if member.name.startswith(b"bin/")]
    assert [(member.name, bytes(member.data)) for member in shells] == [(b"bin/ash", b""), (b"bin/sh", b"#!")]
    assert {member.header.links for member in shells} == {2}
    assert shells[0].header.inode == shells[1].header.inode
    assert len({member.header.inode for member in found}) == len(found) - 1


def test_the_numbers_of_a_device(tmp_path: Path) -> None:
    data = tar(SHELL)[:1024] + tar(("disk", tarfile.BLKTYPE, ""), devmajor=8, devminor=300, uid=7, gid=70000, mtime=99)
    (disk,) = [member for member in members(tree_of(written(tmp_path, data))) if member.name == b"disk"]
    found = disk.header
    assert (found.device_major, found.device_minor, found.uid, found.gid, found.mtime) == (8, 300, 7, 70000, 99)
    assert found.mode == stat.S_IFBLK | 0o755


def test_sockets_and_emus_own_files_are_left_out(tmp_path: Path) -> None:
    populate(tmp_path / "top", {(".emu", "init"): ("file", b"")}, 0o600)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "top/socket"))
        assert names(tree_of(tmp_path / "top")) == ["bin", "bin/sh"]


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_compressed_archives(tmp_path: Path, name: str) -> None:
    plain, pack = tree_of(written(tmp_path, tar(*SMALL))), COMPRESSIONS[name]
    data = tar(*SMALL)
    assert tree_of(written(tmp_path, pack(data))) == plain
    assert tree_of(written(tmp_path, pack(data[:700]) + pack(data[700:]) + bytes(8))) == plain
    assert tree_of(written(tmp_path, pack(plain))) == plain
    early = cpio(("early", stat.S_IFREG | 0o644, "microcode"))
    assert names(tree_of(written(tmp_path, early + bytes(512) + pack(plain)))) == [*names(plain)[:3], "early", *names(plain)[3:]]


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    data = tar(*SMALL)
    assert tree_of(written(tmp_path, data)) == tree_of(written(tmp_path, data))
    other = tar(*SMALL[:2], *SMALL[:2:-1], SMALL[2])
    assert tree_of(written(tmp_path, other)) == tree_of(written(tmp_path, data))


@pytest.mark.parametrize(
    "name", ["../etc/x", "/etc/x", "./etc//x", "a/../etc/x", "../../../etc/./x", "sys/../../etc/x", "up/etc/x", "top/etc/x"]
)
def test_names_stay_within_the_root(tmp_path: Path, name: str) -> None:
    links = (("up", LINK, "../../.."), ("top", LINK, "/"))
    found = text_of(tree_of(written(tmp_path, tar(SHELL, *links, (name, FILE, "here")))))
    assert found["etc/x"] == b"here"
    modes = {"bin/sh": stat.S_IFREG | 0o755, "up": stat.S_IFLNK | 0o777, "top": stat.S_IFLNK | 0o777, name: stat.S_IFREG | 0o755}
    texts = {"bin/sh": "#!", "up": "../../..", "top": "/", name: "here"}
    assert text_of(tree_of(written(tmp_path, cpio(*((one, modes[one], texts[one]) for one in modes))))) == found


def test_a_name_goes_through_links_as_for_tar(tmp_path: Path) -> None:
    """The kernel unpacks in the order of names, in which usr/bin does not exist yet when bin/sh comes."""
    found = tree_of(written(tmp_path, tar(("bin", LINK, "usr/bin"), SHELL, ("usr/bin", DIRECTORY, ""))))
    assert names(found) == ["bin", "usr", "usr/bin", "usr/bin/sh"]


@pytest.mark.parametrize(
    "files",
    [
        (("usr/bin/dash", FILE, ""), ("usr/bin/sh", LINK, "dash"), ("bin", LINK, "usr/bin")),
        (("bin/busybox", FILE, ""), ("bin/sh", LINK, "/bin/busybox")),
        (("nix/1/sh", FILE, ""), ("etc/alternatives/sh", LINK, "/nix/1/sh"), ("bin/sh", LINK, "../../etc/alternatives/sh")),
    ],
)
def test_a_shell_is_found_through_links(tmp_path: Path, files: tuple[tuple[str, bytes, str], ...]) -> None:
    tree_of(written(tmp_path, tar(*files)))


@pytest.mark.parametrize(
    "files",
    [
        (),
        (("bin/sh", DIRECTORY, ""),),
        (("bin/sh", LINK, "busybox"),),
        (("bin/sh", LINK, "sh"),),
        (("bin", LINK, "/bin"),),
        (("usr/bin/sh", FILE, ""), ("bin", LINK, "usr/bin/sh")),
    ],
)
def test_a_tree_without_a_shell_is_refused(refusal: Callable[[bytes], str], files: tuple[tuple[str, bytes, str], ...]) -> None:
    assert refusal(tar(*files)) == "there is no /bin/sh in it"


LONG = "/".join(["d" * 200] * 21)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is neither a tar nor a newc cpio, or is damaged (empty file)"),
        (b"text\n" * 200, "it is neither a tar nor a newc cpio, or is damaged (invalid header)"),
        (b"070707" + bytes(600), "it is neither a tar nor a newc cpio, or is damaged (bad checksum)"),
        (b"\x5d\0" + bytes(100), "it is compressed by lzma: unpack it first"),
        (gzip.compress(b"x" * 100, mtime=0)[:-9], "its gzip data are not complete"),
        (zstandard.compress(b"x" * 100)[:-1], "its zstd data are not complete"),
        (lzma.compress(b"x" * 100)[:-9] + b"damaged!!", "its xz data are damaged"),
        (gzip.compress(tar(*SMALL), mtime=0) + b"more", "its gzip data are damaged"),
        (tar(SHELL)[:700], "it is neither a tar nor a newc cpio, or is damaged (unexpected end of data)"),
        (tar(*SMALL)[:600] + b"damaged" + tar(*SMALL)[607:], "it is a tar that is damaged at 512"),
        (tar(SHELL, (LONG, FILE, "")), f"the name {LONG[:200]}... is longer than Linux's can be"),
        (tar(SHELL, ("d" * 256, FILE, "")), f"the name {LONG[:200]}... is longer than Linux's can be"),
        (tar(SHELL, ("a", LINK, "t" * 4096)), "the target of the link a is no name"),
        (tar(SHELL, ("bin/sh/a", FILE, "")), "bin/sh/a does not lie in a directory"),
        (tar(SHELL, ("bin", FILE, "")), "bin is a directory with files, and something else"),
        (tar(SHELL, ("..", FILE, "")), "the root is no directory"),
        (tar(SHELL, (TRAILER.decode(), FILE, "")), "TRAILER!!! is the end of an archive, not a name"),
        (tar(SHELL, ("line\nbreak", HARD, "nosuch")), r"line\nbreak is a link to nosuch, and no file before it has this name"),
        (tar(SHELL, ("a", b"V", "")), "a is of an unknown kind"),
        (tar(SHELL, uid=1 << 40), "an owner or a device number of bin/sh has more than 32 bits"),
        (cpio(("a", 0, "")), "a is of an unknown kind"),
        (cpio(("a", stat.S_IFREG, ""))[:-124], "its cpio archive does not end"),
        (cpio(("a", stat.S_IFREG, "text"))[:-126], "it is damaged: the archive ends within the file at 0"),
        (cpio(("a", stat.S_IFREG, "")) + b"text", "it is damaged: no newc header at 236"),
        (cpio(("a\0b", stat.S_IFREG, "")), r"a\x00b is no name"),
        (b"070702" + cpio(("a", stat.S_IFREG, "text"))[6:], "it is damaged: the file at 0 has another sum than its header says"),
    ],
)  # fmt: skip
def test_what_cannot_be_unpacked_is_refused(refusal: Callable[[bytes], str], data: bytes, why: str) -> None:
    assert refusal(data) == why


def sparse(path: Path, start: bytes, size: int) -> Path:
    path.write_bytes(start)
    os.truncate(path, size)
    return path


def test_files_of_4_gib_are_refused(tmp_path: Path) -> None:
    populate(tmp_path / "top", {}, 0o600)
    sparse(tmp_path / "top/large", b"", 1 << 32)
    with pytest.raises(BadRoot, match=r"top: large has 4 GiB or more$"):
        tree_of(tmp_path / "top")
    for read in (tree_of, initrd_of):
        with pytest.raises(BadRoot, match=r"large: it has 4 GiB or more$"):
            read(tmp_path / "top/large")
    for name in ("large", "other"):
        sparse(tmp_path / "top" / name, b"", 1 << 31)
    with pytest.raises(BadRoot, match=r"top: all files together have 4 GiB or more$"):
        tree_of(tmp_path / "top")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("rm file", "cannot be read (No such file or directory)"),
        ("echo >> file", "changed meanwhile"),
        ("echo two > file", "changed meanwhile"),
        ("rm file; mkfifo file", "changed meanwhile"),
        ("rm file; ln -s bin/sh file", "cannot be read (Too many levels of symbolic links)"),
        ("cp file other; mv other file", "changed meanwhile"),
    ],
)
def test_a_file_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, why: str) -> None:
    top = tmp_path / "top"
    populate(top, {("file",): ("file", b"one\n")}, 0o600)
    copy_to = HostFile.copy_to

    def changed_before(self: HostFile, out: io.BytesIO) -> bool:
        if len(self) == 4:
            run("sh", "-c", change, cwd=top)
        return copy_to(self, out)

    monkeypatch.setattr(HostFile, "copy_to", changed_before)
    with pytest.raises(BadRoot) as refused:
        tree_of(top)
    assert str(refused.value) == f"{top}: file {why}"


def test_what_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for read in (tree_of, initrd_of):
        with pytest.raises(BadRoot, match=r"nosuch: it cannot be read \(No such file or directory\)$"):
            read(tmp_path / "nosuch")
        with pytest.raises(BadRoot, match=r"fifo: it is no file$"):
            read(tmp_path / "fifo")


STARTS = (b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0", b"\x5d\0\0", b"\x89LZO", b"\x02\x21\x4c\x18", b"\x28\xb5\x2f\xfd")


@pytest.mark.parametrize("start", [*MAGICS, *STARTS])
def test_an_initrd_is_given_as_it_is(tmp_path: Path, start: bytes) -> None:
    assert initrd_of(written(tmp_path, start + b"rest")) == start + b"rest"


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "it is empty"), (b"070707", "it is neither a newc cpio nor compressed by what Linux unpacks")],
)
def test_what_linux_does_not_unpack_is_no_initrd(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(BadRoot) as refused:
        initrd_of(written(tmp_path, data))
    assert str(refused.value) == f"{tmp_path}/source: {why}"


def damaged(whole: list[bytes], rounds: int) -> Iterator[bytes]:
    source = random.Random(1)
    for number in range(rounds):
        data = bytearray(whole[number % len(whole)])
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(data))
            match source.randrange(4):
                case 0:
                    data[at] ^= 1 << source.randrange(8)
                case 1:
                    data[at : at + 8] = source.randbytes(8)
                case 2:
                    del data[at:]
                    data += bytes([0])
                case _:
                    data[at : at + 12] = source.choice([b"\x80" + b"\xff" * 11, b"\xff" * 12, b"FFFFFFFF0000", b"00000000000\0"])
        yield bytes(data)


def test_damaged_archives_are_refused_or_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tree_of(written(tmp_path, tar(*SMALL)))
    # The zeros at the end of a tar are many, and damage there is harmless.
    plain = [tar(*SMALL)[:3584], packed, cpio(("bin/sh", stat.S_IFREG, "x" * 9), ("bin/ash", stat.S_IFLNK, "sh"), links=2)]
    whole = [*plain, *(pack(data) for data in plain[:2] for pack in COMPRESSIONS.values())]
    content = b""
    monkeypatch.setattr(root, "_read_file", lambda path: content)
    outcomes = {"read": 0, "refused": 0}
    for content in damaged(whole, 10_000):  # noqa: B007  # _read_file returns it
        try:
            found = tree_of(tmp_path / "source")
        except BadRoot as why:
            assert "\n" not in str(why)
            outcomes["refused"] += 1
        else:
            assert b"bin/sh" in {member.name for member in members(found)}
            outcomes["read"] += 1
    assert min(outcomes.values()) > 100
