"""The broker's sockets between C and Python."""

from __future__ import annotations

import threading
from pathlib import Path

import zmq

from studio.runtime.broker.broker_sockets import BrokerSockets

TIMES = 3000
"""More than the answers of the proxy that libzmq keeps for one who does not read them."""


def test_the_proxy_is_left_and_entered_again_thousands_of_times(tmp_path: Path) -> None:
    """A broker stood for ever at the two thousandth pause."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    sockets = BrokerSockets(context, tmp_path)
    left = threading.Semaphore(0)

    def forward() -> None:
        for _ in range(TIMES):
            sockets.proxy()
            sockets.forget_wakes()
            left.release()

    forwarder = threading.Thread(target=forward, daemon=True)
    forwarder.start()
    for number in range(TIMES):
        sockets.wake()
        assert left.acquire(timeout=20), f"the proxy was not left at word {number}"
    forwarder.join()
    sockets.close()
    context.destroy(linger=0)
