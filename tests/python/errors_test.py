"""What does not fit is refused in one line."""

import os
import pathlib

import numpy as np
import pytest
import scipy.sparse

import sparsecast

H200 = "nvidia-h200"
CPU = "amd-epyc-zen4-2cores"
SOURCE = pathlib.Path(os.environ["SPARSECAST_SOURCE"])
SEVERAL_CPUS = f"^profile '{CPU}' is of a CPU, .* not 2; use 1 device, name the network of several, or use model paper$"
PAPER = r'sparsecast[.]Profile[(]NAME, model="paper"[)]$'
GRID = scipy.sparse.csr_matrix(scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(9, 9)))
ONES = np.ones(9)


def arrays(row_offsets=None, columns=None, values=None):
    return (
        GRID.indptr if row_offsets is None else row_offsets,
        GRID.indices if columns is None else columns,
        GRID.data if values is None else values,
    )


def damaged():
    A = GRID.copy()
    A.indices[:2] = A.indices[:2][::-1]
    A.indices[-1] = 99
    return A


def with_nan(value=np.nan):
    A = GRID.copy()
    A.data[3] = value
    return A


def needy():
    """A solver with a parameter that has no value."""
    keys = sparsecast.Schedule("cg").to_dict()
    keys["name"] = "needy"
    keys["parameters"] = {"shift": None}
    return sparsecast.Schedule.from_dict(keys)


RECTANGLE = scipy.sparse.random(4, 6, density=0.5, format="csr", random_state=1)
DRIFT = scipy.sparse.csr_matrix(GRID + scipy.sparse.diags([0.5], [1], shape=(9, 9)))
DRIFT.sum_duplicates()


def forecasts():
    return sparsecast.predict(GRID, H200, layouts="csr")


def unexpected(done):
    raise AssertionError("measured before it refused")


