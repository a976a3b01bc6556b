"""Figures, by matplotlib, which is imported when one is drawn."""

import math

import numpy as np

from ._core import Error, compared_times


def _axes(ax):
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise Error(
            "figures need matplotlib: apt-get install python3-matplotlib, or pip install matplotlib"
        ) from error
    if ax is not None:
        return ax
    return matplotlib.pyplot.subplots(layout="constrained")[1]


def _label(prediction):
    parts = [prediction.layout, prediction.schedule]
    if prediction.launch is not None:
        parts.append(prediction.launch)
    return f"{', '.join(parts)}, {prediction.devices} x {prediction.profile}"


def _logarithmic(ax, grid):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("unknowns")
    ax.set_ylabel(f"stored elements ({grid.layout})")


def _points(ax, points):
    for point in points:
        ax.plot(point.unknowns, point.elements, "o", color="black", markerfacecolor="white")
        ax.annotate(
            point.name,
            (point.unknowns, point.elements),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
        )


def performance_map(grid, ax=None):
    """The values of a map by colour; of speedups a line where several devices pay."""
    ax = _axes(ax)
    values = np.ma.masked_invalid(grid.values)
    mesh = ax.pcolormesh(grid.unknowns, grid.elements, values, shading="nearest", rasterized=True)
    unit = {"speedup": "speedup", "raw": "GFlop/s", "effective": "effective GFlop/s"}
    ax.figure.colorbar(mesh, ax=ax, label=unit[grid.quantity])
    if grid.quantity == "speedup" and values.count() and values.min() < 1 < values.max():
        ax.contour(grid.unknowns, grid.elements, values, levels=[1], colors="black")
    _logarithmic(ax, grid)
    _points(ax, grid.points)
    ax.set_title(f"{grid.devices} x {grid.profile}, {grid.precision}")
    return ax.figure


def comparison(grid, ax=None):
    """The fastest profile at each size by colour; the paler, the closer the second comes."""
    ax = _axes(ax)
    from matplotlib import colormaps
    from matplotlib.patches import Patch

    colours = colormaps["tab10"]
    picture = np.zeros(grid.fastest.shape + (4,))
    far = 0.5  # a second that takes half as long again is far behind
    margin = np.nan_to_num(grid.margin, nan=far)
    for place in range(len(grid.profiles)):
        here = grid.fastest == place
        picture[here] = colours(place % colours.N)
        picture[here, 3] = 0.25 + 0.75 * np.minimum(margin[here] / far, 1)
    mesh = ax.pcolormesh(
        grid.unknowns, grid.elements, grid.fastest, shading="nearest", rasterized=True
    )
    mesh.set_array(None)  # colours by themselves; matplotlib before 3.7 takes none in its place
    mesh.set_facecolor(picture.reshape(-1, 4))
    patches = [
        Patch(color=colours(place % colours.N), label=name)
        for place, name in enumerate(grid.profiles)
    ]
    ax.legend(handles=patches, title="fastest", loc="upper left")
    _logarithmic(ax, grid)
    _points(ax, grid.points)
    ax.set_title(f"{grid.devices} of each, {grid.precision}")
    return ax.figure


def _spread(times):
    """What intervals reach below and above times, in seconds; 0 where there is none."""
    low, high = [], []
    for seconds, interval in times:
        low.append(max(seconds - interval.low, 0) if interval else 0)
        high.append(max(interval.high - seconds, 0) if interval else 0)
    return np.array([low, high])


def times(predictions, ax=None):
    """A bar for each prediction, the fastest on top, with its interval: of the time by which
    predictions are compared."""
    ax = _axes(ax)
    found, what = compared_times(list(predictions))
    ordered = sorted(zip(predictions, found), key=lambda each: (math.isnan(each[1][0]), each[1][0]))
    seconds = np.array([time for _, (time, _) in ordered])
    ax.barh(
        [_label(each) for each, _ in ordered],
        1e6 * seconds,
        xerr=1e6 * _spread([time for _, time in ordered]),
        capsize=3,
    )
    ax.invert_yaxis()
    ax.set_xlabel(f"{what}, us, with its 90 % interval")
    return ax.figure


def measured_over_predicted(predictions, measured, ax=None):
    """Measured over predicted, in logarithms, with the line where they are equal."""
    predictions, measured = list(predictions), list(measured)
    if len(predictions) != len(measured):
        raise Error(
            f"measured: expected {len(predictions)} times, one a prediction, found {len(measured)}"
        )
    pairs = [
        (each, seconds)
        for each, seconds in zip(predictions, measured)
        if seconds is not None and not math.isnan(seconds)
    ]
    if not pairs:
        raise Error("measured: expected at least one time")
    ax = _axes(ax)
    predicted = np.array([each.seconds_per_iteration for each, _ in pairs])
    seconds = np.array([time for _, time in pairs])
    spread = _spread([(each.seconds_per_iteration, each.interval_seconds) for each, _ in pairs])
    ends = np.array([min(predicted.min(), seconds.min()), max(predicted.max(), seconds.max())])
    ends = 1e6 * ends * [0.8, 1.25]
    ax.plot(ends, ends, color="grey", linewidth=1)
    ax.errorbar(1e6 * predicted, 1e6 * seconds, xerr=1e6 * spread, fmt="o", capsize=3)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("predicted time of an iteration, us")
    ax.set_ylabel("measured, us")
    return ax.figure
