"""A camera for pictures of the image viewer: it looks around in a picture of the simulated world."""

from __future__ import annotations

import numpy as np
from PIL import Image as Picture

from studio.messages import Image
from studio.runtime.component import Component, OutPort, Parameter

WIDTH, HEIGHT = 480, 360


class Camera(Component):
    """Looks around in a picture, from side to side."""

    category = "sensor"
    icon = "mdi6.camera"
    activations = ("periodic",)
    period_s = 0.1

    picture = OutPort(Image, doc="what it sees, in colour")
    brightness = OutPort(Image, doc="the same, one number a pixel")

    file = Parameter("", kind="file", doc="the picture in which it looks around")

    def on_activate(self) -> None:
        assert self.project is not None, "it looks for its picture in the project"
        with Picture.open(self.project / self.file) as picture:
            self._world = np.asarray(picture.convert("RGB"))
        self._step = 0

    def on_timer(self) -> None:
        room = max(1, self._world.shape[1] - WIDTH)
        left = abs(self._step % (2 * room) - room)
        self._step += 2
        seen = np.ascontiguousarray(self._world[-HEIGHT:, left : left + WIDTH])
        self.picture.publish(Image.from_pixels(seen, "rgb8", stamp_ns=self.now(), frame="camera"))
        grey = (seen @ np.array([0.299, 0.587, 0.114]) / 255).astype(np.float32)
        self.brightness.publish(Image.from_pixels(grey, stamp_ns=self.now(), frame="camera"))
