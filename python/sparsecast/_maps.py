"""Performance over all sizes of matrices."""

from collections.abc import Mapping

from . import _arguments, _core, _plots


def map(
    profiles,
    matrices=None,
    *,
    quantity=None,
    devices=None,
    layout=None,
    precision=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    curve=None,
    block_density=None,
    unknowns_min=None,
    unknowns_max=None,
    elements_min=None,
    elements_max=None,
    columns=None,
    rows=None,
    progress=None,
):
    """Performance or speedup over unknowns and stored elements: a `PerformanceMap`.

    Of several profiles it says which is the fastest at each size: a `MapComparison`.

    matrices: to set on the map, a dict of name and matrix (or features). quantity: "speedup" of the
    devices over one, "raw" or "effective" (GFlop/s); default speedup, of one device raw. devices:
    how many; default 2 where the profile knows what these cost each other, of several profiles 1.
    layout: one whose size follows from numbers; default "csr" by the traffic model, else "bcsr4".
    block_density: of effective, nonzeros over elements, up to 1. unknowns_min to elements_max: the
    part of the plane. columns, rows: places along unknowns and elements. The others: as of
    `predict`. An iteration of restarted solvers as gmres is a cycle of `restart` steps.

    >>> speedup = sparsecast.map("gtx280", {"grid": A}, devices=2, columns=20, rows=20)
    >>> speedup.quantity, speedup.values.shape
    ('speedup', (20, 20))
    """
    options = _arguments.options(locals(), "profiles", "matrices", "progress")
    given = _arguments.profiles(profiles)
    if matrices is not None and not isinstance(matrices, Mapping):
        raise _core.Error(
            f'matrices: expected a dict of names and matrices, as {{"A": A}}, '
            f"found {type(matrices).__name__}"
        )
    drawn = {name: _arguments.subject(A) for name, A in (matrices or {}).items()}
    if len(given) == 1:
        return _core.map(given[0], drawn, options, progress)
    return _core.compare(given, drawn, options, progress)


def _plot_map(self, ax=None):
    """A matplotlib figure of the map. ax: axes to draw into; None: new ones."""
    return _plots.performance_map(self, ax)


def _plot_comparison(self, ax=None):
    """A matplotlib figure of the map. ax: axes to draw into; None: new ones."""
    return _plots.comparison(self, ax)


for _kind, _plot in ((_core.PerformanceMap, _plot_map), (_core.MapComparison, _plot_comparison)):
    _plot.__name__ = "plot"
    _kind.plot = _plot
