"""Matrices, and the program whose answers those of the module are held against."""

import json
import os
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse


def laplacian(n):
    """The 5-point Laplacian on an n x n grid."""
    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))


def block_matrix(nodes, size, seed):
    """Symmetric positive definite, of dense blocks of size x size."""
    random = np.random.default_rng(seed)
    pattern = scipy.sparse.random(nodes, nodes, density=4 / nodes, random_state=seed)
    pattern = pattern + pattern.T + scipy.sparse.identity(nodes)
    A = scipy.sparse.csr_matrix(scipy.sparse.kron(pattern != 0, np.ones((size, size))))
    A.data = random.uniform(0.1, 1.0, A.nnz)
    A = A + A.T
    weight = np.asarray(abs(A).sum(axis=1)).ravel()
    A = scipy.sparse.csr_matrix(A + scipy.sparse.diags(weight))
    A.sort_indices()
    return A


def convection(n):
    """Not symmetric: a Laplacian with a drift."""
    A = laplacian(n) + 0.3 * scipy.sparse.diags([1.0, -1.0], [1, -1], shape=(n * n, n * n))
    A = scipy.sparse.csr_matrix(A)
    A.sum_duplicates()
    return A


@pytest.fixture(scope="session")
def grid():
    return laplacian(60)


@pytest.fixture(scope="session")
def matrices():
    return {
        "grid": laplacian(60),
        "blocks": block_matrix(400, 3, seed=7),
        "convection": convection(40),
    }


def write_matrices(matrices, tmp_path_factory):
    """The paths of their files, by name."""
    folder = tmp_path_factory.mktemp("matrices")
    files = {}
    for name, A in matrices.items():
        files[name] = str(folder / f"{name}.mtx")
        scipy.io.mmwrite(files[name], A, precision=17, symmetry="general")
    return files


@pytest.fixture(scope="session")
def matrix_files(matrices, tmp_path_factory):
    return write_matrices(matrices, tmp_path_factory)


@pytest.fixture(scope="session")
def program():
    """Runs the program and returns what it prints as JSON, as the results of the module say it: of
    `predict` the list of predictions."""
    asked = ["matrix", "unknowns", "elements", "profiles", "precision", "curve", "network"]
    of_the_file = {"advise": asked, "inspect": ["matrix"], "map": ["network"], "solve": ["matrix"]}

    def run(*arguments, status=0):
        done = subprocess.run(
            [os.environ["SPARSECAST_PROGRAM"], *arguments, "--json"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stderr
        printed = json.loads(done.stdout)
        if arguments[0] == "predict":
            return printed["predictions"]
        for key in ["schema", "sparsecast", "command", *of_the_file.get(arguments[0], [])]:
            del printed[key]
        return printed

    return run
