# SPDX-License-Identifier: GPL-2.0-only
"""A kernel is fetched by programs with the names of apt's, which write down what they are asked."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from emu.linux import arch
from emu.linux.debug_files import debug_modules, debug_vmlinux
from emu.linux.fetch import Fetched, NotFetched, fetch
from emu.linux.find import kernels
from emu.linux.image import read_kernel
from emu.linux.sources import sources_of_release
from tests.cli.conftest import Emu, emu
from tests.linux.made_kernels import PACKED, bzimage, vmlinux

__all__ = ["emu"]

pytestmark = pytest.mark.usefixtures("cache", "boot")

META, VERSION = arch.DEFAULT_PACKAGES[0], "6.1.0-56-cloud"
IMAGE = f"linux-image-{VERSION}"
PROGRAMS = {
    "apt-get": """
        echo "$*" >> "$HOST/asked"
        cp "$APT_CONFIG" "$HOST/apt.conf"
        case "$*" in
        *update) [ ! -e "$HOST/no-network" ] || cat "$HOST/no-network" >&2 ;;
        *download*)
            shift 2
            for name; do
                cp "$HOST/pool/$name.deb" . 2> /dev/null || { echo "E: Failed to fetch $name  Gone" >&2; exit 100; }
            done ;;
        esac""",
    "apt-cache": 'cat "$HOST/packages/$3" 2> /dev/null || { echo "E: No packages found" >&2; exit 100; }',
    "apt-config": """
        case "$1" in
        dump) echo 'Acquire::http::Proxy "http://proxy.test";'; echo 'Acquire::Languages:: "de";' ;;
        shell) echo "main='$HOST/sources.list'"; echo "parts='$HOST/sources.list.d/'" ;;
        esac""",
    "dpkg-deb": 'mkdir -p "$3" && tar -xf "$2" -C "$3"',
}


class Host:
    """A host with packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("bin", "pool", "packages", "sources.list.d"):
            (folder / name).mkdir()
        for name, text in PROGRAMS.items():
            program = folder / "bin" / name
            program.write_text(f"#!/bin/sh\n{textwrap.dedent(text)}\n")
            program.chmod(0o755)
        self.package(META, f"{IMAGE} (= 6.1.0-1)")
        self.package(
            IMAGE,
            "kmod, linux-base (>= 4.3~), initramfs-tools | linux-initramfs-tool",
            {
                f"boot/vmlinuz-{VERSION}": bzimage(PACKED["gzip"](vmlinux()), version=f"{VERSION} (a test)"),
                f"boot/config-{VERSION}": b"CONFIG_ACPI=y\n",
                f"boot/System.map-{VERSION}": b"",
                f"lib/modules/{VERSION}/modules.dep": b"",
                "usr/share/doc/copyright": b"",
            },
        )

    def package(self, name: str, depends: str, files: Mapping[str, bytes] | None = None) -> None:
        (self.folder / "packages" / name).write_text(f"Package: {name}\nDepends: {depends}\n\n")
        tree = self.folder / "tree"
        for path, data in (files or {}).items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)
        if files:
            subprocess.run(["tar", "-cf", self.folder / "pool" / f"{name}.deb", "-C", tree, "."], check=True)
            shutil.rmtree(tree)

    @property
    def asked(self) -> list[str]:
        """What apt-get was asked."""
        return (self.folder / "asked").read_text().splitlines()


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    folder = tmp_path / "host"
    folder.mkdir()
    monkeypatch.setenv("HOST", str(folder))
    monkeypatch.setenv("PATH", f"{folder}/bin:/usr/bin:/bin")
    monkeypatch.setattr("emu.linux.sources.platform.freedesktop_os_release", lambda: {"VERSION_CODENAME": "bookworm"})
    return Host(folder)


def test_the_newest_kernel_is_fetched_once(host: Host, cache: Path) -> None:
    folder = cache / "linux" / "kernels" / VERSION
    path = folder / "boot" / f"vmlinuz-{VERSION}"
    assert fetch(None, None) == Fetched(path, True)
    files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    boot = {f"boot/{name}-{VERSION}" for name in ("vmlinuz", "config", "System.map")}
    assert files == {*boot, f"lib/modules/{VERSION}/modules.dep"}
    assert [entry.name for entry in folder.parent.iterdir()] == [VERSION]
    assert host.asked == ["-qq update", f"-qq download {IMAGE}"]
    assert fetch(META, None) == fetch(IMAGE, None) == Fetched(path, False)
    assert host.asked[2:] == ["-qq update"] * 2
    assert [found[:2] for found in kernels()] == [(path, VERSION)]


