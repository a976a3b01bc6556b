"""Forecasts: the program's, to the last bit."""

import numpy as np
import pytest

import sparsecast

PROFILES = ["nvidia-h200", "nvidia-h100", "gtx280", "amd-epyc-zen4-2cores"]


def expect_same(ours, printed):
    """JSON keeps doubles exactly: equal numbers are equal bits."""
    assert len(ours) == len(printed) > 0
    for one, other in zip(ours, printed):
        assert one == other


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["grid", "blocks"])
def test_predictions_have_the_programs_bits(matrices, matrix_files, program, profile, name):
    printed = program("predict", matrix_files[name], "--profile", profile)
    A = matrices[name]
    expect_same(sparsecast.predict(A, profile).to_dict(), printed)
    arrays = (A.indptr.astype(np.int64), A.indices, A.data)
    expect_same(sparsecast.predict(arrays, profile).to_dict(), printed)


def test_several_devices_and_iterations_do_too(matrices, matrix_files, program):
    printed = program(
        "predict", matrix_files["grid"], "--profile", "nvidia-h200", "--profile", "nvidia-h100",
        "--devices", "1,2", "--iterations", "300", "--precision", "f32", "--layout", "csr,dia",
    )
    ours = sparsecast.predict(
        matrices["grid"], ["nvidia-h200", "nvidia-h100"], devices=[1, 2], iterations=300,
        precision="f32", layouts=["csr", "dia"],
    )
    expect_same(ours.to_dict(), printed)


def test_solvers_by_name_do_too(matrices, matrix_files, program):
    printed = program(
        "predict", matrix_files["convection"], "--profile", "nvidia-h200",
        "--solver", "bicgstab,gmres", "--restart", "20", "--precondition", "none",
    )
    ours = sparsecast.predict(
        matrices["convection"], "nvidia-h200", solver=["bicgstab", "gmres"], restart=20,
        precondition="none",
    )
    expect_same(ours.to_dict(), printed)


def test_solvers_of_ours_and_launch_modes_do_too(matrices, matrix_files, program):
    for schedule, launch in [("algorithm1", "plain"), ("vendor", "graph"), ("fused", "persistent")]:
        printed = program(
            "predict", matrix_files["grid"], "--profile", "nvidia-h200",
            "--schedule", schedule, "--launch", launch,
        )
        ours = sparsecast.predict(
            matrices["grid"], "nvidia-h200", solver=schedule, launches=launch
        )
        expect_same(ours.to_dict(), printed)


def test_other_orders_do_too(matrices, matrix_files, program):
    for order in ["rcm", "metis"]:
        printed = program(
            "predict", matrix_files["blocks"], "--profile", "nvidia-h200", "--devices", "2",
            "--renumber", order,
        )
        ours = sparsecast.predict(
            matrices["blocks"], "nvidia-h200", devices=2, renumber=order
        )
        expect_same(ours.to_dict(), printed)


def test_models_of_a_profile_do_too(matrices, matrix_files, program):
    for model in ["traffic", "paper"]:
        printed = program(
            "predict", matrix_files["grid"], "--profile", "nvidia-h200", "--model", model
        )
        profile = sparsecast.Profile("nvidia-h200", model)
        assert profile.model == model
        expect_same(sparsecast.predict(matrices["grid"], profile).to_dict(), printed)


def test_numbers_alone_do_too(program):
    printed = program(
        "predict", "--unknowns", "1e6", "--elements", "7e6", "--layout", "csr",
        "--profile", "nvidia-h200", "--longest-row", "7", "--mean-distance", "2900",
        "--neighbours", "0.57",
    )
    ours = sparsecast.predict_numbers(
        1e6, 7e6, "csr", "nvidia-h200", longest=7, mean_distance=2900, neighbours=0.57
    )
    expect_same(ours.to_dict(), printed)


def test_a_schedule_of_the_users_own_is_priced(matrices, matrix_files, program, tmp_path):
    path = tmp_path / "mine.json"
    keys = sparsecast.Schedule("cg").to_dict()
    keys["name"] = "mine"
    mine = sparsecast.Schedule.from_dict(keys)
    mine.write(path)
    printed = program(
        "predict", matrix_files["grid"], "--profile", "nvidia-h200", "--schedule", str(path)
    )
    for schedule in [mine, sparsecast.Schedule(path), path, str(path)]:
        ours = sparsecast.predict(matrices["grid"], "nvidia-h200", solver=schedule)
        assert {each.schedule for each in ours} == {"mine"}
        expect_same(ours.to_dict(), printed)