REFUSED = {
    # matrices
    "no matrix": (lambda: sparsecast.features(3), "expected a matrix of scipy.sparse"),
    "None": (lambda: sparsecast.features(None), "found NoneType"),
    "a dense array": (lambda: sparsecast.features(np.eye(3)), "scipy.sparse.csr_matrix"),
    "offsets of floats": (
        lambda: sparsecast.features(arrays(row_offsets=GRID.indptr * 1.0)),
        "row_offsets: expected int32 or int64, found an array of float64",
    ),
    "columns of floats": (
        lambda: sparsecast.features(arrays(columns=GRID.indices * 1.0)),
        "columns: expected int32",
    ),
    "large columns": (
        lambda: sparsecast.features(arrays(columns=GRID.indices + 2**40)),
        r"columns: expected numbers from 0 to below 2\^31, found 1099511627776$",
    ),
    "a column far below": (
        lambda: sparsecast.features(([0, 1, 2], [0, -(2**33)], [1.0, 1.0])),
        r"columns: expected numbers from 0 to below 2\^31, found -8589934592$",
    ),
    "complex values": (
        lambda: sparsecast.features(GRID * 1j),
        "values: expected real numbers, found an array of complex128",
    ),
    "texts": (lambda: sparsecast.features(arrays(values=["a"] * 25)), "values: expected real"),
    "objects": (
        lambda: sparsecast.features(arrays(values=np.array([None] * 25))),
        "values: expected real numbers",
    ),
    "a table": (
        lambda: sparsecast.features(arrays(values=GRID.data.reshape(5, 5))),
        "values: expected one dimension",
    ),
    "ragged lists": (
        lambda: sparsecast.features(arrays(values=[[1.0], [1.0, 2.0]])),
        "values: expected",
    ),
    "no offsets": (
        lambda: sparsecast.features(arrays(row_offsets=np.zeros(0, np.int32))),
        "row_offsets: expected rows [+] 1",
    ),
    "short values": (
        lambda: sparsecast.features(arrays(values=GRID.data[:-1])),
        "24 values; expected one for each of the 25",
    ),
    "falling offsets": (
        lambda: sparsecast.features(arrays(row_offsets=[0, 2, 5, 8, 11, 14, 30, 20, 23, 25])),
        "row 5: offsets 14 and 30",
    ),
    "a negative offset": (
        lambda: sparsecast.features(arrays(row_offsets=[0, -1, 5, 8, 11, 14, 17, 20, 23, 25])),
        "row 0: offsets 0 and -1",
    ),
    "a column outside": (
        lambda: sparsecast.features(([0, 1], [7], [1.0])),
        "row 0: column index 7 lies outside",
    ),
    "a negative column": (
        lambda: sparsecast.features(([0, 1], [-1], [1.0])),
        "row 0: column index -1 lies outside",
    ),
    "unsorted columns of arrays": (
        lambda: sparsecast.features(([0, 2, 2], [1, 0], [1.0, 2.0])),
        "row 0: column index 0 follows 1.*rise strictly within a row$",
    ),
    "unsorted columns before a damaged row": (
        lambda: sparsecast.features(damaged()),
        "row 0: column index 0 follows 1",
    ),
    "columns twice": (
        lambda: sparsecast.features(([0, 2], [0, 0], [1.0, 2.0])),
        "rise strictly within a row$",
    ),
    "a shape beside scipy's": (lambda: sparsecast.Matrix(GRID, (9, 9)), "shape: "),
    "another shape": (
        lambda: sparsecast.Matrix(arrays(), (8, 9)),
        "row_offsets: expected rows [+] 1 = 9, found 10",
    ),
    "no file": (lambda: sparsecast.read_matrix("nowhere.mtx"), "nowhere.mtx"),
    "a damaged file": (lambda: sparsecast.read_matrix(__file__), "errors_test.py:1"),
    # forecasts
    "no rows": (
        lambda: sparsecast.predict(scipy.sparse.csr_matrix((0, 0)), H200),
        "no rows|without rows",
    ),
    "not square": (lambda: sparsecast.predict(RECTANGLE, H200), "4 rows and 6 columns"),
    "no profile": (lambda: sparsecast.predict(GRID, []), "profiles: expected at least one"),
    "profiles of numbers": (lambda: sparsecast.predict(GRID, 3), "profiles: expected names"),
    "an unknown profile": (lambda: sparsecast.predict(GRID, "nowhere"), "no profile 'nowhere'"),
    "a profile twice": (lambda: sparsecast.predict(GRID, [H200, H200]), "given twice"),
    "an unknown model": (lambda: sparsecast.Profile(H200, "best"), "model: .*best"),
    "an unknown layout": (lambda: sparsecast.predict(GRID, H200, layouts="crs"), "layouts: .*csr"),
    "no devices": (
        lambda: sparsecast.predict(GRID, H200, devices=0),
        "devices: expected 1 to 8192, found 0$",
    ),
    "too many devices": (
        lambda: sparsecast.predict(GRID, H200, devices=[1, 1000000]),
        "devices: expected 1 to 8192, found 1000000$",
    ),
    "too many devices of numbers": (
        lambda: sparsecast.predict_numbers(9, 27, "csr", H200, devices=8193),
        "devices: expected 1 to 8192, found 8193$",
    ),
    "too many devices of advice": (
        lambda: sparsecast.advise(GRID, H200, max_devices=10**9),
        "max_devices: expected 1 to 8192, found 1000000000$",
    ),
    "advice on no device": (
        lambda: sparsecast.advise(GRID, H200, max_devices=0),
        "max_devices: expected 1 to 8192, found 0$",
    ),
    "too many devices of features": (
        lambda: sparsecast.count_features(GRID, devices=[2, 9000]),
        "devices: expected 1 to 8192, found 9000$",
    ),
    "too many devices of a map": (
        lambda: sparsecast.map(H200, devices=9000),
        "devices: expected 1 to 8192, found 9000$",
    ),
    "too many devices of a comparison": (
        lambda: sparsecast.map([H200, "nvidia-h100"], devices=9000),
        "devices: expected 1 to 8192, found 9000$",
    ),
    "several CPUs": (
        lambda: sparsecast.predict(GRID, CPU, devices=2),
        SEVERAL_CPUS,
    ),
    "a map of several CPUs": (lambda: sparsecast.map(CPU, devices=2), SEVERAL_CPUS),
    "a comparison with several CPUs": (
        lambda: sparsecast.map([H200, CPU], devices=2),
        SEVERAL_CPUS,
    ),
    "an empty list of devices": (
        lambda: sparsecast.predict(GRID, H200, devices=[]),
        "devices: expected at least one$",
    ),
    "an empty list of layouts": (
        lambda: sparsecast.predict(GRID, H200, layouts=[]),
        "layouts: expected at least one$",
    ),
    "an empty list of solvers": (
        lambda: sparsecast.advise(GRID, H200, solver=[]),
        "solver: expected at least one$",
    ),
    "an empty list of launch modes": (
        lambda: sparsecast.predict(GRID, H200, launches=()),
        "launches: expected at least one$",
    ),
    "an empty list of preconditioners": (
        lambda: sparsecast.predict(GRID, H200, solver="cg", precondition=[]),
        "precondition: expected at least one$",
    ),
    "a forecast of NaN": (
        lambda: sparsecast.predict(with_nan(), H200),
        "the matrix: 1 value is NaN or infinite; expected finite numbers$",
    ),
    "advice on infinity": (
        lambda: sparsecast.advise(with_nan(np.inf), H200),
        "the matrix: 1 value is NaN or infinite",
    ),
    "a count of NaN": (
        lambda: sparsecast.count_iterations(with_nan(), rtol=0.1),
        "the matrix: 1 value is NaN or infinite",
    ),
    "features of NaN to mail": (
        lambda: sparsecast.count_features(with_nan()),
        "the matrix: 1 value is NaN or infinite",
    ),
    "half a device": (lambda: sparsecast.predict(GRID, H200, devices=1.5), "devices: .*whole"),
    "devices by name": (lambda: sparsecast.predict(GRID, H200, devices="two"), "found 'two'"),
    "an unknown precision": (
        lambda: sparsecast.predict(GRID, H200, precision="f16"),
        "precision: expected f32 or f64, found 'f16'",
    ),
    "an unknown solver": (
        lambda: sparsecast.predict(GRID, H200, solver="gmers"),
        "solver: there is none of name 'gmers'; did you mean 'gmres'",
    ),
    "two solvers of one name": (
        lambda: sparsecast.predict(
            GRID, H200, solver=[sparsecast.Schedule("gmres", restart=each) for each in (5, 9)]
        ),
        "solver: two are named 'gmres'",
    ),
    "a restart of none": (
        lambda: sparsecast.predict(GRID, H200, solver="cg", restart=3),
        "restart: cg is never restarted",
    ),
    "a restart alone": (lambda: sparsecast.predict(GRID, H200, restart=3), "restart: is of a solver"),
    "an unknown preconditioner": (
        lambda: sparsecast.predict(GRID, H200, solver="cg", precondition="ilu"),
        "precondition: 'ilu'; expected none, jacobi, chebyshevN",
    ),
    "a preconditioner twice": (
        lambda: sparsecast.predict(GRID, H200, solver="cg", precondition=["jacobi", "jacobi"]),
        "precondition: jacobi is there twice",
    ),
    "a schedule of several preconditioners": (
        lambda: sparsecast.Schedule("cg", precondition="all"),
        "precondition: a Schedule has one",
    ),
    "an unknown setting": (
        lambda: sparsecast.predict(GRID, H200, solver="cg", settings={"q": 1}),
        "q",
    ),
    "settings that are none": (
        lambda: sparsecast.predict(GRID, H200, solver="cg", settings=3),
        "settings: expected a dict",
    ),
    "a setting that is no number": (
        lambda: sparsecast.predict(GRID, H200, solver="gmres", settings={"m": float("nan")}),
        "settings: m: is not finite",
    ),
    "an unknown launch mode": (
        lambda: sparsecast.predict(GRID, H200, launches="grpah"),
        "launches: ",
    ),
    "maximum curves of the traffic model": (
        lambda: sparsecast.predict(GRID, ["gtx280", H200], curve="maximum"),
        f"curve: profile {H200} is priced by the traffic model, .*{PAPER}",
    ),
    "advice by maximum curves": (
        lambda: sparsecast.advise(GRID, H200, curve="maximum"),
        f"curve: profile {H200} .*{PAPER}",
    ),
    "a map by maximum curves": (
        lambda: sparsecast.map(H200, curve="maximum"),
        f"curve: profile {H200} .*{PAPER}",
    ),
    "no iterations of a forecast": (
        lambda: sparsecast.predict(GRID, H200, iterations=0),
        "iterations: expected a positive whole number$",
    ),
    "negative iterations of advice": (
        lambda: sparsecast.advise(GRID, H200, iterations=-1),
        "iterations: expected a positive whole number$",
    ),
    "an unknown curve": (lambda: sparsecast.predict(GRID, H200, curve="best"), "curve: expected"),
    "an unknown order": (lambda: sparsecast.predict(GRID, H200, renumber="amd"), "renumber: "),
    "progress that is none": (
        lambda: sparsecast.predict(GRID, H200, progress=3),
        "progress: expected what can be called, found 3",
    ),
    "an order of features": (
        lambda: sparsecast.predict(sparsecast.count_features(GRID), H200, renumber="rcm"),
        "renumber: features have no entries",
    ),
    "features for other devices": (
        lambda: sparsecast.predict(sparsecast.count_features(GRID, devices=2), H200, devices=4),
        "matrix: is for 1,2 devices, not 4; .* from Python count_features[(]A, profiles, "
        r"devices=\[2,4\][)]$",
    ),
    "advice from features for other devices": (
        lambda: sparsecast.advise(sparsecast.count_features(GRID), H200),
        r"matrix: is for 1 device, not 1,2,4; .* devices=\[2,4\][)]$",
    ),
    "a map of a rectangle": (
        lambda: sparsecast.map(H200, {"box": RECTANGLE}),
        "^matrices: box: 4 rows and 6 columns; expected a square matrix$",
    ),
    "a map of no rows": (
        lambda: sparsecast.map(H200, {"box": scipy.sparse.csr_matrix((0, 0))}),
        "^matrices: box: has no rows; expected at least one$",
    ),
    "a map of no entries": (
        lambda: sparsecast.map([H200, CPU], {"box": scipy.sparse.csr_matrix((9, 9))}),
        "^matrices: box: has no entries, and so no place on a map$",
    ),
    "a map without matrices": (
        lambda: sparsecast.map(H200, unknowns_min=1e6, elements_max=1e5),
        "map: no matrix is there: one of 1e[+]06 unknowns or more has 1e[+]06 elements or more",
    ),
    "more iterations than are counted with": (
        lambda: sparsecast.predict(GRID, H200, iterations=10**20),
        "iterations: 100000000000000000000 is too large$",
    ),
    "a large whole number": (
        lambda: sparsecast.predict(GRID, H200, iterations=1e30),
        "iterations: 1e[+]30 is too large$",
    ),
    "a preconditioner of no solver": (
        lambda: sparsecast.predict(GRID, H200, precondition="jacobi"),
        "precondition: is of a solver by its name, file or Schedule; give one$",
    ),
    "a preconditioner of ours": (
        lambda: sparsecast.predict(GRID, H200, solver="fused", precondition="jacobi"),
        "precondition: fused leaves no choice; leave it out$",
    ),
    "all solvers beside one": (
        lambda: sparsecast.predict(GRID, H200, solver=["cg", "all"]),
        'solver: "all" stands for every one; give it alone$',
    ),
    "advice on all preconditioners": (
        lambda: sparsecast.advise(GRID, H200, solver="cg", precondition="all"),
        "precondition: expected one; several are compared with rtol$",
    ),
    "a solution with all preconditioners": (
        lambda: sparsecast.solve(GRID, ONES, solver="cg", precondition="all"),
        "precondition: expected one$",
    ),
    "a file of no solver": (
        lambda: sparsecast.predict(GRID, H200, solver="nowhere.schedule.json"),
        "nowhere.schedule.json",
    ),
    "numbers of no matrix": (lambda: sparsecast.predict_numbers(10, 1e6, "csr", H200), "elements"),
    "nothing to choose from": (lambda: sparsecast.best_choice([]), "no prediction|predictions"),
    "an efficiency of NaN": (
        lambda: sparsecast.advise(GRID, H200, min_efficiency=float("nan")),
        "efficiency",
    ),
    "advice on two solvers": (
        lambda: sparsecast.advise(GRID, H200, solver=["cg", "gmres"]),
        "solver: expected one; several are compared with rtol$",
    ),
    # times to solution
    "a tolerance of zero": (
        lambda: sparsecast.predict(GRID, H200, rtol=0),
        "rtol: expected more than 0 and less than 1, found 0$",
    ),
    "a tolerance of one": (
        lambda: sparsecast.advise(GRID, H200, rtol=1),
        "rtol: expected more than 0 and less than 1, found 1$",
    ),
    "a negative tolerance of a count": (
        lambda: sparsecast.count_iterations(GRID, rtol=-1e-8),
        "rtol: expected more than 0",
    ),
    "a count to nothing": (
        lambda: sparsecast.count_iterations(GRID, rtol=None),
        "rtol: expected more than 0",
    ),
    "a tolerance by a word": (
        lambda: sparsecast.count_features(GRID, rtol="small"),
        "rtol: expected a number, found 'small'",
    ),
    "a short right-hand side": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, rhs=ONES[:-1]),
        "rhs: expected 9 values, found an array of float64 and shape [(]8,[)]",
    ),
    "a right-hand side with NaN": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, rhs=[1, 2, np.nan, 4, 5, 6, 7, 8, 9]),
        "rhs: expected finite numbers, found nan in row 2",
    ),
    "a right-hand side of texts": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, rhs=["a"] * 9),
        "rhs: expected real numbers",
    ),
    "no file of a right-hand side": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, rhs="nowhere.mtx"),
        "nowhere.mtx",
    ),
    "a count of no entries": (
        lambda: sparsecast.predict(scipy.sparse.csr_matrix((9, 9)), H200, rtol=0.1),
        "the matrix: no solver converged [(]fused in f64: nonpositive diagonal[)]",
    ),
    "a count of no rows": (
        lambda: sparsecast.predict(scipy.sparse.csr_matrix((0, 0)), H200, rtol=0.1),
        "no rows|without rows",
    ),
    "a count of a rectangle": (
        lambda: sparsecast.count_iterations(RECTANGLE),
        "4 rows and 6 columns",
    ),
    "a right-hand side without a tolerance": (
        lambda: sparsecast.predict(GRID, H200, rhs=ONES),
        "rhs: is for rtol, which is missing",
    ),
    "a solver of features without a tolerance": (
        lambda: sparsecast.count_features(GRID, solver="cg"),
        "solver: is for rtol, which is missing",
    ),
    "iterations beside a tolerance": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, iterations=3),
        "iterations: rtol counts them",
    ),
    "a time to solution by the paper's model": (
        lambda: sparsecast.predict(GRID, "gtx280", rtol=0.1),
        "rtol: of the traffic model; profile gtx280 is priced by model paper; give iterations",
    ),
    "no time to count": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, count_seconds=0),
        "count_seconds: expected a positive number",
    ),
    "a count that ends before": (
        lambda: sparsecast.predict(GRID, H200, rtol=0.1, max_iterations=0),
        "max_iterations: expected a positive number",
    ),
    "advice on a vendor": (
        lambda: sparsecast.advise(GRID, H200, rtol=0.1, solver="vendor"),
        "solver: vendor is only compared with",
    ),
    "a count on no device": (lambda: sparsecast.predict(GRID, H200, rtol=0.1, count_on="tpu"), "tpu"),
    "a count for features": (
        lambda: sparsecast.predict(
            sparsecast.count_features(GRID, name="grid"), H200, rtol=0.1, count_on="cpu"
        ),
        "count_on: grid has its counts; leave it out",
    ),
    "features without a count": (
        lambda: sparsecast.predict(sparsecast.count_features(GRID, name="grid"), H200, rtol=0.1),
        "grid: has no iterations of fused to 0.1 in f64 for rhs ones with these settings; count them"
        " where the matrix is: sparsecast.count_features[(]A, profiles, rtol=0.1, ...[)]",
    ),
    "an unknown quantity": (lambda: sparsecast.map(H200, quantity="speed"), "quantity: speed"),
    "the speedup of one device": (
        lambda: sparsecast.map(H200, quantity="speedup", devices=1),
        "quantity: the speedup of one device is 1; give more devices",
    ),
    "the speedup of a CPU": (lambda: sparsecast.map(CPU, quantity="speedup"), "quantity: "),
    "a block density of raw performance": (
        lambda: sparsecast.map(H200, quantity="raw", block_density=0.5),
        'block_density: is of quantity="effective"',
    ),
    "a quantity of several": (
        lambda: sparsecast.map([H200, "nvidia-h100"], quantity="raw"),
        "quantity: is of one profile",
    ),
    "a map of a matrix without a name": (
        lambda: sparsecast.map(H200, GRID),
        "matrices: expected a dict of names and matrices, as .*, found csr_matrix",
    ),
    "a map of arrays": (lambda: sparsecast.map(H200, arrays()), "matrices: expected .*found tuple"),
    "a map of a layout": (lambda: sparsecast.map(H200, layout="dia"), "dia"),
    # solves
    "a solve of a rectangle": (lambda: sparsecast.solve(RECTANGLE, np.ones(4)), "square"),
    "a short b": (lambda: sparsecast.solve(GRID, ONES[:-1]), "b: expected 9 values, found"),
    "a square b": (lambda: sparsecast.solve(GRID, np.ones((9, 2))), "b: expected 9 values"),
    "a complex b": (lambda: sparsecast.solve(GRID, ONES * 1j), "b: expected real numbers"),
    "b of texts": (lambda: sparsecast.solve(GRID, ["a"] * 9), "b: expected real numbers"),
    "no b": (lambda: sparsecast.solve(GRID, None), "b: expected"),
    "a long start": (lambda: sparsecast.solve(GRID, ONES, np.ones(10)), "x0: expected 9 values"),
    "a matrix that is not symmetric": (
        lambda: sparsecast.solve(DRIFT, ONES),
        "not symmetric; fused needs .*; use solver .*gmres",
    ),
    "a matrix with NaN": (
        lambda: sparsecast.solve(with_nan(), ONES),
        "the matrix: 1 value is NaN or infinite",
    ),
    "an unknown device": (lambda: sparsecast.solve(GRID, ONES, device="tpu"), "tpu"),
    "a launch mode of a CPU": (lambda: sparsecast.solve(GRID, ONES, launch="graph"), "launch: "),
    "a tolerance of NaN": (lambda: sparsecast.solve(GRID, ONES, rtol=float("nan")), "rtol: "),
    "a negative tolerance": (lambda: sparsecast.solve(GRID, ONES, rtol=-1), "rtol: "),
    "two rules": (lambda: sparsecast.solve(GRID, ONES, rtol=0.1, iterations=3), "expected one"),
    "no iterations": (lambda: sparsecast.solve(GRID, ONES, iterations=0), "iterations: "),
    "history by a word": (
        lambda: sparsecast.solve(GRID, ONES, history="yes"),
        "history: expected True or False",
    ),
    "a solve by a vendor": (lambda: sparsecast.solve(GRID, ONES, solver="vendor"), "vendor"),
    # schedules, calibrations
    "an unknown schedule": (lambda: sparsecast.Schedule("cgg"), "solver: there is none"),
    "a schedule that leaves no choice": (
        lambda: sparsecast.Schedule("fused"),
        "solver: fused comes with the program as it is and leaves no choice",
    ),
    "a map of what takes no part": (
        lambda: sparsecast.map(H200, solver="vendor"),
        "solver: vendor does not take part here; expected fused or one of ",
    ),
    "a setting that is missing": (
        lambda: sparsecast.predict(GRID, H200, solver=needy()),
        "settings: needy needs its parameter 'shift'; give settings=[{]'shift': NUMBER[}]",
    ),
    "a schedule of a number": (
        lambda: sparsecast.Schedule.from_dict(5),
        "keys: expected a dict, found 5$",
    ),
    "a schedule of what is no JSON": (
        lambda: sparsecast.Schedule.from_dict({"name": object()}),
        "keys: expected what JSON can hold, found {'name': <object",
    ),
    "an explanation of a number": (
        lambda: sparsecast.explain(0, forecasts()),
        "chosen: expected a prediction, found int$",
    ),
    "an explanation beside numbers": (
        lambda: sparsecast.explain(forecasts().best, [1, 2]),
        "all: expected predictions, found int$",
    ),
    "an explanation beside nothing": (
        lambda: sparsecast.explain(forecasts().best, None),
        "all: expected predictions, found NoneType$",
    ),
    "the best of numbers": (
        lambda: sparsecast.Predictions([1]).best,
        "predictions: expected predictions, found int$",
    ),
    "a table of numbers": (
        lambda: sparsecast.Predictions([1]).to_dict(),
        "predictions: expected predictions, found int$",
    ),
    "samples of a number": (
        lambda: sparsecast.refit(5),
        "samples: expected paths, found int$",
    ),
    "raw data of a number": (
        lambda: sparsecast.validate(5),
        "raw: expected paths, found int$",
    ),
    "raw data of numbers": (
        lambda: sparsecast.validate(["raw.csv", 5]),
        "raw: expected paths, found int$",
    ),
    "an empty schedule": (lambda: sparsecast.Schedule.from_dict({}), "schedule: "),
    "links": (lambda: sparsecast.calibrate("cuda:0,cuda:1"), "device: expected one"),
    "a device that is none": (lambda: sparsecast.calibrate("gpu"), "gpu"),
    "no samples": (lambda: sparsecast.refit([]), "samples: expected at least one"),
    "samples that are not there": (lambda: sparsecast.refit("nowhere.samples.csv"), "nowhere"),
    "a calibration into no folder": (
        lambda: sparsecast.calibrate(out="nowhere/mine.json", progress=unexpected),
        "nowhere/mine.json",
    ),
    "a refit into no folder": (
        lambda: sparsecast.refit("nothing.samples.csv", out="nowhere/mine.json"),
        "nowhere/mine.json",
    ),
    "a profile without .json": (lambda: sparsecast.calibrate(out="mine"), "[.]json"),
    "an unknown data sheet": (lambda: sparsecast.relative_profile(H200, "h1000"), "gpu: "),
}