def test_debug_information_is_fetched_once(host: Host, cache: Path) -> None:
    folder = cache / "linux" / "kernels" / VERSION
    path = folder / "boot" / f"vmlinuz-{VERSION}"
    with pytest.raises(NotFetched, match=rf"no package {IMAGE}-dbg or {IMAGE}-dbgsym or .* is in the host's sources"):
        fetch(None, None, debug=True)
    assert fetch(None, None) == Fetched(path, False)  # the kernel was fetched
    parts = {f"boot/vmlinux-{VERSION}": b"", f"boot/System.map-{VERSION}": b"", f"lib/modules/{VERSION}/kernel/a-b.ko": b""}
    host.package(f"{IMAGE}-dbg", "", {f"usr/lib/debug/{name}": data for name, data in parts.items()})
    vmlinux = folder / "debug" / "boot" / f"vmlinux-{VERSION}"
    assert fetch(None, None, debug=True) == Fetched(path, True, vmlinux)
    assert host.asked[-1] == f"-qq download {IMAGE}-dbg"
    assert {str(file.relative_to(folder / "debug")) for file in folder.rglob("debug/**/*") if file.is_file()} == set(parts)
    assert fetch(IMAGE, None, debug=True) == Fetched(path, False, vmlinux)
    assert [entry.name for entry in folder.parent.iterdir()] == [VERSION]
    assert debug_modules(path) == {"a_b": folder / "debug/lib/modules" / VERSION / "kernel/a-b.ko"}
    assert debug_vmlinux(read_kernel(path)) is None  # it is not of the same build


def test_debug_information_needs_room(host: Host, cache: Path) -> None:
    host.package(f"{IMAGE}-dbg", "", {"usr/lib/debug/boot/vmlinux": b""})
    with (host.folder / "packages" / f"{IMAGE}-dbg").open("w") as file:
        file.write(f"Package: {IMAGE}-dbg\nInstalled-Size: {1 << 40}\nSize: 5\n\n")
    with pytest.raises(NotFetched, match=rf"{IMAGE}-dbg needs 1048576.0 GiB in .*, where [\d.]+ GiB are free"):
        fetch(None, None, debug=True)


def test_apt_writes_into_the_cache_only(host: Host, cache: Path) -> None:
    fetch(None, None)
    lines = (host.folder / "apt.conf").read_text().splitlines()
    settings = dict(line.rstrip(";").split(" ", 1) for line in lines)
    state = cache / "linux" / "apt" / "host"
    for name in ("Dir::State", "Dir::State::lists", "Dir::State::status", "Dir::Cache", "Dir::Log"):
        assert settings[name].strip('"').startswith(str(state))
    assert settings["APT::Architecture"] == f'"{arch.PACKAGE_ARCHITECTURE}"'
    assert settings["Acquire::http::Proxy"] == '"http://proxy.test"'
    assert {settings[name] for name in ("Dir::Etc::main", "Dir::Etc::parts")} == {'"/dev/null"'}
    assert "Acquire::Languages::" not in settings and "Dir::Etc::sourcelist" not in settings


def test_a_kernel_in_several_packages(host: Host) -> None:
    version = "7.2-test"
    image, others = f"linux-image-{version}", [f"linux-{part}-{version}" for part in ("binary", "modules-extra", "base")]
    host.package("linux-image-test", f"{image} | linux-image-unsigned-{version}")
    host.package(image, ", ".join(f"{name} (= 1)" for name in others), {"usr/share/doc/readme": b""})
    host.package(others[0], "", {f"usr/lib/modules/{version}/vmlinuz": bzimage(b"")})
    host.package(others[1], "", {f"usr/lib/modules/{version}/kernel/a.ko": b""})
    host.package(others[2], "", {f"boot/config-{version}": b""})
    path, is_new, _ = fetch("linux-image-test", None)
    files = {str(file.relative_to(path.parents[1])) for file in path.parents[1].rglob("*") if file.is_file()}
    assert is_new
    assert files == {f"boot/vmlinuz-{version}", f"boot/config-{version}", f"lib/modules/{version}/kernel/a.ko"}
    assert host.asked[-1] == " ".join(["-qq download", image, *others])


