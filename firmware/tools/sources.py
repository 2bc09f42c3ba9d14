# SPDX-License-Identifier: GPL-2.0-only
"""Print the hash of the sources that an architecture's images are built from.

    sources.py --arch ARCH

The Makefile stores it beside the images; a check compares the two.
"""

import argparse
import hashlib
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parent.parent


def sources(arch: str) -> list[Path]:
    """Every file that can change an image, in a fixed order."""
    kept = []
    for path in FIRMWARE.rglob("*"):
        parts = path.relative_to(FIRMWARE).parts
        if not path.is_file() or parts[0] in ("build", "images"):
            continue
        if "build" in parts or "__pycache__" in parts or path.suffix == ".md":
            continue
        if "arch" in parts and parts[parts.index("arch") + 1] != arch:
            continue
        kept.append(path)
    return sorted(kept, key=lambda path: path.relative_to(FIRMWARE).as_posix())


def digest(arch: str) -> str:
    total = hashlib.sha256()
    for path in sources(arch):
        data = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{data}  {path.relative_to(FIRMWARE).as_posix()}\n".encode())
    return total.hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", required=True)
    print(digest(parser.parse_args().arch))
