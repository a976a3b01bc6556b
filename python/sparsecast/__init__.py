"""Forecasts how fast a sparse iterative solver will run, on devices that need not be here.

>>> import sparsecast
>>> best = sparsecast.predict(A, "nvidia-h200").best
>>> best.seconds_per_iteration < 1e-3
True

A is a matrix of scipy.sparse, or three arrays; docs/python.md says more.
"""

from ._advice import advise, advise_numbers
from ._calibration import (
    calibrate,
    data_sheet_names,
    network_names,
    profile_names,
    refit,
    relative_profile,
)
from ._core import (
    Advice,
    BestChoice,
    BlockFeatures,
    Calibration,
    ComparedPoint,
    DeviceChoice,
    Error,
    ExplainedPart,
    Explanation,
    ForecastFeatures,
    Interval,
    IterationCount,
    MapComparison,
    MapPoint,
    Matrix,
    MatrixFeatures,
    PerformanceMap,
    Prediction,
    Profile,
    RowLengths,
    Schedule,
    SlowerChoice,
    SolveResult,
    TimeParts,
    Validation,
)
from ._core import version as __version__
from ._forecasts import (
    Predictions,
    best_choice,
    count_features,
    count_iterations,
    explain,
    features,
    predict,
    predict_numbers,
    read_features,
    read_matrix,
    to_pandas,
)
from ._maps import map
from ._solving import solve, solver_names
from ._validation import validate

__all__ = [
    "Advice",
    "BestChoice",
    "BlockFeatures",
    "Calibration",
    "ComparedPoint",
    "DeviceChoice",
    "Error",
    "ExplainedPart",
    "Explanation",
    "ForecastFeatures",
    "Interval",
    "IterationCount",
    "MapComparison",
    "MapPoint",
    "Matrix",
    "MatrixFeatures",
    "PerformanceMap",
    "Prediction",
    "Predictions",
    "Profile",
    "RowLengths",
    "Schedule",
    "SlowerChoice",
    "SolveResult",
    "TimeParts",
    "Validation",
    "advise",
    "advise_numbers",
    "best_choice",
    "calibrate",
    "count_features",
    "count_iterations",
    "data_sheet_names",
    "explain",
    "features",
    "map",
    "predict",
    "predict_numbers",
    "network_names",
    "profile_names",
    "read_features",
    "read_matrix",
    "refit",
    "relative_profile",
    "solve",
    "solver_names",
    "to_pandas",
    "validate",
]

for _name in __all__:
    if _name[0].islower() or _name == "Predictions":
        globals()[_name].__module__ = __name__
del _name
