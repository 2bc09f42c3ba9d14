# SPDX-License-Identifier: GPL-2.0-only
"""ext2 in the guest: images made by the real mke2fs, and checked afterwards by the real e2fsck."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.cpu.ramdisk import RamDisk
from emu.machine import Completed, Machine
from tests.lib import disks

pytestmark = disks.needs_e2fsprogs

DISK = 16 << 20


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2, ramdisk=RamDisk(DISK)) as machine:
        assert machine.run("mkdir /mnt").status == 0
        yield machine


class Image:
    """An image file, and the disk of the machine."""

    def __init__(self, machine: Machine, path: Path) -> None:
        self.machine = machine
        self.path = path

    def make(self, *options: str, size: str = "8M", source: Path | None = None) -> None:
        self.path.unlink(missing_ok=True)
        tree = ["-d", str(source)] if source else []
        subprocess.run(
            ["mke2fs", "-q", "-F", "-t", "ext2", *options, *tree, str(self.path), size], check=True, capture_output=True
        )
        self.insert()

    def insert(self) -> None:
        """Copies the file to the disk."""
        self.machine.ramdisk.write(0, self.path.read_bytes().ljust(DISK, b"\0"))

    def run(self, script: str, options: str = "rw") -> str:
        """Runs a script with the image mounted at /mnt; it must succeed."""
        done = self.attempt(script, options)
        assert done.status == 0, done.output.decode()
        return done.output.decode()

    def attempt(self, script: str, options: str = "rw") -> Completed:
        mounted = self.machine.run(f"mount -t ext2 -o {options} /dev/ram0 /mnt")
        if mounted.status:
            return mounted
        done = self.machine.run(f"cd /mnt; {script}")
        unmounted = self.machine.run("umount /mnt")
        assert unmounted.status == 0, unmounted.output
        assert not self.machine.warnings
        return done

    def check(self) -> None:
        """Checks that e2fsck finds no errors."""
        self.path.write_bytes(self.machine.ramdisk.read(0, self.path.stat().st_size))
        done = subprocess.run(["e2fsck", "-fn", self.path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout

    def extract(self, folder: Path) -> None:
        """Extracts the image's tree with debugfs."""
        subprocess.run(["debugfs", "-R", f"rdump / {folder}", self.path], check=True, capture_output=True)


