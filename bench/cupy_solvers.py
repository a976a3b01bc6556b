"""CuPy's cg, cg with Jacobi, and gmres(30), measured beside their forecasts.

    python3 bench/cupy_solvers.py --sparsecast build/sparsecast --profile nvidia-h200 --csv cupy.csv

Needs a GPU, CuPy 13 or newer and SciPy. In one run: matrices are generated (or read: MATRIX ...), the
host's time for a call is measured on a tiny system, iterations are timed, and the program forecasts
each from the matrix's features and that host time. What the host does a call: the time of an
iteration of the tiny system, which the host paces, divided by the calls of an iteration, which the
schedule has (docs/schedules.md, "How libraries run solvers").

    --host-cost     stops behind the host's time for a call
    --calls N       in place of all that: what each call of these solvers takes, the host on a tiny
                    system and the GPU on one of N unknowns, and what the latter moves
    --measure-only  no forecasts: the program makes matrices only
"""

import argparse
import concurrent.futures
import csv
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io
import scipy.sparse

import cupy as cp
import cupyx.scipy.sparse as csp
import cupyx.scipy.sparse.linalg as linalg

RESTART = 30
LARGE = 5_000_000  # unknowns from which memory paces an iteration
TINY = ["laplacian", "--points", "5", "--size", "32"]

# Symmetric positive definite, so that each solver takes each; none was in a calibration.
GENERATED = {
    "5-point 3162^2": ["laplacian", "--points", "5", "--size", "3162"],
    "7-point 215^3": ["laplacian", "--points", "7", "--size", "215"],
    "9-point 3300x3050": ["laplacian", "--points", "9", "--size", "3300,3050"],
    "line of 1.1e7": ["laplacian", "--points", "3", "--size", "11000000"],
    "band of 1e7": ["band", "--rows", "10000000", "--half-bandwidth", "4", "--density", "0.6",
                    "--scattered", "0.02", "--seed", "71"],
    "random 9e6, near": ["random", "--rows", "9000000", "--row-length", "6", "--stddev", "1",
                         "--bandwidth", "0.0002", "--seed", "72"],
    "5-point 1000^2": ["laplacian", "--points", "5", "--size", "1000"],
    "7-point 121^3": ["laplacian", "--points", "7", "--size", "121"],
    "27-point 90^3": ["laplacian", "--points", "27", "--size", "90"],
    "9-point 640x800": ["laplacian", "--points", "9", "--size", "640,800"],
    "elasticity p1, 34": ["fem-elasticity", "--cells", "34", "--seed", "73"],
    "elasticity p2, 12": ["fem-elasticity", "--element", "p2", "--cells", "12", "--seed", "74"],
    "power law 800 000": ["power-law", "--rows", "800000", "--row-length", "7", "--seed", "75"],
    "netlist 600 000": ["netlist", "--rows", "600000", "--row-length", "5", "--seed", "76"],
    "random 300 000": ["random", "--rows", "300000", "--row-length", "24", "--bandwidth", "0.05",
                       "--seed", "77"],
    "5-point 316^2": ["laplacian", "--points", "5", "--size", "316"],
    "5-point 100^2": ["laplacian", "--points", "5", "--size", "100"],
    "trefethen 20 000": ["trefethen", "--rows", "20000"],
    "7-point 33^3": ["laplacian", "--points", "7", "--size", "33"],
    "kronecker 60 000": ["kronecker", "--rows", "60000", "--row-length", "12", "--seed", "78"],
}


def synchronize():
    cp.cuda.Device().synchronize()


def without_tolerance(solver):
    """The arguments with which a solver stops after `maxiter` iterations: CuPy 13 says tol, 14 rtol."""
    names = inspect.signature(solver).parameters
    return {"rtol" if "rtol" in names else "tol": 0, "atol": 0}


def by_cg(A, b, M):
    arguments = without_tolerance(linalg.cg)
    return lambda iterations: linalg.cg(A, b, M=M, maxiter=iterations, **arguments)


def by_gmres(A, b, M):
    arguments = without_tolerance(linalg.gmres)
    return lambda steps: linalg.gmres(A, b, M=M, restart=RESTART, maxiter=steps, **arguments)