@pytest.mark.parametrize("case", REFUSED)
def test_is_refused_in_one_line(case):
    call, expected = REFUSED[case]
    with pytest.raises(sparsecast.Error, match=expected) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_names_in_errors_cannot_command_a_terminal():
    for name, expected in [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\nb", r"a\nb"),
        ("a\x9bb", r"a\x9bb"),
        ("b\u00e9ton", "b\u00e9ton"),
    ]:
        with pytest.raises(sparsecast.Error) as caught:
            sparsecast.read_matrix(f"{name}.mtx")
        assert f"{expected}.mtx" in str(caught.value)
        assert str(caught.value).isprintable()


def test_files_that_are_there_are_not_overwritten(tmp_path):
    out = tmp_path / "mine.json"
    out.write_text("{}")
    expected = "out: .*mine.json is there already; pass overwrite=True$"
    with pytest.raises(sparsecast.Error, match=expected):
        sparsecast.calibrate(out=out, quick=True)
    samples = next(iter(sorted((SOURCE / "profiles").glob("amd-epyc*.samples.csv*"))))
    with pytest.raises(sparsecast.Error, match=expected):
        sparsecast.refit(samples, out=out)


def test_errors_are_runtime_errors():
    assert issubclass(sparsecast.Error, RuntimeError)
    assert sparsecast.Error.__module__ == "sparsecast"
