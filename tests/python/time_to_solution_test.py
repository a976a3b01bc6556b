"""Times to solution: counted as the program counts, and forecast to the last bit."""

import os
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import sparsecast
from conftest import block_matrix, convection, laplacian, write_matrices

H200 = "nvidia-h200"
CPU = "amd-epyc-zen4-2cores"

pytestmark = pytest.mark.filterwarnings("ignore:.*not symmetric", "ignore:.*depend on rounding")


@pytest.fixture(autouse=True)
def one_thread():
    """Counts end by the clock, too: threads that wait for each other on a machine that is busy, and
    large systems, would make them differ."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture(scope="module")
def matrices():
    return {
        "grid": laplacian(20),
        "blocks": block_matrix(60, 3, seed=7),
        "convection": convection(15),
    }


@pytest.fixture(scope="module")
def matrix_files(matrices, tmp_path_factory):
    return write_matrices(matrices, tmp_path_factory)


@pytest.fixture(scope="module")
def grid(matrices):
    return matrices["grid"]


@pytest.mark.parametrize(
    "name, arguments, options",
    [
        ("grid", [], {}),
        (
            "grid",  # slow solvers end by iterations, whose number does not depend on the clock
            ["--solver", "all", "--max-iterations", "300"],
            dict(solver="all", max_iterations=300),
        ),
        ("blocks", ["--precision", "f32"], dict(precision="f32")),
        ("blocks", ["--schedule", "algorithm1"], dict(solver="algorithm1")),
        ("convection", ["--solver", "all", "--rhs", "random"], dict(solver="all", rhs="random")),
        (
            "convection",
            ["--solver", "gmres", "--restart", "7", "--precondition", "chebyshev3"],
            dict(solver="gmres", restart=7, precondition="chebyshev3"),
        ),
        (
            "grid",
            ["--solver", "cg,gmres", "--precondition", "all"],
            dict(solver=["cg", "gmres"], precondition="all"),
        ),
        (
            "convection",
            ["--solver", "all", "--precondition", "jacobi", "--max-iterations", "500"],
            dict(solver="all", precondition="jacobi", max_iterations=500),
        ),
        (
            "grid",
            ["--solver", "cg,bicgstab", "--devices", "1,2", "--renumber", "rcm"],
            dict(solver=["cg", "bicgstab"], devices=[1, 2], renumber="rcm"),
        ),
    ],
)
def test_predictions_are_the_programs(matrices, matrix_files, program, name, arguments, options):
    printed = program(
        "predict", matrix_files[name], "--profile", H200, "--rtol", "1e-5", *arguments
    )
    predictions = sparsecast.predict(matrices[name], H200, rtol=1e-5, **options)
    assert predictions.to_dict() == printed and printed
    assert {each.schedule for each in predictions} <= {each.solver for each in predictions.counts}


@pytest.mark.parametrize(
    "name, arguments, options",
    [
        ("grid", ["--solver", "cg,minres"], dict(solver=["cg", "minres"])),
        ("convection", [], {}),
        ("convection", ["--precision", "f64", "--rhs", "random"], dict(precision="f64", rhs="random")),
    ],
)
def test_advice_is_the_programs(matrices, matrix_files, program, name, arguments, options):
    printed = program(
        "advise", matrix_files[name], "--profile", H200, "--profile", CPU, "--rtol", "1e-4",
        *arguments,
    )
    advice = sparsecast.advise(matrices[name], [H200, CPU], rtol=1e-4, **options)
    assert advice.to_dict() == printed
    assert advice.recommended.prediction.count.to_dict() == printed["recommended"]["count"]
    assert {each.precision for each in advice.counts} >= {printed["recommended"]["precision"]}


def test_counts_are_the_programs(matrices, matrix_files, program):
    printed = program(
        "solve", matrix_files["convection"], "--count", "--solver", "all", "--rtol", "1e-7"
    )
    counts = sparsecast.count_iterations(matrices["convection"], rtol=1e-7, solver="all")
    assert [each.to_dict() for each in counts] == printed["counts"]


def test_features_carry_the_programs_counts(matrices, matrix_files, program, tmp_path):
    theirs = tmp_path / "theirs.features.json"
    program(
        "inspect", matrix_files["convection"], "--features", str(theirs), "--for", H200,
        "--rtol", "1e-5",
    )
    A = sparsecast.read_matrix(matrix_files["convection"])
    ours = sparsecast.count_features(A, H200, name="convection.mtx", rtol=1e-5)
    assert ours.to_dict() == sparsecast.read_features(theirs).to_dict()
    assert {each.precision for each in ours.counts} == {"f32", "f64"}

    ours.write(tmp_path / "ours.features.json")
    for features in [ours, sparsecast.read_features(tmp_path / "ours.features.json")]:
        options = dict(solver="all", rtol=1e-5)
        there = sparsecast.predict(A, H200, **options)
        assert sparsecast.predict(features, H200, **options).to_dict() == there.to_dict()
        there = sparsecast.advise(A, H200, rtol=1e-5)
        assert sparsecast.advise(features, H200, rtol=1e-5).to_dict() == there.to_dict()


def test_a_right_hand_side_is_an_array_or_a_file(grid, matrix_files, program, tmp_path):
    b = np.linspace(1, 2, grid.shape[0])
    file = tmp_path / "b.mtx"
    scipy.io.mmwrite(file, b.reshape(-1, 1), precision=17)
    printed = program(
        "predict", matrix_files["grid"], "--profile", H200, "--rtol", "1e-6", "--rhs", str(file)
    )
    assert sparsecast.predict(grid, H200, rtol=1e-6, rhs=file).to_dict() == printed
    names = set()
    for given in [b, b.reshape(-1, 1), list(b)]:
        predictions = sparsecast.predict(grid, H200, rtol=1e-6, rhs=given)
        names.update(each.right_hand_side for each in predictions.counts)
        of_array = predictions.to_dict()
        for ours, theirs in zip(of_array, printed):
            ours["count"]["right_hand_side"] = theirs["count"]["right_hand_side"]
        assert of_array == printed
    assert len(names) == 1
    # The name of an array finds its counts again, and no others.
    features = sparsecast.count_features(grid, H200, rtol=1e-6, solver="cg", rhs=b)
    options = dict(rtol=1e-6, solver="cg")
    assert sparsecast.predict(features, H200, rhs=b, **options)
    with pytest.raises(sparsecast.Error, match="has no iterations of cg to 1e-06 in f64 for rhs array"):
        sparsecast.predict(features, H200, rhs=b + 1, **options)


def test_attributes_are_the_numbers_of_to_dict(grid):
    for prediction in sparsecast.predict(grid, H200, solver=["cg", "gmres"], rtol=1e-6):
        keys = prediction.to_dict()
        for name in ["iterations", "start_seconds", "iterations_seconds", "total_seconds"]:
            assert getattr(prediction, name) == keys[name]
        assert list(prediction.iterations_interval) == keys["iterations_interval"]
        assert list(prediction.total_interval) == keys["total_interval"]
        for name, value in keys["count"].items():
            assert getattr(prediction.count, name) == value
        assert prediction.count.solves and prediction.count.stable


def test_what_does_not_converge_is_among_the_counts_alone(grid):
    predictions = sparsecast.predict(
        grid, H200, solver=["cg", "richardson"], rtol=1e-6, max_iterations=200
    )
    assert {each.schedule for each in predictions} == {"cg"}
    outcomes = {each.solver: each.outcome for each in predictions.counts}
    assert outcomes == {"cg": "converged", "richardson": "iteration limit"}
    counts = sparsecast.count_iterations(grid, solver="richardson", max_iterations=2)
    assert [each.iterations for each in counts] == [2]


def test_without_time_none_converges(grid):
    with pytest.raises(sparsecast.Error, match=r"out of time\); allow more time \(count_seconds\)"):
        sparsecast.predict(grid, H200, rtol=1e-9, count_seconds=1e-9)
    counts = sparsecast.count_iterations(grid, rtol=1e-9, count_seconds=1e-9)
    assert [(each.out_of_time, each.outcome) for each in counts] == [(True, "out of time")]
    assert counts[0].to_dict()["outcome"] == "out of time"


def test_the_best_is_what_solves_first(grid):
    predictions = sparsecast.predict(grid, H200, solver=["cg", "gmres"], rtol=1e-6)
    times = [each.total_seconds for each in predictions]
    assert predictions.best.total_seconds == min(times)


def test_solvers_that_need_a_symmetric_matrix_are_left_out_with_a_warning(matrices):
    A = matrices["convection"]
    with pytest.warns(UserWarning, match="left out, as they cannot solve with it: fused") as caught:
        sparsecast.predict(A, H200, solver="all", rtol=1e-4)
    assert caught[0].filename == __file__
    with pytest.raises(sparsecast.Error, match="fused cannot solve with it; use solver=\"all\"$"):
        sparsecast.predict(A, H200, rtol=1e-4)
    with pytest.warns(UserWarning, match="left out, as they cannot solve with it: cg"):
        predictions = sparsecast.predict(A, H200, solver="all")
    assert "gmres" in {each.schedule for each in predictions}
    assert "cg" not in {each.schedule for each in predictions}


def test_a_solver_that_cannot_run_leaves_the_others(grid):
    negative = -grid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counts = sparsecast.count_iterations(negative, rtol=1e-4, solver=["cg", "gmres"])
    assert [each.solver for each in counts if each.solves] == ["gmres"]


def test_progress_rises_to_one(grid):
    for call in [
        lambda progress: sparsecast.predict(
            grid, [H200, CPU], solver="all", rtol=1e-6, max_iterations=300, progress=progress
        ),
        lambda progress: sparsecast.advise(
            grid, H200, rtol=1e-6, max_iterations=300, progress=progress
        ),
        lambda progress: sparsecast.count_features(
            grid, H200, rtol=1e-6, solver="richardson", progress=progress
        ),
        lambda progress: sparsecast.count_iterations(
            grid, rtol=1e-6, solver=["richardson", "cg"], progress=progress
        ),
    ]:
        said = []
        call(said.append)
        assert said == sorted(said) and said[-1] == 1


def test_what_progress_raises_ends_the_counting(grid):
    class Enough(Exception):
        pass

    def progress(done):
        raise Enough

    with pytest.raises(Enough):
        sparsecast.count_iterations(grid, rtol=1e-12, solver="richardson", progress=progress)


def test_figures_and_tables_are_of_times_to_solution(grid):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    predictions = sparsecast.predict(grid, H200, solver=["cg", "bicgstab"], rtol=1e-6)
    axes = predictions.plot().axes[0]
    assert axes.get_xlabel().startswith("time to solution, ms")
    shown = [bar.get_width() for bar in axes.patches]
    assert np.allclose(shown, sorted(1e3 * each.total_seconds for each in predictions))
    table = predictions.to_pandas()
    assert list(table["iterations_interval.low"]) == [
        each.iterations_interval.low for each in predictions
    ]
    assert set(table["count.solver"]) == {"cg", "bicgstab"}