def jacobi(A):
    inverse = 1 / A.diagonal()
    return linalg.LinearOperator(A.shape, matvec=lambda v: inverse * v, dtype=A.dtype)


class Case:
    """A solver of CuPy's, and what the program calls it."""

    def __init__(self, name, run, preconditioner, options, unit):
        self.name = name
        self.run = run
        self.preconditioner = preconditioner
        self.options = options  # of the program
        self.unit = unit  # the least that iterations go by: a cycle

    def prepare(self, A, b):
        return self.run(A, b, self.preconditioner(A))


CASES = [
    Case("cg", by_cg, lambda A: None, ["--solver", "cupy-cg"], 1),
    Case("jacobi-cg", by_cg, jacobi, ["--solver", "cupy-cg", "--precondition", "jacobi"], 1),
    Case("gmres", by_gmres, lambda A: None,
         ["--solver", "cupy-gmres", "--restart", str(RESTART)], RESTART),
]


def seconds_of(run, iterations):
    synchronize()
    start = time.perf_counter()
    run(iterations)
    synchronize()
    return time.perf_counter() - start


def iteration_seconds(case, A, b, rounds, seconds):
    """Of an iteration (gmres: of a step): the median over rounds of what more iterations take more.
    So what a solver does before its first iteration is not in it."""
    run = case.prepare(A, b)
    few = case.unit
    seconds_of(run, 2 * few)  # kernels are compiled, memory is taken
    estimate = max(1e-7, (seconds_of(run, 3 * few) - seconds_of(run, few)) / (2 * few))
    units = int(np.clip(seconds / (estimate * case.unit), 2, 400 // case.unit + 2))
    many = few + units * case.unit
    each = []
    for _ in range(rounds):
        short = seconds_of(run, few)
        each.append((seconds_of(run, many) - short) / (many - few))
    return statistics.median(each), (max(each) - min(each)) / statistics.median(each)


def upload(path, dtype):
    matrix = scipy.sparse.csr_matrix(scipy.io.mmread(path))
    matrix.sort_indices()
    A = csp.csr_matrix((cp.asarray(matrix.data.astype(dtype)),
                        cp.asarray(matrix.indices.astype(np.int32)),
                        cp.asarray(matrix.indptr.astype(np.int32))), shape=matrix.shape)
    b = cp.asarray(np.random.default_rng(7).uniform(0.5, 1.5, matrix.shape[0]).astype(dtype))
    return A, b


class Program:
    """The program sparsecast."""

    def __init__(self, path, profile, precision):
        self.path = path
        self.profile = profile
        self.precision = precision

    def run(self, *arguments):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join([self.path, *arguments])}\n{done.stderr.strip()}")
        return done.stdout

    def generate(self, arguments, path):
        self.run("generate", *arguments, "--out", path, "--quiet")

    def features(self, matrix, path):
        self.run("inspect", matrix, "--features", path, "--for", self.profile, "--for-devices", "1", "--quiet")

    def forecast(self, subject, case, host_call=None):
        """What predict says of an iteration in CSR."""
        options = [*case.options, "--profile", self.profile, "--precision", self.precision, "--layout", "csr"]
        if host_call is not None:
            options += ["--host-call", f"{host_call * 1e6:.4f}us"]
        return json.loads(self.run("predict", subject, *options, "--json"))["predictions"][0]


def host_calls(program, folder, options):
    """Seconds of the host for a call, by case."""
    path = os.path.join(folder, "tiny.mtx")
    program.generate(TINY, path)
    A, b = upload(path, options.dtype)
    costs = {}
    print(f"\n{'tiny system':16}{'us an iteration':>16}{'spread':>8}{'calls':>8}{'us a call':>11}")
    for case in CASES:
        seconds, spread = iteration_seconds(case, A, b, options.rounds, options.seconds)
        line = f"{case.name:16}{seconds * 1e6:16.1f}{spread:8.2f}"
        if not options.measure_only:
            library = program.forecast(path, case)["library"]
            calls = (library["calls"] + library["waits"]) / case.unit
            costs[case.name] = seconds / calls
            line += f"{calls:8.1f}{costs[case.name] * 1e6:11.2f}"
        print(line, flush=True)
    return costs


def matrices(program, folder, options):
    """Names, files and features, in the order in which they are measured."""
    if options.matrices:
        named = [(os.path.basename(path), path) for path in options.matrices]
    else:
        wanted = options.only.split(";") if options.only else list(GENERATED)
        for name in wanted:
            if name not in GENERATED:
                sys.exit(f"--only {name}: expected some of {'; '.join(GENERATED)}")
        named = [(name, os.path.join(folder, f"matrix{index}.mtx")) for index, name in enumerate(wanted)]

    def make(entry):
        name, path = entry
        if not options.matrices:
            program.generate(GENERATED[name], path)
        features = os.path.join(folder, f"{os.path.basename(path)}.features.json")
        if not options.measure_only:
            program.features(path, features)
        return name, path, features

    # All before anything is measured: a busy host would pace the solvers otherwise.
    with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
        return list(pool.map(make, named))


COLUMNS = ["matrix", "unknowns", "nonzeros", "precision", "solver", "measured_us", "spread",
           "host_call_us", "predicted_us", "error"]


def measure(program, folder, options):
    start = time.perf_counter()
    listed = [] if options.host_cost else matrices(program, folder, options)
    if listed:
        print(f"{len(listed)} matrices made in {time.perf_counter() - start:.0f} s", flush=True)
    costs = host_calls(program, folder, options)
    rows = []
    if listed:
        print(f"\n{'matrix':22}{'unknowns':>10}{'nonzeros':>11}  {'solver':11}"
              f"{'measured us':>12}{'spread':>8}{'predicted us':>14}{'error':>8}")
    for name, path, features in listed:
        A, b = upload(path, options.dtype)
        for case in CASES:
            seconds, spread = iteration_seconds(case, A, b, options.rounds, options.seconds)
            row = {"matrix": name, "unknowns": A.shape[0], "nonzeros": A.nnz,
                   "precision": options.precision, "solver": case.name,
                   "measured_us": seconds * 1e6, "spread": spread}
            if not options.measure_only:
                predicted = program.forecast(features, case, costs[case.name])
                row["host_call_us"] = costs[case.name] * 1e6
                row["predicted_us"] = predicted["seconds_per_iteration"] / case.unit * 1e6
                row["error"] = row["predicted_us"] / row["measured_us"] - 1
            rows.append(row)
            shown = (f"{row['predicted_us']:14.1f}{row['error']:8.3f}" if "error" in row else "")
            print(f"{name:22}{row['unknowns']:10d}{row['nonzeros']:11d}  {case.name:11}"
                  f"{row['measured_us']:12.1f}{spread:8.2f}{shown}", flush=True)
        del A, b
        cp.get_default_memory_pool().free_all_blocks()
    if options.csv and rows:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(rows)
    return rows


def summarise(rows):
    """Errors |predicted / measured - 1| by size and solver."""
    print(f"\n{'unknowns':16}{'solver':11}{'cases':>7}{'mean':>8}{'median':>8}{'worst':>8}  worst case")
    classes = [(f"from {LARGE:.0e}", lambda row: row["unknowns"] >= LARGE),
               ("fewer", lambda row: row["unknowns"] < LARGE)]
    for label, belongs in classes:
        for solver in [case.name for case in CASES] + ["all"]:
            chosen = [row for row in rows if belongs(row) and solver in (row["solver"], "all")]
            if not chosen:
                continue
            errors = [abs(row["error"]) for row in chosen]
            worst = chosen[errors.index(max(errors))]
            print(f"{label:16}{solver:11}{len(errors):7d}{statistics.mean(errors):8.3f}"
                  f"{statistics.median(errors):8.3f}{max(errors):8.3f}  {worst['matrix']}")


def calls_of(unknowns, dtype):
    """The calls of these solvers: name, function, values that it moves an unknown."""
    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(unknowns, unknowns))
    A = csp.csr_matrix(line.tocsr().astype(dtype))
    x = cp.full(unknowns, 1.25, dtype)
    y = cp.full(unknowns, 0.75, dtype)
    u = cp.full(unknowns, 0.5, dtype)
    scalar = cp.full((), 1e-3, dtype)
    columns = 16
    V = cp.full((unknowns, columns), 1e-6, dtype, order="F")
    h = cp.zeros(columns, dtype)
    H = cp.zeros((RESTART + 1, RESTART), dtype, order="F")
    from cupy import cublas
    from cupyx.scipy.sparse.linalg import _iterative
    matvec = _iterative._make_fast_matvec(A)
    compute_hu = _iterative._make_compute_hu(V)
    index = 4 / np.dtype(dtype).itemsize  # of a value
    return [
        ("A v, 3 a row", lambda: matvec(x), 3 * (1 + index) + index + 2),
        ("dotc(x, y)", lambda: cublas.dotc(x, y), 2),
        ("dotc(x, x)", lambda: cublas.dotc(x, x), 1),
        ("nrm2(x)", lambda: cublas.nrm2(x), 1),
        ("scalar / scalar", lambda: scalar / scalar, 0),
        ("scalar * x", lambda: scalar * x, 2),
        ("x / scalar", lambda: x / scalar, 2),
        ("x + y", lambda: x + y, 3),
        ("x * y", lambda: x * y, 3),
        ("V[:, j] = x", lambda: V.__setitem__((slice(None), 3), x), 2),
        (f"h = V' u; u -= V h, {columns}", lambda: compute_hu(u, columns - 1), 2 * columns + 3),
        ("H[:j+1, j] = h", lambda: H.__setitem__((slice(0, columns), 3), h), 0),
        (f"V @ h, {columns}", lambda: V @ h, columns + 1),
        ("x += y", lambda: x.__iadd__(y), 3),
        ("scalar <= 1, waits", lambda: bool(scalar <= 1.0), 0),
    ]


