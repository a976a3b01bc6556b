"""Figures, by matplotlib, which is imported when one is drawn."""

import math
import numbers

import numpy as np

from . import _arguments
from ._core import Error, Schedule, compared_times


def _axes(ax, **size):
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise Error(
            "figures need matplotlib: apt-get install python3-matplotlib, or pip install matplotlib"
        ) from error
    if ax is not None:
        return _arguments.one("ax", ax, matplotlib.axes.Axes, "matplotlib's axes")
    # Half of a tick's number may stand out beyond the axes, which this layout does not see.
    with matplotlib.rc_context({"figure.constrained_layout.w_pad": 0.2}):  # inches
        return matplotlib.pyplot.subplots(layout="constrained", **size)[1]


def _plain(text):
    """A text that is a user's, as it is: matplotlib reads what stands between two $ as a formula."""
    return text.replace("$", r"\$")


def _label(prediction):
    parts = [prediction.layout, prediction.schedule]
    if prediction.launch is not None:
        parts.append(prediction.launch)
    return _plain(f"{', '.join(parts)}, {prediction.devices} x {prediction.profile}")


def _halo():
    """Of black text on any colour."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3, foreground="white")]


def _logarithmic(ax, grid):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("unknowns")
    ax.set_ylabel(f"stored elements ({grid.layout})")


def _points(ax, points):
    for point in points:
        ax.plot(point.unknowns, point.elements, "o", color="black", markerfacecolor="white")
        ax.annotate(
            _plain(point.name),
            (point.unknowns, point.elements),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            path_effects=_halo(),
        )


def _isolines(ax, grid, values, locator, colour="white", form="%g"):
    """Lines of equal values, with these in that form."""
    levels = locator.tick_values(values.min(), values.max())
    levels = [each for each in levels if values.min() < each < values.max()]
    if not levels:
        return
    lines = ax.contour(
        grid.unknowns, grid.elements, values, levels=levels, colors=colour, linewidths=0.7
    )
    for text in lines.clabel(fmt=form, colors="black", fontsize="small"):
        text.set_path_effects(_halo())


def performance_map(grid, ax=None):
    """The values of a map by colour, in logarithms but for speedups, with isolines; of speedups a
    thick line where several devices pay."""
    ax = _axes(ax)
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import LogLocator, MaxNLocator

    _logarithmic(ax, grid)  # before labels of isolines find their room
    values = np.ma.masked_invalid(grid.values)
    logarithmic = grid.quantity != "speedup"
    mesh = ax.pcolormesh(
        grid.unknowns,
        grid.elements,
        values,
        norm=LogNorm() if logarithmic else None,
        shading="nearest",
        rasterized=True,
    )
    unit = {"speedup": "speedup", "raw": "GFlop/s", "effective": "effective GFlop/s"}
    ax.figure.colorbar(mesh, ax=ax, label=unit[grid.quantity])
    if values.count():
        _isolines(ax, grid, values, LogLocator(subs=(1, 2, 5)) if logarithmic else MaxNLocator(6))
    if grid.quantity == "speedup" and values.count() and values.min() < 1 < values.max():
        ax.contour(grid.unknowns, grid.elements, values, levels=[1], colors="black")
    _points(ax, grid.points)
    ax.set_title(_plain(f"{grid.devices} x {grid.profile}, {grid.precision}"))
    return ax.figure


def comparison(grid, ax=None):
    """The fastest profile at each size by colour; the paler, the closer the second comes, with
    isolines of its time over that of the fastest."""
    ax = _axes(ax)
    from matplotlib import colormaps
    from matplotlib.patches import Patch
    from matplotlib.ticker import FixedLocator

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
        Patch(color=colours(place % colours.N), label=_plain(name))
        for place, name in enumerate(grid.profiles)
    ]
    ax.legend(
        handles=patches,
        title="fastest; lines: time of the\nsecond over that of the fastest",
        loc="upper left",
        bbox_to_anchor=(1, 1),  # beside the map
    )
    _logarithmic(ax, grid)  # before labels of isolines find their room
    ratios = 1 + np.ma.masked_invalid(grid.margin)
    if ratios.count():
        levels = FixedLocator([1.1, 1.5, 2, 3, 5, 10, 20, 50, 100])  # as the program draws
        _isolines(ax, grid, ratios, levels, colour="0.25", form="%g x")
    _points(ax, grid.points)
    ax.set_title(f"{grid.devices} of each, {grid.precision}")
    return ax.figure


def _plain_ticks(axis):
    """Of an axis in logarithms: ticks within a decade too, without powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _spread(times):
    """What intervals reach below and above times, in seconds; NaN, which is not drawn, without one."""
    low, high = [], []
    for seconds, interval in times:
        low.append(max(seconds - interval.low, 0) if interval else math.nan)
        high.append(max(interval.high - seconds, 0) if interval else math.nan)
    return np.array([low, high])