def test_attributes_are_the_numbers_of_to_dict(grid):
    for prediction in sparsecast.predict(grid, "nvidia-h200", devices=[1, 2], iterations=10):
        keys = prediction.to_dict()
        for name in ["profile", "layout", "devices", "precision", "schedule", "launch", "exchange",
                     "seconds_per_iteration", "speedup", "bytes_per_device", "fits",
                     "total_seconds", "iterations", "warnings", "raw_gflops", "model"]:
            assert getattr(prediction, name) == keys[name], name
        assert list(prediction.interval_seconds) == keys["interval_seconds"]
        for part, seconds in keys["parts"].items():
            assert getattr(prediction.parts, part) == seconds


def test_the_best_is_the_first_by_rank(grid):
    predictions = sparsecast.predict(grid, "nvidia-h200")
    ranks = [each["rank"] for each in predictions.to_dict()]
    assert predictions[ranks.index(1)].seconds_per_iteration == (
        predictions.best.seconds_per_iteration
    )
    choice = sparsecast.best_choice(predictions)
    assert ranks[choice.index] == 1
    assert [ranks[other.index] for other in choice.others] == list(range(2, len(ranks) + 1))


def test_a_matrix_is_counted_once_for_several_forecasts(grid):
    matrix = sparsecast.Matrix(grid)
    first = sparsecast.predict(matrix, "nvidia-h200").to_dict()
    assert sparsecast.predict(matrix, "nvidia-h200").to_dict() == first
    sparsecast.predict(matrix, "nvidia-h200", renumber="rcm")
    assert sparsecast.predict(matrix, "nvidia-h200").to_dict() == first


def test_values_in_f32_are_forecast_as_in_f64(grid):
    ours = sparsecast.predict(grid.astype(np.float32), "nvidia-h200").to_dict()
    assert ours == sparsecast.predict(grid, "nvidia-h200").to_dict()


def test_a_solver_that_cannot_solve_is_warned_of(matrices):
    with pytest.warns(UserWarning, match="not symmetric: conjugate gradients") as caught:
        sparsecast.predict(matrices["convection"], "nvidia-h200")
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="not symmetric: minres cannot"):
        sparsecast.predict(matrices["convection"], "nvidia-h200", solver=["minres", "gmres"])


def test_explanations_are_the_programs(matrices, matrix_files, program):
    printed = program("predict", matrix_files["grid"], "--profile", "nvidia-h200", "--explain")
    predictions = sparsecast.predict(matrices["grid"], "nvidia-h200")
    explained = [each["explanation"] for each in printed if "explanation" in each]
    assert [sparsecast.explain(predictions.best, predictions).to_dict()] == explained


def test_progress_rises_to_one(grid):
    said = []
    sparsecast.predict(grid, PROFILES, progress=said.append)
    assert said == sorted(said) and said[-1] == 1


def test_tables_have_a_row_each(grid):
    pytest.importorskip("pandas")
    predictions = sparsecast.predict(grid, "nvidia-h200", devices=[1, 2])
    table = predictions.to_pandas()
    assert len(table) == len(predictions)
    assert list(table.seconds_per_iteration) == [each.seconds_per_iteration for each in predictions]
    assert list(table["interval_seconds.low"]) == [each.interval_seconds.low for each in predictions]
    assert sparsecast.to_pandas(list(predictions)).equals(table)
    assert "against_best" not in table.columns
    best = table["against_best.slower_by"].isna()
    assert list(table["rank"][best]) == [1]


def test_profiles_come_back_from_their_files(tmp_path):
    profile = sparsecast.Profile("nvidia-h200")
    profile.write(tmp_path / "again.json")
    again = sparsecast.Profile(tmp_path / "again.json")
    assert again.name == "again" and again.to_dict() == profile.to_dict()
    assert sparsecast.relative_profile(profile, "h100-pcie").name == "h100-pcie"