@pytest.fixture
def image(machine: Machine, tmp_path: Path) -> Image:
    return Image(machine, tmp_path / "image")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with files of all kinds."""
    folder = tmp_path_factory.mktemp("tree") / "source"
    (folder / "d" / "e").mkdir(parents=True)
    for number in range(40):
        (folder / "d" / f"file{number}").write_text(f"file {number}\n" * number)
    (folder / "big").write_bytes(bytes(range(251)) * 3000)
    (folder / "short").symlink_to("d/file3")
    (folder / "long").symlink_to("d/" + "./" * 60 + "file4")
    os.link(folder / "d" / "file5", folder / "d" / "e" / "again")
    return folder


KINDS = {
    "1k": ("-b", "1024"),
    "2k": ("-b", "2048"),
    "4k": ("-b", "4096"),
    "revision 0": ("-b", "1024", "-r", "0", "-O", "none", "-I", "128"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_there(kind: str, image: Image, source: Path, tmp_path: Path) -> None:
    """Reads files, indirect blocks and links of an image; then makes changes of every kind, checked by e2fsck and debugfs."""
    image.make(*KINDS[kind], source=source)
    shown = image.run(
        "cat short long; cat big > /big; ls d | sed -n '$='; for f in big d/e/again; do ls -l $f | cut -d' ' -f2,5; done;"
        "readlink short;"
        "cp -r d n; mv n/file1 m; rm d/file2; rm -r n/e; mkdir -p p/q/r; rmdir p/q/r; ln big b2; ln -s x y;"
        f"ln -s {'z/' * 40}z long2; echo more >> d/file7; cp /big p/q/copy; mv d/e p/; chmod 600 m; mkfifo fifo;"
        "mknod null c 1 3; touch -d @1000000000 m; dd if=/big of=d/file9 bs=100 count=3 seek=2 conv=notrunc status=none"
    )
    assert shown == "file 3\n" * 3 + "file 4\n" * 4 + "41\n1 753000\n2 35\nd/file3\n"
    image.check()
    out = tmp_path / "out"
    out.mkdir()
    image.extract(out)
    assert (out / "p/q/copy").read_bytes() == (out / "b2").read_bytes() == (source / "big").read_bytes()
    assert (out / "d/file7").read_text() == "file 7\n" * 7 + "more\n"
    assert (out / "m").read_text() == "file 1\n"
    assert int((out / "m").stat().st_mtime) == 1_000_000_000
    assert not (out / "d/file2").exists() and (out / "n/file2").read_text() == "file 2\n" * 2
    assert (out / "d/file9").read_bytes()[200:500] == (source / "big").read_bytes()[:300]
    assert os.readlink(out / "long2") == "z/" * 40 + "z"
    assert sorted(os.listdir(out / "p/e")) == ["again"]


def test_reading_changes_nothing(image: Image, source: Path) -> None:
    image.make(source=source)
    before = image.machine.ramdisk.read()
    assert image.run("cat big d/file* > /dev/null; ls -l d > /dev/null", "ro") == ""
    assert b"Read-only file system" in image.attempt("echo > new; true", "ro").output
    assert image.machine.ramdisk.read() == before


def test_an_indexed_folder(image: Image, tmp_path: Path) -> None:
    many = tmp_path / "many"
    (many / "d").mkdir(parents=True)
    names = [f"a-file-with-a-name-that-takes-room-{number:04}" for number in range(300)]
    for name in names:
        (many / "d" / name).write_text(name)
    image.make("-b", "1024", "-N", "512", source=many)
    subprocess.run(["e2fsck", "-fyD", image.path], capture_output=True)
    image.insert()
    assert image.run(f"ls d | sed -n '$='; cat d/{names[123]}").split() == ["300", names[123]]
    assert image.run(f"cd d; echo new > new; rm {names[7]} {names[250]}; ls | sed -n '$='") == "299\n"
    image.check()


def test_tables_of_three_levels(image: Image) -> None:
    """A file with holes, as long as triple indirect blocks of 1 KiB allow; then truncated in steps."""
    image.make("-b", "1024")
    free = image.run("echo 1 > keep; dd if=/dev/zero of=f bs=1k seek=70000 count=2 status=none;"
                     "echo -n end >> f; ls -l f | cut -d' ' -f5; ls -s f;"
                     "dd if=f bs=1k skip=70001 count=2 status=none | sed 's/.*e/e/'")
    assert free.split() == ["71682051", "6", "f", "end"]
    image.check()
    for size in (71_681_000, 70_000_000, 67_383_296, 300_000, 12_288, 5_000, 0):
        assert image.run(f"dd if=/dev/null of=f bs=1 seek={size} status=none; ls -l f").split()[4:5] == [str(size)]
        image.check()
    assert image.run("ls -s f") == "0 f\n"


def test_a_shorter_file_has_zeroes_when_it_grows_again(image: Image) -> None:
    image.make("-b", "4096")
    image.run("echo 0123456789 > g; for size in 3 6; do dd if=/dev/null of=g bs=1 seek=$size status=none; done")
    assert image.run("cat g") == "012\0\0\0"
    image.check()


def test_a_full_disk(image: Image) -> None:
    image.make("-b", "1024", size="1M")
    done = image.attempt("dd if=/dev/zero of=f bs=1000 status=noxfer; rm f; cp /dev/null x && echo again")
    assert b"No space left on device" in done.output and done.output.endswith(b"again\n")
    image.check()
    image.run("dd if=/dev/zero of=f bs=64k status=none; true")
    image.check()
    done = image.attempt("rm f; mkdir a a/b a/b/c && echo made")
    assert done.output.endswith(b"made\n")
    image.check()


def test_no_inodes_left(image: Image) -> None:
    image.make("-N", "16", size="1M")
    done = image.attempt("touch 1 2 3 4 5 6 7 8 9; rm 1 2; touch 3 4")
    assert b"cannot touch '6': No space left on device" in done.output
    image.check()


def test_a_file_that_is_removed_while_it_is_open(image: Image, source: Path) -> None:
    image.make(source=source)
    assert image.run("exec 3< d/file6; rm d/file6; cat <&3") == "file 6\n" * 6
    image.check()


def test_what_is_in_use_stays_mounted(image: Image) -> None:
    image.make()
    machine = image.machine
    assert machine.run("mount -t ext2 /dev/ram0 /mnt").status == 0
    assert b"busy" in machine.run("cd /mnt; umount /mnt").output
    assert b"busy" in machine.run("mkdir /other; mount -t ext2 -o ro /dev/ram0 /other").output
    assert machine.run("umount /mnt").status == 0


def test_data_reach_the_disk_in_time(image: Image) -> None:
    """After sync and fsync at once, otherwise when they are 30 s old."""
    image.make()
    machine = image.machine
    assert machine.run("mount -t ext2 /dev/ram0 /mnt").status == 0

    def on_disk(text: bytes) -> bool:
        return text in machine.ramdisk.read()

    machine.run("echo written-by-sync > /mnt/a; echo written-by-fsync > /mnt/b; echo written-in-time > /mnt/c")
    assert not on_disk(b"written-by") and not on_disk(b"written-in-time")
    machine.run("sync /mnt/b")
    assert on_disk(b"written-by-fsync") and not on_disk(b"written-by-sync")
    machine.run("sync")
    assert on_disk(b"written-by-sync") and on_disk(b"written-in-time")
    machine.run("echo late-in-time > /mnt/c")
    machine.advance(29 * machine.board.frequency)
    assert not on_disk(b"late-in-time")
    machine.advance(12 * machine.board.frequency)
    assert on_disk(b"late-in-time")
    assert machine.run("umount /mnt").status == 0
    image.check()


def test_the_cache_gives_memory_back(arch: str, tmp_path: Path) -> None:
    """A disk larger than the memory is read through the page cache."""
    with Machine(arch=arch, cpus=1, memory=32 << 20, ramdisk=RamDisk(48 << 20)) as machine:
        for _ in range(2):
            done = machine.run("dd if=/dev/ram0 of=/dev/null bs=1M status=noxfer")
            assert (done.status, done.output) == (0, b"48+0 records in\n48+0 records out\n")
        assert machine.run("echo alive").output == b"alive\n"
        assert not machine.warnings


def test_a_folder_within_itself(image: Image) -> None:
    """A damaged file system with loops: a task that locks a folder and then its entries would deadlock with itself."""
    image.make()
    commands = "mkdir a\nmkdir a/b\nln a a/self\nln a a/b/up\nln a/b twin\n"
    subprocess.run(["debugfs", "-w", "-f", "/dev/stdin", image.path], input=commands.encode(), check=True, capture_output=True)
    image.insert()
    done = image.attempt("ls a/self; rmdir a/self a/b/up; mv a/b/x twin/y; touch twin/t && mv twin/t a/b/u && ls a/b/u")
    lines = [line for line in done.output.decode().splitlines() if not line.startswith("[")]
    assert lines[0] == "ls: cannot access 'a/self': Too many levels of symbolic links"
    assert lines[1:3] == [f"rmdir: failed to remove '{name}': Too many levels of symbolic links" for name in ("a/self", "a/b/up")]
    assert lines[-1] == "a/b/u"


def test_no_file_system(image: Image) -> None:
    image.machine.ramdisk.write(0, bytes(DISK))
    done = image.attempt("true")
    assert done.status == 32
    assert b"EXT2-fs (ram0): error: can't find an ext2 filesystem on dev ram0." in done.output


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (1024 + 24, 9, "bad blocksize"),
        (1024 + 4, 1 << 30, "bad geometry"),
        (1024 + 32, 0, "invalid #blocks per group"),
        (1024 + 40, 3, "invalid #inodes per group"),
        (1024 + 88, 100, "unsupported inode size"),
        (1024 + 96, 0x40, "unsupported optional features"),
        (2048, 0, "group descriptors corrupted"),
        (2048 + 8, 1 << 20, "group descriptors corrupted"),
    ],
)
def test_what_cannot_be_mounted(offset: int, value: int, message: str, image: Image) -> None:
    image.make("-b", "1024", size="1M")
    image.machine.ramdisk.write(offset, value.to_bytes(4, "little"))
    done = image.attempt("true")
    assert done.status == 32
    assert message.encode() in done.output


def _folder_block(path: Path, folder: str) -> int:
    """The number of a folder's first block."""
    shown = subprocess.run(["debugfs", "-R", f"bmap {folder} 0", path], capture_output=True, text=True).stdout
    return int(re.sub(r"\D", "", shown))


