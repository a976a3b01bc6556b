"""Features of a matrix, and what is forecast from them."""

from . import _arguments, _core, _plots


class Predictions(list):
    """Predictions of one system, beside each other: a list of `Prediction`.

    >>> predictions = sparsecast.predict(A, "nvidia-h200", layouts=["csr", "dia"])
    >>> sorted({each.layout for each in predictions})
    ['csr', 'dia']
    """

    def __init__(self, predictions=(), counts=()):
        super().__init__(predictions)
        self._counts = list(counts)

    @property
    def counts(self):
        """Of times to solution what was counted of each solver: a list of `IterationCount`.

        Those that do not converge are among them; the predictions are of those that do.

        >>> predictions = sparsecast.predict(A, "nvidia-h200", solver=["cg", "gmres"], rtol=1e-6)
        >>> [each.solver for each in predictions.counts]
        ['cg', 'gmres']
        """
        return self._counts

    @property
    def best(self):
        """The fastest that fits. Raises `Error` where none does.

        >>> sparsecast.predict(A, "nvidia-h200").best.devices
        1
        """
        return self[best_choice(self).index]

    def to_dict(self):
        """A list of dicts with the keys of `sparsecast predict --json`.

        >>> sorted(each["rank"] for each in sparsecast.predict(A, "nvidia-h200", layouts="csr").to_dict())
        [1, 2]
        """
        return _core.predictions_to_list(_arguments.predictions("predictions", self))

    def to_pandas(self):
        """A pandas DataFrame, a row each: `to_pandas`.

        >>> sparsecast.predict(A, "nvidia-h200").to_pandas().layout[0]
        'csr'
        """
        return to_pandas(self)

    def plot(self, measured=None, ax=None):
        """A matplotlib figure: the time by which predictions are compared, with its interval.

        That is the time of an iteration (of restarted solvers as gmres: of a cycle of steps), of whole
        solves that of all, and of times to solution that.

        measured: seconds of an iteration of each prediction, None where nobody measured it; then
        measured is drawn over predicted. ax: matplotlib's axes to draw into; None: new ones.

        >>> predictions = sparsecast.predict(A, "nvidia-h200")
        >>> figure = predictions.plot()
        """
        if measured is None:
            return _plots.times(self, ax)
        return _plots.measured_over_predicted(self, measured, ax)


def read_matrix(path):
    """The `Matrix` in a file of any kind that the program reads (docs/files.md).

    Raises `Error` with file and line for damaged files.

    >>> sparsecast.read_matrix("box.mtx").shape
    (27, 27)
    """
    return _core.read_matrix(path)


def features(A):
    """What decides the speed of a matrix: `MatrixFeatures`.

    A: a matrix of scipy.sparse, a tuple (row_offsets, columns, values) in CSR, or a `Matrix`.

    >>> counts = sparsecast.features(A)
    >>> counts.rows, counts.nonzeros, counts.symmetric
    (2500, 12300, True)
    """
    return _core.features(_arguments.matrix(A))


def count_features(
    A,
    profiles=(),
    *,
    name=None,
    devices=None,
    renumber=None,
    rtol=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    precision=None,
    rhs=None,
    max_iterations=None,
    count_on=None,
    count_seconds=None,
    progress=None,
):
    """All that forecasts need of a matrix, to mail in place of it: `ForecastFeatures`.

    A: as of `features`. profiles: of the GPUs that it is for (docs/features.md). name: the
    matrix's. devices: numbers of devices that it is for; default those that `advise` tries of the
    profiles. renumber: "none", "random", "rcm", "hubs" or "metis". rtol: count also how many
    iterations solvers take to it, so that `predict` and `advise` with the same rtol need no matrix.
    solver: default all that fit. precision: "f32" or "f64"; default both, f32 only where it is exact
    enough. progress: called with the share that is done, 0 to 1. The others: as of `predict`.

    >>> counted = sparsecast.count_features(A, "nvidia-h200", devices=[1, 2], name="grid")
    >>> counted.devices
    [2]
    >>> counted = sparsecast.count_features(A, "nvidia-h200", rtol=1e-8, solver="cg")
    >>> sparsecast.predict(counted, "nvidia-h200", rtol=1e-8, solver="cg").best.count.converged
    4
    """
    options = _arguments.options(locals(), "A", "profiles", "progress")
    return _core.count_features(
        _arguments.matrix(A),
        _arguments.profiles(profiles),
        options,
        progress,
    )


