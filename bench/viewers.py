"""Viewers against plain pyqtgraph and matplotlib: a new map or new points until the picture is painted.

All draw the same numbers into a widget of the same size, without a screen (Qt's offscreen platform, Agg). pyqtgraph is
used as its documentation shows first: an ImageItem with automatic levels, curves by setData. Then the real window with
six panels on the running Raptor: what its process costs of one core, and how long it stood still at most.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.harness import OURS, PROMISED, Contender, Report, installed, interleave
from bench.viewers_parts.six_panels import measured

PYQTGRAPH, MATPLOTLIB = "pyqtgraph", "matplotlib"
ONE_CORE, STALL, STALL_MS = "one core", "a stall", 200.0
LAYOUT_MS = 300.0
WIDTH, HEIGHT = 1000, 800
FRAMES = 4
CURVES, POINTS, STEP = 8, 100_000, 500

Frames = NDArray[np.float32]


def run(rounds: int = 5) -> Report:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication(["bench"])
    report = Report("viewers", rounds)
    for side, goals in ((1000, {PYQTGRAPH: 1.0, MATPLOTLIB: 0.2}), (4000, {PYQTGRAPH: 0.5, MATPLOTLIB: None})):
        medians = interleave(_maps(side), rounds)
        for peer, goal in goals.items():
            report.add(f"a new map of {side} x {side} cells", "ms", medians, against=peer, goal=goal)
    medians = interleave(_curves(), rounds)
    for peer, goal in ((PYQTGRAPH, 1.0), (MATPLOTLIB, None)):
        report.add(f"{CURVES} curves of {POINTS} points scroll", "ms", medians, against=peer, goal=goal)
    if not installed(MATPLOTLIB):
        report.missing(MATPLOTLIB)
    app.processEvents()
    _add_window(report)
    return report


def _add_window(report: Report) -> None:
    """Measured once: it takes half a minute, and is no comparison of two libraries."""
    told = measured()
    cores: dict[str, float | None] = {OURS: told["cores"], ONE_CORE: 1.0}
    report.add("six panels on the running Raptor", "cores", cores, against=ONE_CORE, goal=0.5)
    stall: dict[str, float | None] = {OURS: told["longest_stall_ms"], STALL: STALL_MS}
    report.add("its longest stall, layouts included", "ms", stall, against=STALL, goal=1.0)
    layout: dict[str, float | None] = {OURS: told["layout_ms"], PROMISED: LAYOUT_MS}
    report.add("another layout until it is painted", "ms", layout, against=PROMISED, goal=1.0)


def frame_ms(draw: Callable[[int], object]) -> float:
    """Of `FRAMES` pictures in a row."""
    began = perf_counter()
    for number in range(FRAMES):
        draw(number)
    return (perf_counter() - began) / FRAMES * 1000


def _maps(side: int) -> dict[str, Contender | None]:
    random = np.random.default_rng(side)
    first = random.normal(0.0, 0.4, (side, side)).astype(np.float32)
    heights = [first, np.ascontiguousarray(first[::-1])]
    contenders = {OURS: _our_map(heights), PYQTGRAPH: _graph_map(heights)}
    known: dict[str, Contender | None] = {name: partial(frame_ms, draw) for name, draw in contenders.items()}
    known[MATPLOTLIB] = None
    if installed(MATPLOTLIB):
        known[MATPLOTLIB] = partial(frame_ms, _plotted_map(heights))
    return known


def _our_map(heights: list[Frames]) -> Callable[[int], object]:
    from studio.editor.look.theme import LIGHT
    from studio.editor.views.maps.map_layers import layer_of
    from studio.editor.views.maps.map_view import MapView
    from studio.messages import Map

    maps = [Map(resolution_m=0.1, plane_names=("height",), planes=plane[None]) for plane in heights]
    view = _shown(MapView(LIGHT))
    view.show_layers([layer_of(maps[0], "height")])
    view.fit()

    def draw(number: int) -> None:
        view.show_layers([layer_of(maps[number % 2], "height")])
        view.repaint()

    draw(0)
    return draw


def _graph_map(heights: list[Frames]) -> Callable[[int], object]:
    import pyqtgraph as pg

    widget = _shown(pg.PlotWidget())
    image = pg.ImageItem(axisOrder="row-major")
    image.setColorMap(pg.colormap.get("viridis"))
    widget.addItem(image)

    def draw(number: int) -> None:
        image.setImage(heights[number % 2])
        widget.viewport().repaint()

    draw(0)
    return draw


def _plotted_map(heights: list[Frames]) -> Callable[[int], object]:
    figure, axes = _figure()
    image = axes.imshow(heights[0], origin="lower")

    def draw(number: int) -> None:
        image.set_data(heights[number % 2])
        figure.canvas.draw()

    draw(0)
    return draw


def _curves() -> dict[str, Contender | None]:
    made: dict[str, Contender | None] = {MATPLOTLIB: None}
    builders = {OURS: _our_curves, PYQTGRAPH: _graph_curves}
    if installed(MATPLOTLIB):
        builders[MATPLOTLIB] = _plotted_curves
    for name, build in builders.items():
        made[name] = partial(frame_ms, build(_waves()))
    return {name: made[name] for name in (OURS, PYQTGRAPH, MATPLOTLIB)}


def _waves() -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Over and over: times, and a row of values for each curve; a step later each time."""
    random = np.random.default_rng(5)
    long = np.cumsum(random.normal(0, 0.01, (CURVES, POINTS + 100 * STEP)), axis=1)
    for number in cycle(range(100)):
        times = (np.arange(POINTS) + number * STEP) / 1000.0
        yield times, long[:, number * STEP : number * STEP + POINTS]


