"""Colours, by meaning. Two palettes of our own, because Qt's colour schemes change nothing under Fusion on X11.

No Qt in here: tests recompute every contrast from these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True)
class Origin:
    """Of data: real, logged or simulated."""

    text: str
    fill: str
    on_fill: str
    icon: str
    word: str


@dataclass(frozen=True)
class Theme:
    name: ThemeName
    window: str
    panel: str
    header: str
    field: str
    canvas: str
    grid: str
    border: str
    control_border: str
    node: str
    node_title: str
    node_border: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_fill: str
    on_accent: str
    selection: str
    focus: str
    hover: str
    alternate: str
    tooltip: str
    code: str
    error: str
    warning: str
    fine: str
    inactive: str
    created: str
    frozen: str
    on_frozen: str
    origins: Mapping[str, Origin]
    types: Mapping[str, str]
    other_type: str
    high_contrast: bool = False
    """Lines instead of fills, and twice as wide where they mean something."""
    type_codes: bool = False
    """Message types are printed in the ports, for eyes that cannot tell all hues apart."""

    @property
    def look(self) -> str:
        """One word for all that is different between two of them."""
        return f"{self.name}{'+contrast' * self.high_contrast}{'+codes' * self.type_codes}"

    def tone(self, name: str) -> str:
        """Of a state: created, inactive, fine, warning, error or frozen."""
        colour: str = getattr(self, name)
        return colour

    def hue(self, message_type: str) -> str:
        return self.types.get(message_type, self.other_type)

    def shows_code(self, message_type: str) -> bool:
        """Whether the port has the code of its type in it: by choice, or because the hue is that of many types."""
        return bool(message_type) and (self.type_codes or message_type not in self.types)


DARK = Theme(
    name="dark",
    window="#1B1E23", panel="#22262C", header="#292E35", field="#191C20", canvas="#16181C", grid="#272B31",
    border="#373D46", control_border="#76808D", node="#262B32", node_title="#2E343C", node_border="#434A55",
    text="#E6E9ED", muted="#A3ACB8", disabled="#6C7581", accent="#A596FF", accent_fill="#6A57E0", on_accent="#FFFFFF",
    selection="#37325E", focus="#C4BAFF", hover="#2F353D", alternate="#252A30", tooltip="#2B3038", code="#1A1D21",
    error="#FF837A", warning="#EBC24D", fine="#56D089", inactive="#74B4FF", created="#F2F4F7", frozen="#8ADCF5",
    on_frozen="#06232C",
    origins={
        "real": Origin("#FF9F57", "#FF7A1A", "#1A0E00", "fa6s.tower-broadcast", "Real"),
        "logged": Origin("#EBA0D5", "#7C2F66", "#FFFFFF", "fa6s.database", "Logged"),
        "simulated": Origin("#4FD1C0", "#0E6259", "#FFFFFF", "fa6s.cube", "Simulated"),
    },
    types={
        "Range3d": "#62B6E8", "PoseTransform": "#B9A7E6", "Odometry": "#8499F7", "Map": "#93CB74", "Vote": "#E3B566",
        "Velocity": "#F0946F", "Twist": "#58C9B9", "Image": "#DE93C4",
    },
    other_type="#9AA4B0",
)  # fmt: skip

LIGHT = Theme(
    name="light",
    window="#E9ECF0", panel="#F7F8FA", header="#E4E8EC", field="#FFFFFF", canvas="#F1F3F6", grid="#D9DEE4",
    border="#C6CDD5", control_border="#747E8A", node="#FFFFFF", node_title="#F4F5F8", node_border="#B4BCC6",
    text="#1B2026", muted="#525C68", disabled="#98A1AC", accent="#5440CF", accent_fill="#5B46D6", on_accent="#FFFFFF",
    selection="#DCD7FB", focus="#5440CF", hover="#E6E9EE", alternate="#F0F2F5", tooltip="#FFFFFF", code="#FFFFFF",
    error="#BD1F29", warning="#7A5500", fine="#0C6E36", inactive="#0A5CB3", created="#3B444E", frozen="#055F78",
    on_frozen="#FFFFFF",
    origins={
        "real": Origin("#A84300", "#FF7A1A", "#1A0E00", "fa6s.tower-broadcast", "Real"),
        "logged": Origin("#932873", "#932873", "#FFFFFF", "fa6s.database", "Logged"),
        "simulated": Origin("#08655D", "#08655D", "#FFFFFF", "fa6s.cube", "Simulated"),
    },
    types={
        "Range3d": "#1B7AB5", "PoseTransform": "#7557B5", "Odometry": "#3F5FD0", "Map": "#4A8A27", "Vote": "#A87010",
        "Velocity": "#C5522A", "Twist": "#0B8378", "Image": "#AD4089",
    },
    other_type="#66717E",
)  # fmt: skip

THEMES: Mapping[str, Theme] = {theme.name: theme for theme in (LIGHT, DARK)}
_INK: Mapping[str, str] = {"light": "#000000", "dark": "#FFFFFF"}
_PAPER: Mapping[str, str] = {"light": "#FFFFFF", "dark": "#000000"}


def theme_of(name: str, *, high_contrast: bool = False, type_codes: bool = False) -> Theme:
    """Light or dark, as somebody's eyes need it; the same object for the same answer."""
    return _theme_of(name, high_contrast, type_codes)


@cache
def _theme_of(name: str, high_contrast: bool, type_codes: bool) -> Theme:
    theme = THEMES.get(name, LIGHT)
    theme = _strengthened(theme) if high_contrast else theme
    return replace(theme, type_codes=True) if type_codes else theme


def _strengthened(theme: Theme) -> Theme:
    """One ground for everything, and on it ink: borders are those of controls, what was told by a fill is outlined."""
    ink, paper = _INK[theme.name], _PAPER[theme.name]
    line = mixed(ink, paper, 0.72)
    return replace(
        theme, high_contrast=True,
        window=paper, panel=paper, header=paper, field=paper, canvas=paper, node=paper, node_title=paper,
        alternate=paper, tooltip=paper, code=paper, hover=mixed(ink, paper, 0.16),
        selection=mixed(theme.accent, paper, 0.3),
        text=ink, muted=mixed(ink, paper, 0.82), disabled=mixed(ink, paper, 0.55),
        border=line, control_border=line, node_border=line, focus=mixed(theme.focus, ink, 0.75),
        accent=mixed(theme.accent, ink, 0.75), error=mixed(theme.error, ink, 0.8),
        warning=mixed(theme.warning, ink, 0.8), fine=mixed(theme.fine, ink, 0.8),
        inactive=mixed(theme.inactive, ink, 0.8), created=ink,
        frozen=mixed(theme.frozen, ink, 0.8),
        types={name: mixed(hue, ink, 0.75) for name, hue in theme.types.items()},
        other_type=mixed(theme.other_type, ink, 0.75),
    )  # fmt: skip


def mixed(colour: str, ground: str, share: float) -> str:
    """So much of a colour over its ground."""
    pairs = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02X}" for over, under in pairs)


def contrast(first: str, second: str) -> float:
    """As WCAG 2 defines it: 1 for the same colour, 21 for black on white."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
