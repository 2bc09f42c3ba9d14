# SPDX-License-Identifier: GPL-2.0-only
"""Files of a Linux guest, found by their paths in its memory: the guest's own stat is the witness."""

from __future__ import annotations

import random

import pytest

from emu.linux.machine import LinuxMachine

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

def random_path(chosen: random.Random) -> str:
    names = ["a", "b", "c", "..", ".", "", "l1", "l2", "l3", "m", "x"]
    last = chosen.choice(["", "/x", "/x", "/m", "/x/", "/x/.."])
    return "/tmp/" + "/".join(chosen.choice(names) for _ in range(chosen.randrange(1, 5))) + last


def test_paths_lead_where_they_lead_the_guest(machine: LinuxMachine) -> None:
    """Over links, mounted file systems, one on top of another one, and names that do not exist."""
    chosen = random.Random(2)
    script = [
        "mkdir -p a/b/c b/m c; echo 1 > a/x; echo 2 > a/b/x; echo 3 > c/x",
        "mount -t tmpfs none b/m; mkdir -p b/m/a; echo 4 > b/m/x; mount -t ramfs none b/m/a; echo 5 > b/m/a/x",
        "mount -t tmpfs none c; echo 6 > c/x; mount --bind a/b c",
        "ln -s a/b l1; ln -s /tmp/b/m a/l2; ln -s ../../b a/b/l3; ln -s x a/m",
        "ln -s loop loop; ln -s l1/l3/m/a b/m/l1; ln -s /tmp/l1 b/m/a/l2; ln -s nothing b/c",
    ]
    for line in script:
        assert machine.run(f"cd /tmp; {line}").status == 0, line
    files = machine.program_files.files
    possible = sorted({random_path(chosen) for _ in range(2000)})
    there = [path for path in possible if files.file(path) is not None]
    paths = ["/", "/bin/sh", "/..", "/tmp/loop", "/tmp/loop/x", "/tmp/b/m/a/x", "/tmp/c/x"]
    paths += chosen.sample(there, 60) + chosen.sample(possible, 30)
    lines = "\n".join(f"stat -L -c %i,%F '{path}' 2> /dev/null || echo none" for path in paths)
    said = machine.run(["/bin/sh", "-c", lines]).output.decode().splitlines()
    contents = []
    for path, line in zip(paths, said, strict=True):
        inode = files.file(path)
        if line == "none":
            assert inode is None, path
            continue
        number, kind = line.split(",")
        assert inode is not None, path
        assert files.number(inode) == int(number), path
        assert files.is_regular(inode) == kind.startswith("regular"), path
        if files.is_regular(inode) and not path.startswith("/bin"):
            contents.append(files.contents.read(inode))
    assert set(contents) == {b"1\n", b"2\n", b"4\n", b"5\n"}  # the others are below what was mounted
