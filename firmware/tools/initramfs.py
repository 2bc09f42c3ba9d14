# SPDX-License-Identifier: GPL-2.0-only
"""Pack built user programs into a cpio archive in the "newc" format.

    initramfs.py FOLDER OUTPUT

FOLDER/init becomes /init, FOLDER/bin/* become /bin/*. Names are sorted and
nothing of the building machine goes in, so equal programs give equal bytes.
"""

import stat
import sys
from pathlib import Path

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


def archive(folder: Path) -> bytes:
    directory, program = stat.S_IFDIR | 0o755, stat.S_IFREG | 0o755
    members: list[tuple[str, int, bytes]] = [
        (name, directory, b"") for name in ("bin", "dev", "tmp")
    ]
    members.append(("init", program, (folder / "init").read_bytes()))
    for path in sorted((folder / "bin").iterdir()):
        members.append((f"bin/{path.name}", program, path.read_bytes()))
    parts = [
        entry(number, name, mode, data)
        for number, (name, mode, data) in enumerate(members, 1)
    ]
    return b"".join(parts) + entry(0, "TRAILER!!!", 0)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(archive(Path(sys.argv[1])))
