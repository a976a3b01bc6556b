"""What users may give for a matrix, and for profiles."""

import os

from . import _core


def subject(A):
    """The matrix, or its features, of what a forecast is of."""
    if isinstance(A, (_core.Matrix, _core.ForecastFeatures)):
        return A
    return _core.Matrix(A)


def matrix(A):
    return A if isinstance(A, _core.Matrix) else _core.Matrix(A)


def profile(given):
    return given if isinstance(given, _core.Profile) else _core.Profile(given)


def profiles(given):
    """A list of profiles, of one or several, by name, path or as they are."""
    if isinstance(given, (str, os.PathLike, _core.Profile)):
        return [profile(given)]
    try:
        each = list(given)
    except TypeError:
        raise _core.Error(
            f"profiles: expected names, paths or profiles, found {type(given).__name__}"
        ) from None
    return [profile(one) for one in each]


def one(name, given, kind, what):
    """Itself where it is of that kind, as `what` says."""
    if not isinstance(given, kind):
        raise _core.Error(f"{name}: expected {what}, found {type(given).__name__}")
    return given


def several(name, given, kind, what):
    """A list of what is of that kind, as `what` says."""
    try:
        each = list(given)
    except TypeError:
        raise _core.Error(f"{name}: expected {what}, found {type(given).__name__}") from None
    return [one(name, value, kind, what) for value in each]


def predictions(name, given):
    return several(name, given, _core.Prediction, "predictions")


def paths(name, given):
    """A list of paths, of one or several."""
    if isinstance(given, (str, os.PathLike)):
        return [given]
    return several(name, given, (str, os.PathLike), "paths")


def options(given, *others):
    """Of a function's arguments, its `locals()` at the beginning, those that are no `others`."""
    return {name: value for name, value in given.items() if name not in others}
