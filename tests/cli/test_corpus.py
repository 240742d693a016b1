"""`studio corpus`: every kind of file from elsewhere is tried, and what Studio would get wrong is found."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rosbags.rosbag2 import StoragePlugin

from studio.messages import Range3d
from studio.messages.codec import encode
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording import LogWriter
from tests.cli.running import STUDIO
from tests.runtime.recording.importers.test_bags import write_bag1, write_bag2

TOOL = Path(__file__).resolve().parents[2] / "tools" / "corpus.py"

CART = """<sdf version="1.4"><model name="cart"><static>0</static><pose>1 2 0 0 0 0</pose>
  <link name="base"/><link name="wheel"><pose>0 0.2 0 -1.5 0 0</pose></link>
  <joint name="axle" type="revolute"><parent>base</parent><child>wheel</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""
ARM = """<robot name="arm"><link name="hand"/><link name="base"/>
  <joint name="hand" type="revolute"><parent link="base"/><child link="hand"/><origin xyz="0 0 1" rpy="0 0.3 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
PROFILE = """<rts:RtsProfile rts:id="RTSystem:Lab:Test:1" rts:version="0.2"
    xmlns:rts="http://www.openrtp.org/namespaces/rts" xmlns:rtsExt="http://www.openrtp.org/namespaces/rts_ext">
  <rts:Components rts:instanceName="A0" rts:id="RTC:Lab:Test:A:1"><rts:DataPorts rts:name="A0.out">
    <rtsExt:Properties rtsExt:name="port.port_type" rtsExt:value="DataOutPort"/></rts:DataPorts></rts:Components>
  <rts:Components rts:instanceName="B0" rts:id="RTC:Lab:Test:B:1"><rts:DataPorts rts:name="B0.in">
    <rtsExt:Properties rtsExt:name="port.port_type" rtsExt:value="DataInPort"/></rts:DataPorts></rts:Components>
  <rts:DataPortConnectors rts:name="w"><rts:sourceDataPort rts:portName="B0.in" rts:instanceName="B0"/>
    <rts:targetDataPort rts:portName="A0.out" rts:instanceName="A0"/></rts:DataPortConnectors></rts:RtsProfile>"""
CARMEN = """PARAM robot_front_laser_max 50.0 nohost 0
ODOM 0 0 0 0 0 0 1.0 nohost 1.0
FLASER 3 1.0 1.1 1.2 0 0 0 0 0 0 1.1 nohost 1.1
FLASER 3 1.0 1.1 1.2 0.1 0 0 0.1 0 0 1.2 nohost 1.2
"""
KINDS = {
    "bags/drive": "log", "bags/packed": "log", "bags/loose.db3": "log", "bags/old.bag": "log",
    "models/arm.urdf": "model", "models/arm.xml": "model", "models/cart.sdf": "model", "models/yard.world": "model",
    "intel.log": "log", "run.mcap": "log", "system.xml": "profile",
}  # fmt: skip


def write_scans(path: Path, count: int, compression: Compression = "none") -> None:
    with LogWriter(path, compression=compression) as log:
        channel = log.add_topic("/scan", Range3d)
        for number in range(count):
            scan = encode(Range3d.from_polar([1.0], 0.0, 0.1))
            log.write(channel, scan, log_time_ns=number, sequence=number, stamp_ns=number)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """One small file of each kind, and some that are none."""
    folder = tmp_path / "corpus"
    for name in ("models", "bags", ".git"):
        (folder / name).mkdir(parents=True)
    (folder / "models" / "cart.sdf").write_text(CART)
    (folder / "models" / "yard.world").write_text(
        CART.replace("<model", "<world name='yard'><model").replace("</model>", "</model></world>")
    )
    (folder / "models" / "arm.urdf").write_text(ARM)
    (folder / "models" / "arm.xml").write_text(ARM)
    (folder / "system.xml").write_text(PROFILE)
    (folder / "intel.log").write_text(CARMEN)
    write_scans(folder / "run.mcap", 5, compression="zstd")
    write_bag2(folder / "bags" / "drive", StoragePlugin.SQLITE3)
    write_bag2(folder / "bags" / "packed", StoragePlugin.SQLITE3, "FILE")
    write_bag1(folder / "bags" / "old.bag")
    (database,) = (folder / "bags" / "drive").glob("*.db3")
    (folder / "bags" / "loose.db3").write_bytes(database.read_bytes())
    (folder / "notes.log").write_text("not a log\n")
    (folder / "other.xml").write_text("<other/>")
    (folder / ".git" / "hidden.urdf").write_text("<robot/>")
    return folder


def tried(*words: object, python: list[str] | None = None) -> tuple[int, Any]:
    command = [*(python or [*STUDIO, "corpus"]), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout) if "--json" in words else done.stdout


def test_a_file_of_each_kind_is_found_and_tried(corpus: Path) -> None:
    before = {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()}
    status, told = tried(corpus, "--json")
    assert {each["file"]: each["kind"] for each in told["files"]} == KINDS
    assert {each["file"]: each["why"] for each in told["files"] if each["result"] != "ok"} == {}
    assert all(each["compared"] for each in told["files"]), "with something that the file itself says"
    assert (status, told["counts"]) == (0, {"ok": len(KINDS), "refused": 0, "wrong": 0, "crashed": 0})
    assert {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()} == before


def test_what_is_refused_says_why_and_is_no_failure(corpus: Path) -> None:
    (corpus / "models" / "none.urdf").write_text("<robot name='r'>\n</robot>")
    (corpus / "bags" / "cut.bag").write_bytes((corpus / "bags" / "old.bag").read_bytes()[:40])
    status, told = tried(corpus, "--only", "refused")
    assert status == 0
    assert "refused  models/none.urdf: line 1: there is no <link> in it\n" in told
    assert "refused  bags/cut.bag: cannot be opened as a bag" in told
    assert told.endswith(f"{len(KINDS) + 2} files: {len(KINDS)} ok, 2 refused, 0 wrong, 0 crashed\n")
    assert "arm.urdf" not in told


CONTROL = '''
"""Studio with faults in it, as they would be: by the names of the files that meet them."""
import os, signal, sys, time
from dataclasses import replace
from studio.cli import main
from studio.cli.corpus_parts import logs, models, profiles, trial
from studio.model.geometry.poses import Pose

import_model, import_log, read_profile = models.import_model, logs.import_log, profiles.read_rts_profile

def faulty_model(path):
    made = import_model(path)
    if path.name == "shifted.urdf":
        made.model.constraints[0] = replace(made.model.constraints[0], pose=Pose((0, 0, 0.01)))
    if path.name == "turned.sdf":
        joint = made.model.constraints[0].joint
        made.model.constraints[0] = replace(made.model.constraints[0], joint=replace(joint, axis=(0, 0, 1)))
    if path.name == "again.sdf" and made.model.name == "house":
        made.model.bodies["link"].is_static = False
    if path.name == "raises.urdf":
        raise ZeroDivisionError("by nothing")
    if path.name == "dies.urdf":
        os.kill(os.getpid(), signal.SIGSEGV)
    if path.name == "hangs.urdf":
        time.sleep(3600)
    return made

def faulty_log(path, out):
    return import_log(os.environ["SHORTER"] if path.name == "lost.mcap" else path, out)

def faulty_profile(data, specs, file=None):
    return read_profile(data.replace(b"port_type", b"kind"), specs, file)

models.import_model, logs.import_log, profiles.read_rts_profile = faulty_model, faulty_log, faulty_profile
sys.exit(main(["corpus", *sys.argv[1:]]))
'''
HOUSE = '<sdf version="1.6"><model name="house"><static>1</static><link name="link"/></model></sdf>'


def test_faults_are_found_and_end_nothing_else(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative controls: what a fault of Studio would look like, one for each comparison, and two kinds of crash."""
    for name in ("shifted", "raises", "dies"):
        (corpus / "models" / f"{name}.urdf").write_text(ARM)
    (corpus / "models" / "turned.sdf").write_text(CART)
    (corpus / "models" / "house.sdf").write_text(HOUSE)
    write_scans(corpus / "lost.mcap", 3)
    write_scans(tmp_path / "shorter.mcap", 2)
    monkeypatch.setenv("SHORTER", str(tmp_path / "shorter.mcap"))
    control = tmp_path / "control.py"
    control.write_text(CONTROL)
    status, told = tried(corpus, "--json", python=[sys.executable, str(control)])
    found = {each["file"]: (each["result"], each["why"]) for each in told["files"] if each["result"] != "ok"}
    assert status == 1
    assert {name: result for name, (result, _) in found.items()} == {
        "lost.mcap": "wrong", "system.xml": "wrong", "models/shifted.urdf": "wrong", "models/turned.sdf": "wrong",
        "models/house.sdf": "wrong", "models/raises.urdf": "crashed", "models/dies.urdf": "crashed",
    }  # fmt: skip
    whys = {name: why for name, (_, why) in found.items()}
    assert whys["models/shifted.urdf"] == "the link hand is 0.01 m and 0 rad from where it should be"
    assert whys["models/turned.sdf"].startswith("the link wheel is ")
    assert whys["models/house.sdf"] == "written as SDF and read again, link is not static"
    assert whys["lost.mcap"] == "it holds 3 messages, and 2 were imported or counted as left out"
    assert whys["system.xml"] == "the wire B0.in -> A0.out goes against the ports: B0.in is an in port"
    assert whys["models/raises.urdf"] == "exit status 1: ZeroDivisionError: by nothing"
    assert whys["models/dies.urdf"].startswith("SIGSEGV")