def _is_restarted(name):
    """Whether an iteration of it is a cycle: of solvers that ship. A forecast has others' names alone."""
    try:
        return "restart" in Schedule(name).to_dict()["roles"]
    except Error:  # none that ships as a file
        return False


def _of_cycles(predictions):
    """What an axis says where an iteration of some is a cycle of steps."""
    restarted = sorted({each.schedule for each in predictions if _is_restarted(each.schedule)})
    return _plain(f"\n({', '.join(restarted)}: a cycle)") if restarted else ""


def _unit(seconds):
    """A unit in which so long a time has few digits, and how many of it a second has."""
    if seconds < 1e-3:
        return "us", 1e6
    return ("ms", 1e3) if seconds < 1 else ("s", 1)


def times(predictions, ax=None):
    """A bar for each prediction, the fastest on top, with its interval: of the time by which
    predictions are compared."""
    predictions = _arguments.predictions("predictions", predictions)
    if not predictions:
        raise Error("predictions: expected at least one")
    found, what = compared_times(predictions)
    inches = 1 + 0.25 * len(predictions)  # a line of text each
    ax = _axes(ax, figsize=(6.4, max(inches, 4.8)))
    ordered = sorted(zip(predictions, found), key=lambda each: (math.isnan(each[1][0]), each[1][0]))
    seconds = np.array([time for _, (time, _) in ordered])
    unit, scale = _unit(max((time for time in seconds if not math.isnan(time)), default=0))
    ax.barh(
        [_label(each) for each, _ in ordered],
        scale * seconds,
        xerr=scale * _spread([time for _, time in ordered]),
        capsize=3,
    )
    ax.set_ylim(len(ordered) - 0.5, -0.5)
    cycles = _of_cycles(predictions) if what == "time of an iteration" else ""
    ax.set_xlabel(f"{what}, {unit}, with its 90 % interval{cycles}")
    return ax.figure


def measured_over_predicted(predictions, measured, ax=None):
    """Measured over predicted, in logarithms, with the line where they are equal."""
    predictions = _arguments.predictions("predictions", predictions)
    measured = _arguments.several(
        "measured", measured, (numbers.Real, type(None)), "seconds, or None, of each prediction"
    )
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
    for _, time in pairs:
        if not 0 < time < math.inf:
            raise Error(f"measured: expected seconds above 0, found {time}")
    ax = _axes(ax)
    predicted = np.array([each.seconds_per_iteration for each, _ in pairs])
    seconds = np.array([time for _, time in pairs])
    spread = _spread([(each.seconds_per_iteration, each.interval_seconds) for each, _ in pairs])
    ends = np.array([min(predicted.min(), seconds.min()), max(predicted.max(), seconds.max())])
    ends = 1e6 * ends * [0.8, 1.25]
    ax.plot(ends, ends, color="grey", linewidth=1, label="as predicted")
    ax.errorbar(
        1e6 * predicted,
        1e6 * seconds,
        xerr=1e6 * spread,
        fmt="o",
        capsize=3,
        label="with the 90 % interval" if np.isfinite(spread).any() else None,
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis in (ax.xaxis, ax.yaxis):
        _plain_ticks(axis)
    ax.legend(loc="upper left")
    ax.set_xlabel(f"predicted time of an iteration, us{_of_cycles(each for each, _ in pairs)}")
    ax.set_ylabel("measured, us")
    return ax.figure
