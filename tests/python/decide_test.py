"""Advice, maps and figures."""

import os
import pathlib
import shutil

import numpy as np
import pytest

import sparsecast

SOURCE = pathlib.Path(os.environ["SPARSECAST_SOURCE"])


def test_advice_is_the_programs(matrices, matrix_files, program):
    for arguments, options in [
        ([], {}),
        (["--max-devices", "2", "--iterations", "50"], dict(max_devices=2, iterations=50)),
        (["--solver", "gmres", "--restart", "10"], dict(solver="gmres", restart=10)),
        (["--layout", "csr", "--min-efficiency", "0.4"], dict(layouts="csr", min_efficiency=0.4)),
    ]:
        printed = program(
            "advise", matrix_files["blocks"], "--profile", "nvidia-h200",
            "--profile", "nvidia-h100", *arguments,
        )
        advice = sparsecast.advise(matrices["blocks"], ["nvidia-h200", "nvidia-h100"], **options)
        assert advice.to_dict() == printed


def test_advice_of_features_and_numbers_is_too(matrices, matrix_files, program):
    printed = program("advise", matrix_files["grid"], "--profile", "nvidia-h200")
    counted = sparsecast.count_features(matrices["grid"], "nvidia-h200")
    assert sparsecast.advise(counted, "nvidia-h200").to_dict() == printed
    printed = program(
        "advise", "--unknowns", "72000", "--elements", "39336485", "--block", "4",
        "--profile", "gtx280", "--max-devices", "4",
    )
    advice = sparsecast.advise_numbers(72000, 39336485, "bcsr4", "gtx280", max_devices=4)
    assert advice.to_dict() == printed


def test_choices_are_objects(matrices):
    advice = sparsecast.advise(matrices["grid"], ["nvidia-h200", "amd-epyc-zen4-2cores"])
    keys = advice.to_dict()
    assert len(advice.choices) == len(keys["choices"])
    assert advice.recommended.profile == keys["recommended"]["profile"]
    assert advice.recommended.gpus == keys["recommended"]["gpus"]
    assert advice.recommended.seconds == keys["recommended"]["compared_seconds"]
    assert advice.fewest.profile == keys["fewest_that_fit"]["profile"]
    assert [tie.profile for tie in advice.ties] == [tie["profile"] for tie in keys["ties"]]
    assert advice.recommended.prediction.layout == keys["recommended"]["layout"]


def test_maps_are_the_programs(matrices, matrix_files, program):
    printed = program(
        "map", matrix_files["grid"], "--profile", "gtx280", "--devices", "2", "--layout", "csr"
    )
    map = sparsecast.map("gtx280", {"grid": matrices["grid"]}, devices=2, layout="csr")
    assert map.to_dict() == printed
    values = np.array(printed["values"], dtype=float)
    assert np.array_equal(map.values, values, equal_nan=True)
    assert map.points[0].value == printed["points"][0]["value"]


def test_maps_of_the_traffic_model_are_of_its_predictions(grid):
    map = sparsecast.map("nvidia-h200", {"grid": grid}, devices=1, columns=4, rows=4)
    point = map.points[0]
    alone = sparsecast.predict_numbers(point.unknowns, point.elements, "csr", "nvidia-h200")
    assert map.quantity == "raw" and point.value == max(each.raw_gflops for each in alone)


def test_comparisons_are_the_programs(matrices, matrix_files, program):
    printed = program(
        "map", matrix_files["grid"], "--profile", "nvidia-h200", "--profile", "nvidia-h100",
        "--model", "paper", "--layout", "csr", "--precision", "f64",
    )
    profiles = [sparsecast.Profile(name, "paper") for name in ["nvidia-h200", "nvidia-h100"]]
    map = sparsecast.map(profiles, {"grid": matrices["grid"]}, layout="csr", precision="f64")
    assert map.to_dict() == printed
    names = [[name and map.profiles.index(name) for name in row] for row in printed["fastest"]]
    expected = np.array([[-1 if place is None else place for place in row] for row in names])
    assert np.array_equal(map.fastest, expected)