def test_another_release_comes_from_the_same_mirrors(host: Host, cache: Path) -> None:
    (host.folder / "sources.list").write_text("deb http://mirror.test/debian bookworm main\n")
    fetch(None, "trixie")
    state = cache / "linux" / "apt" / "trixie"
    assert f'Dir::Etc::sourceparts "{state / "sources"}";' in (host.folder / "apt.conf").read_text()
    (sources,) = (state / "sources").iterdir()
    assert "Suites: trixie\n" in sources.read_text()
    (host.folder / "sources.list").write_text("deb http://mirror.test/debian other main\n")
    with pytest.raises(NotFetched, match="the host's package sources name no mirror of its distribution"):
        fetch(None, "trixie")


def test_both_forms_of_sources(host: Host) -> None:
    main, parts = host.folder / "sources.list", host.folder / "sources.list.d"
    main.write_text("""
# deb http://off.test/debian bookworm main
deb-src http://mirror.test/debian bookworm main
deb [arch=any signed-by=/keys/a.gpg] http://mirror.test/debian bookworm main contrib  # a comment
deb http://security.test bookworm/updates main
deb http://else.test/debian bookworm stable
""")
    (parts / "a.list").write_text("deb [trusted=yes] file:/pool stable-updates main\n")
    (parts / "b.sources").write_text("""\
# the distribution
Types: deb deb-src
URIs: http://one.test/debian
  http://two.test/debian
Suites: bookworm bookworm-updates bookworm-backports
# a comment in between
Components: main non-free
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc=

Types: deb
URIs: http://off.test/debian
Suites: bookworm
Components: main
Enabled: no

Types: deb
URIs: http://else.test/
Suites: nodistro
Components: main
""")
    assert sources_of_release("trixie", main, parts).replace(": \n", ":\n") == """\
Types: deb
URIs: http://mirror.test/debian
Suites: trixie
Components: main
Signed-By: /keys/a.gpg

Types: deb
URIs: http://security.test
Suites: trixie-security
Components: main

Types: deb
URIs: file:/pool
Suites: trixie-updates
Components: main
Trusted: yes

Types: deb
URIs: http://one.test/debian
  http://two.test/debian
Suites: trixie trixie-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc=
"""


def test_what_goes_wrong_is_one_line(host: Host, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(package: str | None = None, release: str | None = None) -> str:
        with pytest.raises(NotFetched) as error:
            fetch(package, release)
        assert not list((cache / "linux" / "kernels").glob("*")) and len(str(error.value).splitlines()) == 1
        return str(error.value)

    assert said("nothing") == "no package nothing is in the host's sources"
    assert said("-oDir::Etc=/") == "no package '-oDir::Etc=/'"
    assert said(None, "../up") == "no release '../up'"
    host.package("bash", "libc6")
    assert said("bash") == "the package bash has no kernel, and depends on none"
    host.package("linux-image-9-dbg", "", {"usr/lib/debug/vmlinux": b""})
    assert said("linux-image-9-dbg") == "no vmlinuz-9-dbg is in linux-image-9-dbg"
    (host.folder / "no-network").write_text("""\
W: Failed to fetch http://mirror.test/dists/InRelease  Could not resolve 'mirror.test'
W: Some index files failed to download. They have been ignored, or old ones used instead.
""")
    assert said("nothing") == "apt-get: Failed to fetch http://mirror.test/dists/InRelease  Could not resolve 'mirror.test'"
    (host.folder / "pool" / f"{IMAGE}.deb").write_bytes(b"damaged")
    assert said().startswith("dpkg-deb: ")
    (host.folder / "pool" / f"{IMAGE}.deb").unlink()
    assert said() == f"apt-get: Failed to fetch {IMAGE}  Gone"
    monkeypatch.setenv("PATH", str(cache))
    assert said() == "there is no apt-get: kernels are fetched on Debian and Ubuntu; --linux=FILE takes any kernel"


def test_the_command(emu: Emu, host: Host, cache: Path) -> None:
    path = cache / "linux" / "kernels" / VERSION / "boot" / f"vmlinuz-{VERSION}"
    assert emu("linux", "fetch") == (0, f"{path}\n".encode(), "")
    assert emu("linux", "fetch", META) == (0, f"{path}\n".encode(), "emu: it was there already\n")
    assert emu("linux", "fetch", "nothing") == (2, b"", "emu: no package nothing is in the host's sources\n")
    shutil.rmtree(cache)
    cache.write_text("no folder")
    status, out, text = emu("linux", "fetch")
    assert (status, out) == (2, b"") and text.endswith(": Not a directory\n")
