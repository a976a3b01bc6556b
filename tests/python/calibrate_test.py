"""Samples become a profile, with the same constants as the program's."""

import os
import pathlib

import sparsecast

SOURCE = pathlib.Path(os.environ["SPARSECAST_SOURCE"])


def test_samples_are_fitted_as_the_program_does(tmp_path, program):
    samples = next(iter(sorted((SOURCE / "profiles").glob("amd-epyc*.samples.csv*"))))
    theirs = tmp_path / "theirs.json"
    program("calibrate", "--refit", str(samples), "--out", str(theirs))
    ours = sparsecast.refit(samples, out=tmp_path / "ours.json")
    assert ours.profile.to_dict() == sparsecast.Profile(theirs).to_dict()
    assert ours.sample_count > 100 and "SpMV" in ours.full()
    assert sparsecast.Profile(tmp_path / "ours.json").to_dict() == ours.profile.to_dict()
    again = sparsecast.refit(tmp_path / "ours.samples.csv")
    assert again.profile.to_dict() == ours.profile.to_dict()


def test_a_relative_is_estimated_as_the_program_does(tmp_path, program):
    theirs = tmp_path / "h100-pcie.json"
    program("calibrate", "--like", "nvidia-h200", "--gpu", "h100-pcie", "--out", str(theirs))
    ours = sparsecast.relative_profile("nvidia-h200", "h100-pcie")
    assert ours.to_dict() == sparsecast.Profile(theirs).to_dict()