def test_a_file_that_takes_for_ever_is_ended(tmp_path: Path) -> None:
    folder, control = tmp_path / "models", tmp_path / "control.py"
    folder.mkdir()
    (folder / "hangs.urdf").write_text(ARM)
    control.write_text(CONTROL)
    status, told = tried(folder, "--time-limit", "1", python=[sys.executable, str(control)])
    assert (status, told.splitlines()[0]) == (1, "crashed  hangs.urdf: no end after 1 s")


def test_the_tool_of_a_checkout_is_the_same(corpus: Path) -> None:
    status, told = tried(corpus / "models", "--only", "ok", python=[sys.executable, str(TOOL)])
    assert status == 0
    assert told.splitlines()[0] == "ok       arm.urdf"
    assert told.splitlines()[-1] == "4 files: 4 ok, 0 refused, 0 wrong, 0 crashed"


def test_a_terminal_shows_how_far_it_is(corpus: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        command = [*STUDIO, "corpus", str(corpus / "models")]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=120)
        assert "4 of 4, 0 wrong or crashed" in os.read(ours, 65536).decode()
    finally:
        os.close(theirs)
        os.close(ours)


def test_wrong_use_is_told(tmp_path: Path) -> None:
    for words in ([tmp_path / "none"], [tmp_path, "--only", "good"], [tmp_path, "--jobs", "0"]):
        command = [*STUDIO, "corpus", *map(str, words)]
        assert subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 2