def _our_curves(waves: Iterator[tuple[Any, Any]]) -> Callable[[int], object]:
    from studio.editor.live.feed import Feed
    from studio.editor.look.theme import LIGHT
    from studio.editor.panels.plot.plot_viewer import PlotViewer
    from studio.editor.views.shared.field_drag import Field

    viewer = _shown(PlotViewer(Feed(), LIGHT))
    times, values = next(waves)
    for number in range(CURVES):
        viewer.add(Field("/bench/wave", f"value_{number}"))
        viewer.curves[number].series.add(times.tolist(), values[number].tolist())
    viewer.time.span_s = POINTS / 1000.0

    def draw(_: int) -> None:
        times, values = next(waves)
        for curve, row in zip(viewer.curves, values, strict=True):
            curve.series.add(times[-STEP:].tolist(), row[-STEP:].tolist())
        viewer.redraw()
        viewer.plot.viewport().repaint()

    draw(0)
    return draw


def _graph_curves(waves: Iterator[tuple[Any, Any]]) -> Callable[[int], object]:
    import pyqtgraph as pg

    widget = _shown(pg.PlotWidget())
    curves = [widget.plot(pen=pg.intColor(number)) for number in range(CURVES)]

    def draw(_: int) -> None:
        times, values = next(waves)
        for curve, row in zip(curves, values, strict=True):
            curve.setData(times, row)
        widget.viewport().repaint()

    draw(0)
    return draw


def _plotted_curves(waves: Iterator[tuple[Any, Any]]) -> Callable[[int], object]:
    figure, axes = _figure()
    times, values = next(waves)
    lines = [axes.plot(times, row)[0] for row in values]

    def draw(_: int) -> None:
        times, values = next(waves)
        for line, row in zip(lines, values, strict=True):
            line.set_data(times, row)
        axes.set_xlim(times[0], times[-1])
        figure.canvas.draw()

    draw(0)
    return draw


def _shown(widget: Any) -> Any:
    from PyQt6.QtWidgets import QApplication

    widget.resize(WIDTH, HEIGHT)
    widget.show()
    QApplication.processEvents()
    return widget


def _figure() -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()
