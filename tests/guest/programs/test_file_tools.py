# SPDX-License-Identifier: GPL-2.0-only
"""The file tools compared with the host's: the same script gives the same output, status and files."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.guest.programs.conftest import Ended, Guest

SCRIPTS = {
    "mkdir": "mkdir d e && mkdir -p a/b/c && mkdir -m 700 p && mkdir -v v; mkdir d; mkdir no/where; mkdir -p d/; ls -1",
    "mkdir's operands": "mkdir",
    "rmdir": "mkdir -p a/b/c d/e; rmdir a/b; rmdir -p a/b/c; rmdir d/e d x; ls -1",
    "rm": "echo 1 > f; mkdir -p d/e; echo 2 > d/e/g; rm d; rm x; rm -f x; rm -r d; rm f; rm -rf none; ls -1",
    "rm says what it does": "mkdir -p d/e; echo 2 > d/e/g; rm -rv d; mkdir k; rm -d k; ls -1",
    "rm of dots": "mkdir d; cd d; rm -r . ..",
    "cp": "echo one > a; cp a b; cat b; mkdir d; cp a b d; ls d; cp x y; cp a; cp a b x; cp d q; cp a a",
    "cp of a tree": "mkdir -p d/e; echo 1 > d/e/f; ln -s e/f d/l; cp -r d n; ls -1 n n/e; readlink n/l; cp -r d n; ls -1 n/d",
    "cp of a tree into itself": "mkdir -p d/e; echo 1 > d/f; cp -r d d/e; rm -r d",
    "cp follows links": "echo 1 > a; ln -s a l; cp l m; cp -P l k; readlink m; readlink k; cp -rL l j; readlink j; echo $?",
    "cp does not make what a link leads to": "echo 1 > a; ln -s x n; cp a n; cp -f a n; ls",
    "cp -a": "echo 1 > a; chmod 640 a; touch -d @1000 a; mkdir d; chmod 711 d; touch -d @2000 d; cp -a a b; cp -a d e",
    "cp over things": "echo 1 > a; mkdir d; mkdir -p e/a; cp a e; cp -r d a; echo 2 > b; cp -v b a; cat a",
    "mv": "echo 1 > a; mv a b; ls -1; mkdir d; mv b d; ls -1 d; mv x y; mv d d/e; mv d/b d/b; mv a; "
    "mv d/b d e; mv -v d/b c; ls -1",
    "mv over things": "echo 1 > a; echo 2 > b; mv a b; cat b; mkdir d e; mv b d; echo 3 > b; mv -n b d/b; cat d/b; mv d e; ls e; "
    "mv b e/d/b; mkdir b; mv e/d/b .",
    "ln": "echo 1 > a; ln a b; ln a b; ln -f a b; ls -l a | cut -d' ' -f2; ln -s a c; readlink c; ln -s a c; ln -sf b c; "
    "readlink c; ln x y; mkdir d; ln a d; ln d e; ln -s ../a d/l; cat d/l; ln -sv z w; ls -1 d",
    "ln to a link to a folder": "mkdir d; ln -s d l; ln -sfn x l; readlink l; ls d",
    "ls of trees": "mkdir -p d/e x; echo abc > d/f; echo a > b; ln -s b s; ls -R; ls -R d b x; ls -aR d; ls -Rr .; ls -RF d/",
    "ls in another order": "echo 1 > a; echo 123 > b; echo 12 > c; touch -d @30 a; touch -d @20 b; touch -d @20 c; ls -t; "
    "ls -tr; ls -S; ls -Sr; ls -r; ls -dt b a c",
    "ls with marks": "mkdir d; echo > f; echo > x; chmod 755 x; ln -s d l; mkfifo p; ls -F; ls -p; touch .h; ls -A; ls -aF; "
    "ls -n f | cut -d' ' -f1-2",
    "touch": "touch a b; ls -1; touch -c none; touch -d @12345 a; touch -r a b; touch c; touch -m -d @777 c; "
    "touch -a -d @888 b; touch no/where",
    "chmod": "echo > a; "
    "for m in 644 u+x go-r a=rw u=rwx,go=rx +t u+s,g+s =r o=u a+X ug-x,o+w 7777 0; do chmod $m a; ls -l a | cut -d' ' -f1; done; "
    "chmod 8 a; chmod u+q a; chmod 644 none; chmod",
    "chmod -R": "mkdir -p d/e; echo > d/e/f; chmod -R go-rwx d; ls -lR d | cut -d' ' -f1; chmod -x d/e/f; chmod -R a+X d",
    "dd": "dd if=in of=out bs=100 count=3 status=noxfer; cat out; dd if=in bs=10 skip=2 count=1 status=none; "
    "dd if=in of=out bs=50 seek=1 count=1 conv=notrunc status=none; cat out; dd if=in of=out bs=50 seek=1 count=1 status=none; "
    "wc -c < out; dd if=/dev/null of=out bs=1 seek=7 status=none",
    "dd's blocks": "dd if=in of=/dev/null ibs=7 obs=100 status=noxfer; dd if=in of=/dev/null bs=1k status=noxfer; "
    "dd if=in of=o ibs=100 count=2x2 conv=sync obs=64 status=noxfer; wc -c < o; "
    "cat in | dd bs=3893 count=1 status=noxfer of=p",
    "dd's mistakes": "dd if=none; dd bs=0; dd bs=x; dd bs; dd foo=1; dd conv=foo; dd status=foo; dd if=/dev/null of=no/where; "
    "echo > a; dd if=/dev/null of=a conv=excl; dd of=b conv=nocreat",
    "dd to what is full": "dd if=/dev/zero of=/dev/full bs=10 count=1 status=noxfer",
    "mkfifo": "mkfifo p; cat p & echo through > p; wait; mkfifo p; mkfifo -m 600 q; mkfifo",
    "mknod": "mknod p p; mknod x q; mknod x c 1; mknod x p 1 1; mknod x c a b; mknod x",
    "sync": "echo 1 > a; sync; sync a; sync none",
}


def tree(folder: Path) -> list[tuple[str, str, float, str]]:
    """Every file below a folder: path, kind and mode, time stamp if a script has set it, contents."""
    found = []
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = ""
        changed = about.st_mtime if about.st_mtime < 1e6 else 0
        if path.is_symlink():
            content = os.readlink(path)
        elif stat.S_ISREG(about.st_mode):
            path.chmod(0o600)
            content = path.read_bytes().decode(errors="replace")
        found.append((str(path.relative_to(folder)), stat.filemode(about.st_mode), changed, content))
    return found


def host(script: str, cwd: Path) -> Ended:
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def messages(text: str) -> list[str]:
    """The messages without the additional lines and words that only GNU's tools print."""
    lines = [line for line in text.splitlines() if not re.match(r"Try '|Valid arguments are:|  - ", line)]
    return [re.sub(r" for '-c'$|; use '.*$", "", line) for line in lines]