def read_features(path):
    """The `ForecastFeatures` in a features file. Raises `Error` for damaged files.

    >>> sparsecast.count_features(A, name="grid").write("grid.features.json")
    >>> sparsecast.read_features("grid.features.json").name
    'grid'
    """
    return _core.read_features(path)


def count_iterations(
    A,
    *,
    rtol=1e-8,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    precision=None,
    rhs=None,
    max_iterations=None,
    count_on=None,
    count_seconds=None,
    progress=None,
):
    """How many iterations solvers take, counted on a device that is here: a list of `IterationCount`.

    A: a square matrix, as of `features`. rtol: a solver ends when ||b - A x|| is at most rtol times
    ||b||, more than 0 and less than 1. solver: names (`solver_names`), `Schedule` objects or "all";
    default our conjugate gradients. precision: "f32" or "f64", the default. rhs: b, as many values as
    rows, "ones" (default), "random" or the path of a file. max_iterations: where a count ends;
    default ten times the unknowns. count_on: "cpu" (default) or "cuda:0". count_seconds: for all
    counts together; default 60. The others: as of `predict`.

    What does not converge is an outcome, no exception. Warns of counts that another device may not
    have, and of solvers that are left out.

    >>> for count in sparsecast.count_iterations(A, rtol=1e-6, solver=["cg", "bicgstab"]):
    ...     print(count.solver, count.outcome, count.fewest <= count.amount <= count.most)
    cg converged True
    bicgstab converged True
    """
    options = _arguments.options(locals(), "A", "progress")
    return _core.count_iterations(_arguments.matrix(A), options, progress)


def predict(
    A,
    profiles,
    *,
    layouts=None,
    devices=None,
    precision=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    launches=None,
    curve=None,
    iterations=None,
    rtol=None,
    rhs=None,
    max_iterations=None,
    count_on=None,
    count_seconds=None,
    renumber=None,
    progress=None,
):
    """Forecasts how long solvers take on devices of one or several profiles: `Predictions`.

    Of one iteration; of a whole solve with iterations or rtol. An iteration of restarted solvers as
    gmres is a cycle of `restart` steps, with a product with the matrix each: compare such solvers
    with others by rtol.

    A: as of `features`, or `ForecastFeatures`. profiles: names, paths or `Profile` objects.
    layouts: names, as "csr" or ["csr", "bcsr3"]; default those that the profile knows and that may
    pay. devices: numbers of devices, as 4 or [1, 2, 4]; default 1. precision: "f32" or "f64";
    default f64 if all profiles have it. solver: names (`solver_names`), files that end with .json,
    `Schedule` objects or "all"; default conjugate gradients. restart: steps of a cycle, of solvers that are restarted.
    precondition: "none", "jacobi", "block-jacobi3" or "chebyshev3", a list of them or "all", of solvers that leave a
    choice; each makes a solver of its own. settings: other
    parameters of one solver, a dict. launches: "graph", "persistent", "plain" or "host". curve: "average" or
    "maximum", of models of curves. iterations: of a whole solve, by which choices are then
    compared. renumber: forecast for another order of the unknowns: one of "none", "random", "rcm",
    "hubs" or "metis"; call again for another. progress: called with the share that is done, 0 to 1.

    rtol: forecast times to solution (docs/time_to_solution.md): count here how many iterations each
    solver takes until ||b - A x|| is at most rtol times ||b||, more than 0 and less than 1, and add
    conversion, upload and start. Of features that have such counts nothing is counted. rhs: b, as
    many values as rows, "ones" (default), "random" or the path of a file. max_iterations: where a
    count ends; default ten times the unknowns. count_on: the device here that counts, "cpu"
    (default) or "cuda:0". count_seconds: for all counts together; default 60.

    Times are in seconds. Warns where a solver needs a symmetric matrix and this is none (with rtol
    it is left out) or divides by a diagonal that is not positive, and of counts that another device may not have. Raises `Error` in one line for
    what does not fit.

    >>> predictions = sparsecast.predict(A, "nvidia-h200", solver=["cg", "gmres"], restart=20)
    >>> sorted({each.schedule for each in predictions})
    ['cg', 'gmres']
    >>> best = sparsecast.predict(A, "nvidia-h200", solver=["cg", "gmres"], rtol=1e-8).best
    >>> best.count.fewest <= best.iterations <= best.count.most + 1, best.total_seconds < 0.1
    (True, True)
    """
    options = _arguments.options(locals(), "A", "profiles", "progress")
    return Predictions(
        *_core.predict(
            _arguments.subject(A),
            _arguments.profiles(profiles),
            options,
            progress,
        )
    )


