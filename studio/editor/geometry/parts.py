"""Which parts a document of the geometry editor has: a row each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    name: str
    title: str
    icon: str
    makes: str
    """Module and class; it is called with the Context."""
    beside: str
    """The part at whose place it opens, as a tab."""
    side: str = "tab"


_PANELS = "studio.editor.geometry.panels"
VIEW = Part("geometry", "Geometry", "mdi6.car-outline", "studio.editor.geometry.view.geometry_view:GeometryView", "")
PANELS = (
    Part("geometry_tree", "Assembly", "mdi6.file-tree-outline", f"{_PANELS}.tree:AssemblyTree", "palette"),
    Part("geometry_library", "Library", "mdi6.package-variant-closed", f"{_PANELS}.library:LibraryPanel", "palette"),
    Part("geometry_properties", "Properties", "mdi6.tune-variant", f"{_PANELS}.properties:Properties", "inspector"),
    Part("geometry_measure", "Measure", "mdi6.ruler-square", f"{_PANELS}.measure:Measure", "inspector"),
    Part("geometry_xml", "XML", "mdi6.xml", f"{_PANELS}.xml_panel:XmlPanel", "problems"),
    Part("geometry_changes", "Changes", "mdi6.file-compare", f"{_PANELS}.changes:Changes", "problems"),
    Part("geometry_checks", "Checks", "mdi6.check-circle-outline", f"{_PANELS}.checks:Checks", "problems"),
)