def test_an_error_makes_it_read_only_if_asked(image: Image, source: Path) -> None:
    image.make("-b", "1024", source=source)
    block = _folder_block(image.path, "/d")
    image.machine.ramdisk.write(block * 1024 + 4, b"\x03\x00")
    done = image.attempt("ls d; echo 1 > new; ls d; echo 2 > new", "errors=remount-ro")
    assert b"bad entry in directory" in done.output
    assert b"remounting filesystem read-only" in done.output
    assert b"ls: reading directory" in done.output or b"Input/output error" in done.output
    assert b"Read-only file system" in done.output
    image.insert()
    image.machine.ramdisk.write(block * 1024 + 4, b"\x03\x00")
    done = image.attempt("ls d; echo 1 > new && cat new", "errors=continue")
    assert done.output.endswith(b"1\n")


def test_a_disk_that_cannot_be_read(arch: str, tmp_path: Path, source: Path) -> None:
    """Its file cannot be read any longer while the machine runs: I/O errors."""
    path = tmp_path / "image"
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext2", "-d", source, path, "2M"], check=True, capture_output=True)
    disk = RamDisk.of_file(path, writable=True)
    with Machine(arch=arch, cpus=1, ramdisk=disk) as machine:
        assert machine.run("mkdir /mnt; mount -t ext2 /dev/ram0 /mnt; ls /mnt > /dev/null").status == 0
        real, disk._descriptor = disk._descriptor, 1 << 20  # a closed descriptor
        done = machine.run("cat /mnt/big > /dev/null")
        assert b"I/O error, dev ram0" in done.output and b"Input/output error" in done.output
        machine.run("echo lost > /mnt/new; sync; umount /mnt")
        disk._descriptor = real
        assert machine.run("echo alive").output == b"alive\n"


