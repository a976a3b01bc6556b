"""The solver that forecasts are about."""

import threading
import time

import numpy as np
import pytest

import sparsecast
from conftest import laplacian


@pytest.fixture(scope="module")
def large_grid():
    """Whose iterations last until somebody is told of them: those of a small one soon end at 0."""
    return laplacian(400)


def residual(A, x, b):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


def test_conjugate_gradients_solve(grid):
    b = np.random.default_rng(1).standard_normal(grid.shape[0])
    solution = sparsecast.solve(grid, b)
    assert solution.outcome == "converged" and solution.converged
    assert solution.tolerance == 1e-8  # as the documentation says
    assert residual(grid, solution.x, b) <= 1e-8
    assert np.isclose(solution.residual_norm, np.linalg.norm(b - grid @ solution.x))


@pytest.mark.parametrize("solver", ["bicgstab", "gmres", "bicg"])
def test_solvers_of_other_matrices_solve(matrices, solver):
    A = matrices["convection"]
    b = np.ones(A.shape[0])
    restart = dict(restart=30) if solver == "gmres" else {}
    solution = sparsecast.solve(A, b, solver=solver, rtol=1e-9, **restart)
    assert solution.solver == solver and solution.outcome == "converged"
    assert residual(A, solution.x, b) <= 1e-8


def test_a_solve_is_the_programs(matrices, matrix_files, program):
    arguments = ["--solver", "gmres", "--restart", "12", "--layout", "bcsr3", "--iterations", "40"]
    printed = program("solve", matrix_files["blocks"], *arguments)
    A = matrices["blocks"]
    ours = sparsecast.solve(
        A, np.ones(A.shape[0]), solver="gmres", restart=12, layout="bcsr3", iterations=40
    ).to_dict()
    assert list(ours) == list(printed)
    for key in ["outcome", "solver", "iterations", "residual_norm", "recurrence_residual_norm",
                "right_hand_side_norm", "bytes_per_device", "device", "layout", "precision"]:
        assert ours[key] == printed[key], key


def test_f32_solves_in_f32(grid):
    b = np.ones(grid.shape[0])
    for A in [grid, grid.astype(np.float32)]:
        solution = sparsecast.solve(A, b, precision="f32", rtol=1e-4)
        assert solution.precision == "f32" and solution.converged
        assert np.array_equal(solution.x, solution.x.astype(np.float32))


def test_preconditioners_are_chosen(grid):
    b = np.ones(grid.shape[0])
    solution = sparsecast.solve(grid, b, solver="cg", precondition="none")
    assert solution.solver == "cg-none" and solution.converged
    solution = sparsecast.solve(grid, b, solver="cg", precondition="block-jacobi3")
    assert solution.solver == "cg-block-jacobi3" and solution.converged


def test_the_history_is_of_every_iteration(grid):
    b = np.ones(grid.shape[0])
    solution = sparsecast.solve(grid, b, history=True)
    assert solution.history.shape == (solution.iterations + 1,)
    assert np.isclose(solution.history[0], np.linalg.norm(b))
    assert solution.history[-1] <= 1e-8 * np.linalg.norm(b)
    assert sparsecast.solve(grid, b).history is None


def test_a_solve_begins_where_it_is_told(grid):
    x = np.linspace(0, 1, grid.shape[0])
    start = x.copy()
    solution = sparsecast.solve(grid, grid @ x, start)
    assert solution.iterations == 0 and np.array_equal(start, x)


def test_right_hand_sides_may_be_columns_and_whole_numbers(grid):
    b = np.ones(grid.shape[0])
    x = sparsecast.solve(grid, b).x
    assert np.array_equal(sparsecast.solve(grid, b.reshape(-1, 1)).x, x)
    assert np.array_equal(sparsecast.solve(grid, b.astype(np.int16)).x, x)
    assert np.array_equal(sparsecast.solve(grid, list(b)).x, x)


def test_what_cannot_be_solved_is_an_outcome(grid):
    b = np.ones(grid.shape[0])
    negative = sparsecast.solve(-grid, b)
    assert negative.outcome == "nonpositive diagonal"
    assert negative.brief().endswith('or name a solver with precondition="none"')
    assert negative.brief() in repr(negative)
    indefinite = sparsecast.solve(-grid, b, solver="cg", precondition="none")
    assert indefinite.outcome == "not positive definite"
    assert "or use solver bicg" in indefinite.brief()
    b[3] = np.nan
    assert sparsecast.solve(grid, b).outcome == "not finite"
    A = grid.copy()
    A.data[5] = np.inf
    assert sparsecast.solve(A, np.ones(A.shape[0]), solver="gmres").outcome == "not finite"


def test_the_stopping_rule_is_the_users(grid):
    b = np.ones(grid.shape[0])
    assert sparsecast.solve(grid, b, iterations=5).iterations == 5
    limited = sparsecast.solve(grid, b, max_iterations=7)
    assert (limited.outcome, limited.iterations) == ("iteration limit", 7)
    inner = sparsecast.solve(grid, b, rtol=1e-6, stop="preconditioned")
    assert inner.preconditioned_norm <= 1e-6 * inner.first_preconditioned_norm
    usual = sparsecast.solve(grid, b, rtol=1e-6)
    for name in "preconditioned_norm", "first_preconditioned_norm":
        assert getattr(usual, name) is None and usual.to_dict()[name] is None
    paper = sparsecast.solve(grid, b, atol=1e-6)
    assert paper.solver == "algorithm1" and paper.converged


def test_progress_is_reported(large_grid):
    said = []
    sparsecast.solve(large_grid, np.ones(large_grid.shape[0]), iterations=2000, progress=said.append)
    assert said and said == sorted(said) and all(0 <= done <= 1 for done in said)


def test_what_progress_raises_ends_the_solve(large_grid):
    def progress(done):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        sparsecast.solve(
            large_grid, np.ones(large_grid.shape[0]), iterations=10**9, progress=progress
        )


def test_other_threads_run_meanwhile(large_grid):
    ran = []
    ended = threading.Event()

    def count():
        while not ended.is_set():
            ran.append(1)
            time.sleep(0.001)

    def progress(done):
        if len(ran) > 20:  # which no thread could do while a solve kept the lock
            raise LookupError

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(LookupError):
            sparsecast.solve(
                large_grid, np.ones(large_grid.shape[0]), iterations=10**9, progress=progress
            )
    finally:
        ended.set()
        thread.join()


def test_a_gpu_solves_where_there_is_one(grid):
    b = np.ones(grid.shape[0])
    try:
        solution = sparsecast.solve(grid, b, device="cuda:0")
    except sparsecast.Error as error:
        pytest.skip(str(error))
    assert solution.converged and residual(grid, solution.x, b) <= 1e-8
