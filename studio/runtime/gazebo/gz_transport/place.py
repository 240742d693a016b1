"""Where a participant takes part, and who it is."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace

from studio.runtime.gazebo.gz_transport.access import Access
from studio.runtime.gazebo.gz_transport.multicast import Network
from studio.runtime.gazebo.gz_transport.names import default_partition
from studio.runtime.gazebo.gz_transport.packets import Offer


@dataclass(frozen=True)
class Place:
    """Network, partition and credentials: as the environment says, by the same variables as in Gazebo itself."""

    network: Network = field(default_factory=Network.of_environment)
    partition: str = field(default_factory=default_partition)
    access: Access = field(default_factory=Access.of_environment)


@dataclass(frozen=True)
class Identity:
    process: str = field(default_factory=lambda: str(uuid.uuid4()))
    node: str = field(default_factory=lambda: str(uuid.uuid4()))

    def as_subscriber(self, offer: Offer) -> Offer:
        """What a publisher is told about who listens to it."""
        return replace(offer, process=self.process, node=self.node, ctrl=offer.process)