@pytest.mark.parametrize("name", SCRIPTS)
def test_as_the_host_does_it(name: str, guest: Guest, tmp_path: Path) -> None:
    folder = tmp_path / "host"
    folder.mkdir()
    for path in guest.cwd.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for place in (guest.cwd, folder):
        (place / "in").write_text("".join(f"{n}\n" for n in range(1, 1001)))
    ours, theirs = guest.sh(SCRIPTS[name]), host(SCRIPTS[name], folder)
    assert messages(ours.errors) == messages(theirs.errors)
    assert (ours.output, bool(ours.status)) == (theirs.output, bool(theirs.status))
    assert tree(guest.cwd) == tree(folder)


def test_dd_reports(guest: Guest) -> None:
    for count, copied in {
        "count=1 bs=1": "1 byte",
        "count=1 bs=1000": "1000 bytes (1.0 kB)",
        "count=3 bs=1M": "3145728 bytes (3.1 MB, 3.0 MiB)",
        "count=12 bs=1k": "12288 bytes (12 kB, 12 KiB)",
    }.items():
        done = guest.sh(f"dd if=/dev/zero of=/dev/null {count}")
        line = rf"{re.escape(copied)} copied, \S+ s, \S+ [kMG]?B/s"
        assert re.fullmatch(rf"\d\d?\+0 records in\n\d\d?\+0 records out\n{line}\n", done.errors), done.errors
