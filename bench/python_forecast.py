"""What a forecast from arrays takes: a matrix of 1e7 nonzeros, by parts.

    PYTHONPATH=build/python /usr/bin/python3 bench/python_forecast.py [PROGRAM]

With the program, also whether its forecast of the same matrix from a file has the same bits. Prints
medians of 9 calls, in seconds.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import sparsecast

ROUNDS = 9
PROFILE = "nvidia-h200"


def median(call):
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def grid(n):
    """The 7-point Laplacian on n^3 points."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return sp.csr_matrix(sp.kronsum(sp.kronsum(line, line), line))


def elements(nodes):
    """Blocks of 3 x 3 between a node and 27 others nearby, as of finite elements."""
    near = np.concatenate([[0], np.arange(1, 14)])
    offsets = np.concatenate([-near[:0:-1], near]) * 7
    pattern = sp.diags(np.ones(offsets.size), offsets, shape=(nodes, nodes))
    return sp.csr_matrix(sp.kron(pattern, np.ones((3, 3))))


def same_bits(A, program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.mtx")
        scipy.io.mmwrite(path, A, precision=17, symmetry="general")
        run = subprocess.run(
            [program, "predict", path, "--profile", PROFILE, "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
    return json.loads(run.stdout)["predictions"] == sparsecast.predict(A, PROFILE).to_dict()


def main():
    for name, A in [("7-point grid", grid(113)), ("blocks of 3", elements(41_500))]:
        A.sort_indices()
        arrays = (A.indptr, A.indices, A.data)
        profile = sparsecast.Profile(PROFILE)
        print(f"{name}: {A.shape[0]} unknowns, {A.nnz} nonzeros")
        for part, call in [
            ("view and check", lambda: sparsecast.Matrix(arrays)),
            ("features", lambda: sparsecast.features(arrays)),
            ("predict from arrays", lambda: sparsecast.predict(arrays, profile)),
            ("predict from scipy", lambda: sparsecast.predict(A, profile)),
            ("predict, 1, 2 and 4 devices", lambda: sparsecast.predict(A, profile, devices=[1, 2, 4])),
        ]:
            print(f"  {part:28} {median(call):.3f}")
        matrix = sparsecast.Matrix(A)
        sparsecast.predict(matrix, profile)
        print(f"  {'predict again, same Matrix':28} {median(lambda: sparsecast.predict(matrix, profile)):.3f}")
        if len(sys.argv) > 1:
            print(f"  same bits as the program: {same_bits(A, sys.argv[1])}")


if __name__ == "__main__":
    main()