def device_seconds(call, seconds):
    """Of the GPU for a call, one behind the other."""
    call()
    start, stop = cp.cuda.Event(), cp.cuda.Event()

    def timed(times):
        start.record()
        for _ in range(times):
            call()
        stop.record()
        stop.synchronize()
        return cp.cuda.get_elapsed_time(start, stop) / 1e3 / times

    times = int(np.clip(seconds / max(timed(3), 1e-6), 5, 500))
    return statistics.median(timed(times) for _ in range(5))


def host_seconds(call):
    """Of the host for a call, one behind the other; the GPU has next to nothing to do."""
    times = 300

    def timed():
        synchronize()
        start = time.perf_counter()
        for _ in range(times):
            call()
        return (time.perf_counter() - start) / times

    timed()
    return statistics.median(timed() for _ in range(7))


def print_calls(unknowns, options):
    size = np.dtype(options.dtype).itemsize
    host = [host_seconds(call) for _, call, _ in calls_of(1000, options.dtype)]
    print(f"{'call':26}{'host us':>9}{f'us, {unknowns} unknowns':>24}{'values':>8}{'GB/s':>8}")
    for (name, call, values), seconds in zip(calls_of(unknowns, options.dtype), host):
        device = device_seconds(call, options.seconds)
        print(f"{name:26}{seconds * 1e6:9.1f}{device * 1e6:24.1f}{values:8.1f}"
              f"{values * size * unknowns / device / 1e9:8.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", metavar="MATRIX", help="Matrix Market files; default: generated ones")
    parser.add_argument("--sparsecast", default="build/sparsecast", help="the program")
    parser.add_argument("--profile", default="nvidia-h200", help="of this GPU")
    parser.add_argument("--precision", choices=["f32", "f64"], default="f64")
    parser.add_argument("--only", help="generated matrices by name, with ; between")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.1, help="of each measurement, about")
    parser.add_argument("--threads", type=int, default=max(1, (os.cpu_count() or 2) // 2),
                        help="matrices that are made at a time")
    parser.add_argument("--csv", help="the file to write")
    parser.add_argument("--host-cost", action="store_true")
    parser.add_argument("--measure-only", action="store_true")
    parser.add_argument("--calls", type=int, metavar="N")
    options = parser.parse_args()
    options.dtype = np.float32 if options.precision == "f32" else np.float64
    properties = cp.cuda.runtime.getDeviceProperties(0)
    print(f"CuPy {cp.__version__} on {properties['name'].decode()}, {options.precision}", flush=True)
    if options.calls:
        print_calls(options.calls, options)
        return
    program = Program(options.sparsecast, options.profile, options.precision)
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(program, folder, options)
    if rows and not options.measure_only:
        summarise(rows)


if __name__ == "__main__":
    main()
