# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns with a scheduler that is there, whose workers are processes of its own."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from distributed import Client

from emu.campaign import CannotConnect, Results, Tls, run
from emu.campaign.connection import Connection
from emu.campaign.engine import Progress
from tests.campaign.clusters import cluster, free_port
from tests.campaign.work import tables, units

OTHER = ("--preload", "tests.campaign.other_build")
@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("reference")
    assert run(units(60), folder, workers=1).complete
    return tables(folder)


def test_four_processes(reference: list[bytes], tmp_path: Path) -> None:
    """A scheduler and three workers."""
    (tmp_path / "logs").mkdir()
    with cluster(tmp_path / "logs", 3) as found:
        assert run(units(60), tmp_path, scheduler=found.address).complete
    assert tables(tmp_path) == reference


def test_a_scheduler_that_is_killed_and_comes_back(reference: list[bytes], tmp_path: Path) -> None:
    """The campaign does not end meanwhile."""
    (tmp_path / "logs").mkdir()
    with cluster(tmp_path / "logs", 2) as found:

        def on_start(progress: Progress) -> None:
            def restart() -> None:
                while progress.done < 10:
                    stopped.wait(0.01)
                found.restart_scheduler()

            thread.append(threading.Thread(target=restart))
            thread[0].start()

        stopped = threading.Event()
        thread: list[threading.Thread] = []
        assert run(units(60, sleep=0.05), tmp_path, scheduler=found.address, on_start=on_start).complete
        thread[0].join()
    assert tables(tmp_path) == reference


def test_a_scheduler_that_is_lost(reference: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign ends, and goes on elsewhere."""
    monkeypatch.setattr("emu.campaign.connection.PATIENCE", 5.0)
    (tmp_path / "logs").mkdir()
    ended: list[Results] = []
    with cluster(tmp_path / "logs", 2) as found:

        def on_start(progress: Progress) -> None:
            def kill() -> None:
                while progress.done < 10:
                    threading.Event().wait(0.01)
                found.close()

            threading.Thread(target=kill).start()

        with pytest.raises(CannotConnect, match=f"cannot reach the scheduler {found.address}"):
            run(units(60, sleep=0.05), tmp_path, scheduler=found.address, on_start=on_start, on_end=ended.append)
    assert 10 <= ended[0].table.columns.num_rows < 60
    assert run(units(60, sleep=0.05), tmp_path, workers=1).complete
    assert tables(tmp_path) == reference


def test_a_worker_of_another_build_gets_no_unit(reference: list[bytes], tmp_path: Path) -> None:
    """Whether it was there before the campaign or comes later."""
    (tmp_path / "logs").mkdir()
    with cluster(tmp_path / "logs", 1, *OTHER) as found:
        with pytest.raises(CannotConnect, match=r"no worker may do the units; tcp:.*: it has another build of emu"):
            run(units(1), tmp_path, scheduler=found.address)
        found.add_workers(1)
        with Client(found.address) as client:
            client.wait_for_workers(2)
        assert run(units(30), tmp_path, scheduler=found.address).complete

        def on_start(progress: Progress) -> None:
            found.add_workers(1, *OTHER)

        assert run(units(60, sleep=0.1), tmp_path, scheduler=found.address, on_start=on_start).complete
    assert tables(tmp_path) == reference


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_tls(tmp_path: Path) -> None:
    """Who has not the files that the scheduler wants is not let in."""
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = ["-subj", "/CN=emu", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *words], check=True, capture_output=True)
    options = ("--tls-ca-file", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key))
    with cluster(tmp_path, 1, *options, protocol="tls") as found:
        tls = Tls(certificate, certificate, key)
        assert run(units(3), tmp_path / "study", scheduler=found.address, tls=tls).complete
        with pytest.raises(CannotConnect, match=r"cannot reach the scheduler tls:.*: TLS expects"):
            run(units(4), tmp_path / "study", scheduler=found.address)


def test_no_scheduler() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(CannotConnect, match=f"cannot reach the scheduler {address}: Timed out"):
        Connection({}, {}, address, patience=0.5)
    with pytest.raises(CannotConnect, match="cannot reach the scheduler no address"):
        Connection({}, {}, "no address", patience=0.5)
