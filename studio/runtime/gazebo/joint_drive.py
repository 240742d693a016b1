"""Drives the joints of a model on a Gazebo classic server: speeds of wheels, positions of all others.

The server has a controller for each joint, and hears its targets by gz-transport. It is asked whether it has them
before it makes another step: so a command acts from the same step on in every run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.runtime.gazebo.gz_messages import messages_in_classic
from studio.runtime.gazebo.gz_transport.multicast import GROUP_OF_CLASSIC, Network
from studio.runtime.gazebo.gz_transport.node import NoAnswer, Node
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.server import GazeboError
from studio.runtime.sim.vehicles.vehicle import Vehicle

STIFF = 0.3
"""Share of a speed's error that a wheel makes up for in one step: below 1 it is stable."""
GIVES_RAD = math.radians(2.0)
"""By how much a joint that holds a position gives way under its full effort."""
USUAL_EFFORT = 100.0
PATIENCE_S = 5.0
TRIES = 500


class JointDrive:
    def __init__(self, model: str, vehicle: Vehicle, pieces: Sequence[int], step_s: float, partition: str = "") -> None:
        """`pieces`: whose joints it drives; one that a plugin drives, too, would be torn between the two."""
        self._schema = messages_in_classic()
        network = Network.of_environment(group=GROUP_OF_CLASSIC)
        self._node = Node(Place(network, partition) if partition else Place(network))
        self._publish = self._node.advertise(f"/{model}/joint_cmd", self._schema.full("JointCmd"))
        self._gains = {index: _gains(vehicle, index, step_s) for index in pieces}
        self._names = {index: f"{model}::{vehicle.pieces[index].name}" for index in self._gains}
        self._speeds = set(vehicle.drive_joints)
        self._targets = dict.fromkeys(self._gains, 0.0)
        self._is_new = True
        self._service = f"/{model}/joint_cmd_req"

    def tell(self, targets: dict[int, float]) -> None:
        """Piece -> speed of a wheel, position of what is not one; what is not named keeps its target."""
        changed = [
            index for index, value in targets.items() if index in self._targets and self._targets[index] != value
        ]
        self._targets |= {index: targets[index] for index in changed}
        self._tell(list(self._targets) if self._is_new else changed)
        self._is_new = False

    def _tell(self, changed: list[int]) -> None:
        """What is told first may get lost, as long as the server is not connected."""
        for _ in range(TRIES):
            for index in changed:
                self._publish(self._command(index).SerializeToString())
            if all(self._has(index) for index in changed):
                return
        raise GazeboError("the server does not accept commands for joints", hint="check that gz-transport reaches it")

    def _has(self, index: int) -> bool:
        name = self._schema.new("StringMsg", data=self._names[index]).SerializeToString()
        kinds = self._schema.full("StringMsg"), self._schema.full("JointCmd")
        try:
            answer = self._node.request(self._service, name, *kinds, timeout_s=PATIENCE_S)
        except NoAnswer as none:
            raise GazeboError(f"the server does not report its joints: {none.message}") from None
        told = self._schema.read("JointCmd", answer)
        control = told.velocity if index in self._speeds else told.position
        has_gain = bool(np.isclose(control.p_gain_optional.data, self._gains[index]["p_gain"]))
        return has_gain and bool(np.isclose(control.target_optional.data, self._targets[index]))

    def close(self) -> None:
        self._node.close()

    def _command(self, index: int) -> Any:
        new = self._schema.new
        values = {"target": self._targets[index]} | self._gains[index]
        pid = new("PID", **{f"{name}_optional": new("Double", data=value) for name, value in values.items()})
        return new("JointCmd", name=self._names[index], **{"velocity" if index in self._speeds else "position": pid})


def _gains(vehicle: Vehicle, index: int, step_s: float) -> dict[str, float]:
    joint = vehicle.pieces[index].joint
    assert joint is not None
    effort = joint.effort or USUAL_EFFORT
    carried = _carried(vehicle, index)
    if joint.kind == "drive":
        gain = STIFF * carried / step_s
        return {"p_gain": gain, "i_gain": 10 * gain, "d_gain": 0.0, "i_max": effort, "i_min": -effort, "limit": effort}
    gain = min(effort / GIVES_RAD, 0.04 * carried / step_s**2)
    damping = 2 * math.sqrt(gain * carried)
    return {"p_gain": gain, "i_gain": 0.0, "d_gain": damping, "i_max": 0.0, "i_min": 0.0, "limit": effort}


def _carried(vehicle: Vehicle, index: int) -> float:
    """What the joint turns or pushes: of its own piece and of those that hang on it."""
    piece = vehicle.pieces[index]
    axis = np.array(piece.axis)
    if piece.joint is not None and piece.joint.kind == "slider":
        own = piece.inertia.mass_kg
    else:
        own = float(axis @ piece.inertia.about_centre @ axis)
    return own + sum(_carried(vehicle, other) for other, each in enumerate(vehicle.pieces) if each.parent == index)
