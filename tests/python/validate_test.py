"""Raw data of a validation: what the program says of it."""

import os
import pathlib
import subprocess

import pytest

import sparsecast

FOLDER = pathlib.Path(os.environ["SPARSECAST_SOURCE"]) / "docs" / "validation"
RAW = str(FOLDER / "nvidia-h100-fem.csv.gz")
CPU_PROFILE = "amd-epyc-zen4-2cores"
CPU = str(FOLDER / f"{CPU_PROFILE}.csv")
OWN = str(FOLDER / "nvidia-h200-own-solvers.csv.gz")


def test_data_that_is_priced_again_says_what_the_program_says(program):
    printed = program("validate", "--from", RAW, "--profile", "nvidia-h100")
    validation = sparsecast.validate(RAW, "nvidia-h100")
    assert validation.to_dict() == printed
    errors = printed["overall"]["model"]
    assert validation.median_error == errors["median_time_error"]
    assert validation.p95_error == errors["p95_time_error"]
    assert validation.mean_error == errors["mean_time_error"]
    assert validation.coverage == errors["coverage"]
    assert validation.matrices == errors["matrices"] > 1
    assert validation.cases == errors["cases"] > validation.matrices
    assert validation.about["profile"] == "nvidia-h100"


def test_data_without_a_profile_has_its_own_forecasts(program):
    printed = program("validate", "--from", RAW)
    assert sparsecast.validate(RAW).to_dict() == printed
    assert sparsecast.validate(RAW, "nvidia-h200").to_dict()["rows"] != printed["rows"]


def test_model_and_curve_are_the_programs(program):
    given = ["validate", "--from", RAW, "--profile", "nvidia-h100", "--model", "paper"]
    ours = sparsecast.validate(RAW, "nvidia-h100", model="paper", curve="maximum").to_dict()
    assert ours == program(*given, "--curve", "maximum")
    assert ours["table6"] != program(*given)["table6"]
    with pytest.raises(sparsecast.Error, match="guess"):
        sparsecast.validate(RAW, "nvidia-h100", model="guess")


def test_data_of_another_kind_of_device_is_refused():
    for raw, profile, device in [
        (CPU, "nvidia-h200", "AMD EPYC"),
        (RAW, CPU_PROFILE, "NVIDIA H100"),
    ]:
        with pytest.raises(sparsecast.Error) as caught:
            sparsecast.validate(raw, profile)
        told = str(caught.value)
        assert told.startswith(f"{raw}: profile {profile} of ") and "\n" not in told
        assert f"forecasts no case of what was measured on {device}" in told
        assert "give a profile of such a device" in told


def test_the_program_refuses_it_too():
    run = subprocess.run(
        [os.environ["SPARSECAST_PROGRAM"], "validate", "--from", CPU, "--profile", "nvidia-h200"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1 and run.stdout == ""
    assert run.stderr.startswith(f"sparsecast validate: {CPU}: profile nvidia-h200 of NVIDIA H200")


def test_other_solvers_are_named():
    with pytest.raises(sparsecast.Error, match="solver: .*own-solvers.csv.gz has .*: name it"):
        sparsecast.validate(OWN, "nvidia-h200")
    with pytest.raises(sparsecast.Error, match="solver: prices raw data again; give the profile"):
        sparsecast.validate(OWN, solver="gmres")


def test_several_runs_are_one(program, tmp_path):
    again = tmp_path / "again.csv.gz"
    again.write_bytes(pathlib.Path(RAW).read_bytes())
    both = sparsecast.validate([RAW, again], "nvidia-h100")
    printed = program(
        "validate", "--from", RAW, "--from", str(again), "--profile", "nvidia-h100"
    )
    assert both.to_dict() == printed
    with pytest.raises(sparsecast.Error, match="give the profile"):
        sparsecast.validate([RAW, again])


def test_what_is_no_raw_data_is_refused_with_its_file(tmp_path):
    path = tmp_path / "raw.csv"
    path.write_text("no,raw,data\n")
    with pytest.raises(sparsecast.Error, match="raw.csv:1"):
        sparsecast.validate(path)
    with pytest.raises(sparsecast.Error, match="raw: expected"):
        sparsecast.validate([])
