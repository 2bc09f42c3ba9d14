# SPDX-License-Identifier: GPL-2.0-only
"""Pack built user programs and modules into a cpio archive in the "newc" format.

    initramfs.py FOLDER MODULES OUTPUT

FOLDER/init becomes /init, FOLDER/bin/* become /bin/*, the modules that
MODULES/modules.dep lists go where it says, and it to where modprobe looks, with
modules.alias. /etc/filesystems names the file systems that are modules. Names are
sorted and nothing of the building machine goes in, so equal programs give equal bytes.
"""

import re
import stat
import sys
from pathlib import Path

# Scripts in documents begin with #!/bin/bash; others name what they are given in /dev.
# The kernel calls /sbin/modprobe.
LINKS = {
    "bin/bash": "sh",
    "sbin": "bin",
    "dev/fd": "/proc/self/fd",
    "dev/stdin": "/proc/self/fd/0",
    "dev/stdout": "/proc/self/fd/1",
    "dev/stderr": "/proc/self/fd/2",
}

HEADER = "070701" + "{:08x}" * 13


def entry(number: int, name: str, mode: int, data: bytes = b"") -> bytes:
    """One archive member: header, name and data, each padded to 4 bytes."""
    encoded = name.encode() + b"\0"
    header = HEADER.format(
        number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0
    ).encode()
    head = header + encoded
    return pad(head) + pad(data)


def pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def release() -> str:
    """What `uname -r` says in the guest: the folder of modprobe's files."""
    header = Path(__file__).parent.parent / "include" / "linux" / "utsname.h"
    return re.search(r'UTS_RELEASE\s+"(.*)"', header.read_text())[1]


def filesystems(aliases: str) -> str:
    """What mount without a type tries: the modules, of which each needs a device, then /proc/filesystems."""
    return "".join(f"{name}\n" for name in [*re.findall(r"^alias fs-(\S+) ", aliases, re.MULTILINE), "*"])


def archive(folder: Path, modules: Path) -> bytes:
    directory, program, plain = stat.S_IFDIR | 0o755, stat.S_IFREG | 0o755, stat.S_IFREG | 0o644
    members: list[tuple[str, int, bytes]] = [
        (name, directory, b"") for name in ("bin", "dev", "etc", "tmp")
    ]
    members.append(("init", program, (folder / "init").read_bytes()))
    for path in sorted((folder / "bin").iterdir()):
        members.append((f"bin/{path.name}", program, path.read_bytes()))
    members += [(name, stat.S_IFLNK | 0o777, target.encode()) for name, target in LINKS.items()]
    place = f"lib/modules/{release()}"
    members += [(name, directory, b"") for name in ("lib", "lib/modules", place)]
    depends = (modules / "modules.dep").read_text()
    for name in re.findall(r"^/(.*):", depends, re.MULTILINE):
        members.append((name, plain, (modules / Path(name).name).read_bytes()))
    aliases = (modules / "modules.alias").read_text()
    members.append((f"{place}/modules.dep", plain, depends.encode()))
    members.append((f"{place}/modules.alias", plain, aliases.encode()))
    members.append(("etc/filesystems", plain, filesystems(aliases).encode()))
    parts = [
        entry(number, name, mode, data)
        for number, (name, mode, data) in enumerate(members, 1)
    ]
    return b"".join(parts) + entry(0, "TRAILER!!!", 0)


if __name__ == "__main__":
    Path(sys.argv[3]).write_bytes(archive(Path(sys.argv[1]), Path(sys.argv[2])))