def test_our_conjugate_gradients_may_be_named(grid):
    alone = dict(devices=1, columns=4, rows=4)
    map = sparsecast.map("nvidia-h200", solver="fused", **alone)
    assert map.to_dict() == sparsecast.map("nvidia-h200", **alone).to_dict()
    advice = sparsecast.advise(grid, "nvidia-h200", solver="fused")
    assert advice.to_dict() == sparsecast.advise(grid, "nvidia-h200").to_dict()


def test_a_map_reports_progress():
    said = []
    sparsecast.map("gtx280", columns=300, rows=300, progress=said.append)
    assert said == sorted(said) and said[-1] == 1


def test_maps_are_drawn(grid, tmp_path):
    pytest.importorskip("matplotlib")
    for profiles in ["gtx280", ["nvidia-h200", "nvidia-h100"]]:
        map = sparsecast.map(profiles, {"grid": grid}, layout="csr", columns=16, rows=16)
        figure = map.plot()
        assert "grid" in [text.get_text() for text in figure.axes[0].texts]
        figure.savefig(tmp_path / "map.png")


def test_predictions_are_drawn(grid):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot

    predictions = sparsecast.predict(grid, "nvidia-h200")
    bars = predictions.plot().axes[0]
    assert len(bars.patches) == len(predictions)
    ax = matplotlib.pyplot.subplots()[1]
    measured = [1.1 * each.seconds_per_iteration for each in predictions]
    measured[0] = None
    assert predictions.plot(measured, ax) is ax.figure
    points = ax.lines[1].get_xydata()
    assert np.allclose(points[:, 1] / points[:, 0], 1.1)
    assert len(points) == len(predictions) - 1
    matplotlib.pyplot.close("all")


def test_bars_have_room_for_their_names(grid):
    pytest.importorskip("matplotlib")

    predictions = sparsecast.predict(
        grid, ["nvidia-h200", "nvidia-h100"], devices=[1, 2], solver=["cg", "bicgstab", "minres"]
    )
    assert len(predictions) > 24
    figure = predictions.plot()
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    heights = sorted((box.y0, box.y1) for box in boxes)
    assert all(one[1] <= next[0] for one, next in zip(heights, heights[1:]))


def test_intervals_that_nobody_knows_are_not_drawn(grid):
    pytest.importorskip("matplotlib")
    predictions = sparsecast.predict(
        grid, "nvidia-h200", devices=[1, 2], solver="cg", layouts="csr"
    )
    known = [each for each in predictions if each.interval_seconds is not None]
    assert 0 < len(known) < len(predictions)
    intervals = predictions.plot().axes[0].collections[0].get_segments()
    drawn = [each for each in intervals if len(each) == 2 and np.isfinite(each).all()]
    assert len(drawn) == len(known)


def test_axes_say_where_an_iteration_is_a_cycle(grid):
    pytest.importorskip("matplotlib")
    labels = []
    for solver in ["cg", "gmres"]:
        predictions = sparsecast.predict(grid, "nvidia-h200", solver=solver, layouts="csr")
        measured = [each.seconds_per_iteration for each in predictions]
        for figure in [predictions.plot(), predictions.plot(measured)]:
            labels.append("gmres: a cycle" in figure.axes[0].get_xlabel())
    assert labels == [False, False, True, True]


def test_long_times_are_drawn_in_larger_units(grid):
    pytest.importorskip("matplotlib")
    for iterations, unit, scale in [(1, "us", 1e6), (1000, "ms", 1e3), (10**7, "s", 1)]:
        predictions = sparsecast.predict(
            grid, "nvidia-h200", layouts="csr", launches="graph", iterations=iterations
        )
        axes = predictions.plot().axes[0]
        assert axes.get_xlabel().startswith(f"time of all iterations, {unit}, with")
        assert axes.patches[0].get_width() == pytest.approx(scale * predictions.best.total_seconds)


def test_ticks_at_the_edge_are_inside_the_figure(grid):
    pytest.importorskip("matplotlib")
    from matplotlib.ticker import FixedLocator

    figure = sparsecast.predict(grid, "nvidia-h200", layouts="csr").plot()
    ax = figure.axes[0]
    ax.set_xlim(0, 1000)
    ax.xaxis.set_major_locator(FixedLocator([0, 1000]))
    figure.canvas.draw()
    last = ax.get_xticklabels()[-1]
    assert last.get_text() == "1000"
    assert last.get_window_extent().x1 <= figure.bbox.x1


