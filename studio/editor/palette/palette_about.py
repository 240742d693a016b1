"""What the palette tells of an entry on hover: documentation, ports, parameters and tags."""

from __future__ import annotations

from html import escape

from studio.editor.look.summary import summary
from studio.editor.look.theme import Theme
from studio.editor.palette.palette_tools import Tool
from studio.model.spec import ComponentSpec, PortSpec, format_value

MOST_PARAMETERS = 8


def about(spec: ComponentSpec, theme: Theme, favourite: bool = False) -> str:
    parts = [f"<b>{spec.type}</b> <span style='color:{theme.muted}'>· {spec.category}</span>"]
    parts.append(escape(summary(spec.doc)))
    rows = [_port(port, theme) for port in spec.ports]
    rows += [
        _row("■" if service.role == "provided" else "□", service.name, f"{service.request} -> {service.reply}", theme)
        for service in spec.services
    ]
    shown = spec.parameters[:MOST_PARAMETERS]
    rows += [_row("=", each.name, f"{format_value(each.default) or '—'} {each.unit}".strip(), theme) for each in shown]
    if len(spec.parameters) > len(shown):
        rows.append(_row("", f"and {len(spec.parameters) - len(shown)} more", "", theme))
    if rows:
        parts.append(f"<table cellspacing='0' cellpadding='0'>{''.join(rows)}</table>")
    if spec.tags:
        parts.append(
            f"<span style='color:{theme.accent}'>{'&nbsp; '.join(f'#{escape(tag)}' for tag in spec.tags)}</span>"
        )
    star = "is a favourite: Space removes it" if favourite else "Space makes it a favourite"
    parts.append(f"<span style='color:{theme.muted}'>Drag it to the canvas, or Enter. {star}</span>")
    return _card(parts)


def about_tool(tool: Tool, theme: Theme) -> str:
    hint = f"<span style='color:{theme.muted}'>Drag it to the canvas, or Enter</span>"
    return _card([f"<b>{escape(tool.title)}</b>", escape(tool.doc), hint])


def _card(parts: list[str]) -> str:
    """As wide as a hover card, whatever is in it."""
    inner = "".join(f"<div style='margin-bottom:5px'>{part}</div>" for part in parts)
    return f"<table width='286' cellspacing='0' cellpadding='0'><tr><td>{inner}</td></tr></table>"


def _port(port: PortSpec, theme: Theme) -> str:
    return _row("→" if port.direction == "in" else "←", port.name, port.type, theme, theme.hue(port.type))


def _row(mark: str, name: str, kind: str, theme: Theme, hue: str = "") -> str:
    return (
        f"<tr><td style='color:{hue or theme.muted}'>{mark}&nbsp;</td><td>{escape(name)}&nbsp;&nbsp;</td>"
        f"<td style='color:{theme.muted}'>{escape(kind)}</td></tr>"
    )
