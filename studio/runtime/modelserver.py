"""The Modelserver of the DRDC report: answers where frames are to whoever has no geometry of its own.

Components have `self.geometry` and need no service. This one is for programs in other languages, for panels and for
people: `studio ctl call modelserver.get_transformation ...`.
"""

from __future__ import annotations

from studio.messages import FrameQuery, Names, PoseTransform, String
from studio.runtime.component import Component, ProvidedService


class Modelserver(Component):
    """Answers where a frame of the system's geometry is in another, which bodies there are, and which frames they have.

    A frame is named Body:Frame; a body's name alone is its origin. With a stamp, joints are where they were then.
    """

    icon = "mdi6.axis-arrow"
    tags = ("geometry", "service")

    get_transformation = ProvidedService(FrameQuery, PoseTransform, doc="the pose of child_frame in frame")
    get_body_list = ProvidedService(String, Names, doc="the names of all bodies; the request is ignored")
    get_body_frame_list = ProvidedService(String, Names, doc="the names of a body's frames")

    def serve_get_transformation(self, query: FrameQuery) -> PoseTransform:
        matrix = self.geometry.transform(query.child_frame, query.frame, query.stamp_ns or None)
        return PoseTransform(stamp_ns=query.stamp_ns, frame=query.frame, child_frame=query.child_frame, matrix=matrix)

    def serve_get_body_list(self, _: String) -> Names:
        return Names(names=tuple(self.geometry.bodies()))

    def serve_get_body_frame_list(self, body: String) -> Names:
        return Names(names=tuple(self.geometry.frames(body.data)))
