"""Measured beside predicted."""

from . import _arguments, _core


def validate(raw, profile=None, *, model=None, solver=None, curve=None):
    """What raw data of `sparsecast validate` says of forecasts: `Validation`. Nothing runs.

    raw: the file of its --csv, plain or .gz, or several of one kind of device, of which the fastest
    of each case counts. profile: by which cases are priced again, a name, a path or a `Profile`;
    None: forecasts are those of the raw data. model: "hybrid", "traffic", "cache" or "paper";
    default the best that the profile has. solver: names or `Schedule` objects, where the raw data has other solvers than those
    of ours. curve: "average" or "maximum", of models of curves.

    Raises `Error` with file and line for damaged data, and where the profile forecasts none of it, as
    that of a GPU for data of a CPU.

    >>> validation = sparsecast.validate("raw.csv", "amd-epyc-zen4-2cores")
    >>> validation.median_error < 0.1
    True
    """
    return _core.validate(
        _arguments.paths("raw", raw),
        None if profile is None else _arguments.profile(profile),
        dict(model=model, solver=solver, curve=curve),
    )