def test_raw_maps_have_colours_in_logarithms_and_labelled_isolines(grid):
    pytest.importorskip("matplotlib")
    from matplotlib.colors import LogNorm

    map = sparsecast.map("nvidia-h200", {"grid": grid}, devices=1, columns=24, rows=24)
    figure = map.plot()
    ax = figure.axes[0]
    assert isinstance(ax.collections[0].norm, LogNorm)
    texts = {text.get_text() for text in ax.texts}
    assert {"10", "100"} <= texts
    name = next(text for text in ax.texts if text.get_text() == "grid")
    assert name.get_path_effects()


def test_comparisons_have_labelled_isolines(grid):
    pytest.importorskip("matplotlib")
    map = sparsecast.map(["nvidia-h200", "nvidia-h100"], {"grid": grid}, columns=60, rows=60)
    assert {"1.1 x"} <= {text.get_text() for text in map.plot().axes[0].texts}


def test_legends_of_comparisons_cover_no_map():
    pytest.importorskip("matplotlib")
    figure = sparsecast.map(["nvidia-h200", "nvidia-h100"], columns=9, rows=9).plot()
    figure.canvas.draw()
    ax = figure.axes[0]
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= ax.get_window_extent().x1
    assert legend.x1 <= figure.bbox.x1


@pytest.mark.parametrize("time", [0, -1e-6, float("inf")])
def test_times_that_nobody_can_have_measured_are_refused(grid, time):
    pytest.importorskip("matplotlib")
    predictions = sparsecast.predict(grid, "nvidia-h200", layouts="csr")
    with pytest.raises(sparsecast.Error, match="measured: expected seconds above 0, found"):
        predictions.plot([time] * len(predictions))


def test_scatters_explain_their_line_and_have_ticks_within_a_decade(grid):
    pytest.importorskip("matplotlib")
    predictions = sparsecast.predict(grid, "nvidia-h200", layouts="csr")
    figure = predictions.plot([1.1 * each.seconds_per_iteration for each in predictions])
    ax = figure.axes[0]
    assert "as predicted" in [text.get_text() for text in ax.get_legend().get_texts()]
    low, high = ax.get_xlim()
    assert sum(low < tick < high for tick in ax.get_xticks()) >= 2


def test_without_libraries_figures_and_tables_say_what_to_install(grid, monkeypatch):
    import sys

    predictions = sparsecast.predict(grid, "nvidia-h200")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sparsecast.Error, match="python3-matplotlib"):
        predictions.plot()
    with pytest.raises(sparsecast.Error, match="python3-pandas"):
        predictions.to_pandas()


def test_dollars_in_names_are_no_formulas(grid, tmp_path):
    pytest.importorskip("matplotlib")
    odd = r"a$\frac$b"
    path = tmp_path / "own$\\frac$.json"
    shutil.copy(SOURCE / "profiles" / "nvidia-h200.json", path)
    for profiles in [path, [path, "nvidia-h100"]]:
        map = sparsecast.map(profiles, {odd: grid}, columns=9, rows=9)
        map.plot().canvas.draw()
    predictions = sparsecast.predict(grid, path, layouts="csr")
    figure = predictions.plot()
    figure.canvas.draw()
    label = figure.axes[0].get_yticklabels()[0].get_text()
    assert label.endswith(r"own\$\frac\$")


def test_figures_refuse_what_they_cannot_draw(grid):
    pytest.importorskip("matplotlib")
    predictions = sparsecast.predict(grid, "nvidia-h200", layouts="csr")
    for call, expected in [
        (lambda: predictions.plot(measured=3), "measured: expected seconds.*, found int$"),
        (lambda: predictions.plot(["a"] * len(predictions)), "measured: expected .*found str$"),
        (lambda: predictions.plot(ax=5), "ax: expected matplotlib's axes, found int$"),
        (lambda: sparsecast.Predictions().plot(), "predictions: expected at least one$"),
        (lambda: sparsecast.Predictions([1]).plot(), "predictions: expected predictions"),
    ]:
        with pytest.raises(sparsecast.Error, match=expected) as caught:
            call()
        assert "\n" not in str(caught.value)