def predict_numbers(
    unknowns,
    elements,
    layout,
    profiles,
    *,
    deviation=None,
    longest=None,
    mean_distance=None,
    neighbours=None,
    similarity=None,
    devices=None,
    precision=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    launches=None,
    curve=None,
    iterations=None,
):
    """The same from numbers alone: a matrix that is not there.

    unknowns: rows. elements: values that the layout stores. deviation: the standard deviation of
    row lengths. longest: entries of the longest row. mean_distance: mean |column - row| of an entry.
    neighbours: entries beside an entry in its row, in the mean, 0 to 2. similarity: the share of a
    row's entries that have one in the next row, 0 to 1; `features` counts these. The others: as of
    `predict`.

    >>> forecast = sparsecast.predict_numbers(72000, 39336485, "bcsr4", "gtx280", devices=[1, 2])
    >>> [each.devices for each in forecast]
    [1, 2]
    """
    options = _arguments.options(locals(), "profiles")
    return Predictions(
        _core.predict_numbers(
            _arguments.profiles(profiles),
            options,
        )
    )


def best_choice(predictions):
    """The fastest prediction that fits, and how close the others come: `BestChoice`.

    Raises `Error` where there is none.

    >>> predictions = sparsecast.predict(A, "nvidia-h200")
    >>> predictions[sparsecast.best_choice(predictions).index].fits
    True
    """
    return _core.best_choice(_arguments.predictions("predictions", predictions))


def explain(chosen, all):
    """Where the time of a forecast of the traffic model goes, and what to do about it: `Explanation`.

    chosen: a `Prediction`. all: those that were made of the same system; a better one among them is
    part of the advice. Seconds and bytes are of one iteration.

    >>> predictions = sparsecast.predict(A, "nvidia-h200")
    >>> explanation = sparsecast.explain(predictions.best, predictions)
    >>> sum(part.seconds for part in explanation.parts) > 0
    True
    """
    return _core.explain(
        _arguments.one("chosen", chosen, _core.Prediction, "a prediction"),
        _arguments.predictions("all", all),
    )


def to_pandas(predictions):
    """Predictions as a pandas DataFrame, a row each, with the keys of `sparsecast predict --json`.

    Seconds and bytes as there; `low` and `high` of intervals (`interval_seconds.low`) are columns of
    their own, and so are the `parts`, what the `count` holds, and how each stands `against_best`, which
    has none. Raises `Error` where there is no pandas.

    >>> frame = sparsecast.to_pandas(sparsecast.predict(A, "nvidia-h200"))
    >>> "seconds_per_iteration" in frame.columns
    True
    """
    try:
        import pandas
    except ImportError as error:
        raise _core.Error(
            "tables need pandas: apt-get install python3-pandas, or pip install pandas"
        ) from error
    rows = _core.predictions_to_list(_arguments.predictions("predictions", predictions))
    for row in rows:
        for interval in ("interval_seconds", "iterations_interval", "total_interval"):
            if row.get(interval) is not None:
                row[interval] = dict(zip(("low", "high"), row[interval]))
        # None where others have columns `against_best.slower_by` and so on.
        if row.get("against_best") is None:
            row.pop("against_best", None)
    return pandas.json_normalize(rows)
