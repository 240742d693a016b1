"""iceoryx2 as it is meant to be used: loan a slice, fill it, send it; a notifier wakes the one who listens."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

iceoryx2: Any = importlib.import_module("iceoryx2")


def _services(name: str) -> tuple[Any, Any, Any]:
    iceoryx2.set_log_level(iceoryx2.LogLevel.Error)
    node = iceoryx2.NodeBuilder.new().create(iceoryx2.ServiceType.Ipc)
    builder = node.service_builder(iceoryx2.ServiceName.new(name)).publish_subscribe(iceoryx2.Slice[ctypes.c_uint8])
    data = builder.payload_alignment(iceoryx2.Alignment.new(64)).open_or_create()
    event = node.service_builder(iceoryx2.ServiceName.new(name + "/event")).event().open_or_create()
    return node, data, event


def sender(name: str, size: int) -> Callable[[Any], object]:
    node, data, event = _services(name)
    publisher = data.publisher_builder().initial_max_slice_len(size).create()
    notifier = event.notifier_builder().create()

    def send(payload: Any, _alive: Any = node) -> None:
        loan = publisher.loan_slice_uninit(len(payload))
        room = np.frombuffer(loan.payload().as_memory_view(), np.uint8)
        np.copyto(room, np.frombuffer(payload, np.uint8))
        loan.assume_init().send()
        notifier.notify()

    return send


def receiver(name: str, _size: int) -> Callable[[], Any]:
    node, data, event = _services(name)
    subscriber = data.subscriber_builder().create()
    listener = event.listener_builder().create()
    held: list[Any] = []

    def receive(_alive: Any = node) -> Any:
        held.clear()  # gives the sample before this one back
        while True:
            sample = subscriber.receive()
            if sample is not None:
                held.append(sample)
                return sample.payload().as_memory_view()
            listener.blocking_wait()

    return receive