def test_a_file_is_the_disk_with_rw(arch: str, source: Path, tmp_path: Path) -> None:
    path = tmp_path / "image"
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext2", "-d", source, path, "4M"], check=True, capture_output=True)
    before = path.read_bytes()
    script = "mkdir /mnt; mount -t ext2 /dev/ram0 /mnt; echo new > /mnt/new; umount /mnt"
    with Machine(arch=arch, ramdisk=path) as machine:
        assert machine.run(script).status == 0
    assert path.read_bytes() == before
    with Machine(arch=arch, ramdisk=RamDisk.of_file(path, writable=True)) as machine:
        assert machine.run(script).status == 0
    assert subprocess.run(["e2fsck", "-fn", path], capture_output=True).returncode == 0
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    shown = subprocess.run(["debugfs", "-R", "cat /new", path], capture_output=True).stdout
    assert shown == b"new\n"


def test_stores_through_a_mapping_reach_the_disk(image: Image, tmp_path: Path) -> None:
    """fsync writes what was stored through a live mapping, again and again; so does umount; holes get blocks."""
    image.make()
    image.run("memcheck /mnt/stored; dd if=/mnt/stored of=/dev/null 2> /dev/null")
    image.check()
    image.extract(tmp_path)
    stored = (tmp_path / "stored").read_bytes()
    assert (stored[:4], stored[16384:16387], len(stored)) == (b"ABC\0", b"XY\0", 32768)
    assert image.machine.run("mount -t ext2 /dev/ram0 /mnt; rm /mnt/stored; memcheck /mnt/stored").status == 0
    disk = image.machine.ramdisk.read(0, 8 << 20)
    assert b"AB\0" in disk and b"ABC" not in disk  # what fsync has written, without later stores
    assert image.machine.run("umount /mnt").status == 0
    assert b"ABC\0" in image.machine.ramdisk.read(0, 8 << 20)
