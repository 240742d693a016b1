"""Payloads in shared memory: what the rest of the channel uses of them (docs/protocol.md, section 8)."""

from studio.runtime.channel.leases import Leases, LeaseStatistics, copy_shared
from studio.runtime.channel.payload_folder import Claim, dismiss_host, remove_producer, remove_run, remove_stale
from studio.runtime.channel.pool import Pool, PoolStatistics
from studio.runtime.channel.slot import Data, Slot
from studio.runtime.channel.slots import MOST_HOSTS, Overwritten, PayloadError, producer_of, shared_length

SHARED_FROM_BYTES = 64 << 10
"""Payloads from this size on go through shared memory; below, the copy costs less than the handling."""

__all__ = [
    "MOST_HOSTS",
    "SHARED_FROM_BYTES",
    "Claim",
    "Data",
    "LeaseStatistics",
    "Leases",
    "Overwritten",
    "PayloadError",
    "Pool",
    "PoolStatistics",
    "Slot",
    "copy_shared",
    "dismiss_host",
    "producer_of",
    "remove_producer",
    "remove_run",
    "remove_stale",
    "shared_length",
]
