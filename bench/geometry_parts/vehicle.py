"""A large vehicle: 60 bodies with 400 frames, each mounted on an earlier one, in files as a user has them."""

from __future__ import annotations

from pathlib import Path

BODIES, FRAMES = 60, 400


def frames_of(number: int) -> int:
    """As many for each body as makes `FRAMES` in all."""
    return FRAMES // BODIES + (number < FRAMES % BODIES)


def write_vehicle(folder: Path) -> Path:
    """The assembly file, with its bodies beside it."""
    bodies, assemblies = folder / "bodies", folder / "assemblies"
    bodies.mkdir(parents=True)
    assemblies.mkdir()
    lines = ['<assembly name="Large" version="1">']
    for number in range(BODIES):
        (bodies / f"part{number}.xml").write_text(_body(number))
        lines.append(f'  <body name="Part{number}" file="part{number}.xml"/>')
    lines += [_constraint(number) for number in range(1, BODIES)]
    path = assemblies / "large.xml"
    path.write_text("\n".join([*lines, "</assembly>", ""]))
    return path


def _body(number: int) -> str:
    frames = [
        f'  <frame name="F{each}" xyz="{0.1 * (each % 3)} {0.1 * (each // 3)} 0.1"/>'
        for each in range(frames_of(number))
    ]
    shapes = [
        '  <box name="box" size="0.2 0.2 0.1" xyz="0 0 0.05" colour="0.4 0.5 0.6 1"/>',
        '  <cylinder name="post" radius="0.03" length="0.2" xyz="0 0 0.1"/>',
    ]
    text = [f'<body name="Part{number}" version="1">', *frames, *shapes, '  <mass kg="1"/>', "</body>", ""]
    return "\n".join(text)


def _constraint(number: int) -> str:
    """On the body of half the number: a tree six levels deep."""
    carrier, place = number // 2, 1 + number % 2
    ends = f'from="Part{carrier}:F{place}" to="Part{number}:F0"'
    return f'  <constraint name="c{number}" {ends} xyz="0.3 {0.1 * number} 0"/>'
