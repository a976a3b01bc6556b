"""Ctrl-C ends what takes long, and keeps what was measured."""

import signal
import subprocess
import sys

import pytest

SET_UP = """
import numpy as np
import scipy.sparse
import sparsecast
line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(400, 400))
A = scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))
b = np.ones(A.shape[0])
def said(done):
    print("running", flush=True)
"""

CALLS = {
    "solve": "sparsecast.solve(A, b, iterations=10**9, progress=said)",
    "map": "sparsecast.map('nvidia-h200', columns=2000, rows=2000, progress=said)",
    "comparison": "sparsecast.map(['nvidia-h200', 'nvidia-h100'], columns=2000, rows=2000,"
    " progress=said)",
    "calibrate": "sparsecast.calibrate(out='mine.json', progress=said)",
    "count": "sparsecast.count_iterations(A, solver='richardson', rtol=1e-14, max_iterations=10**9,"
    " count_seconds=10**6, progress=said)",
    "time to solution": "sparsecast.predict(A, 'nvidia-h200', solver='richardson', rtol=1e-14,"
    " max_iterations=10**9, count_seconds=10**6, progress=said)",
    "predict": "said(0)\n    while True: sparsecast.predict(A, 'nvidia-h200', devices=[1, 2, 4])",
}


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends(call, tmp_path):
    script = (
        f"{SET_UP}\ntry:\n    {CALLS[call]}\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert run.stdout.readline() == "running\n"
        run.send_signal(signal.SIGINT)
        rest, _ = run.communicate(timeout=120)
    finally:
        run.kill()
    assert rest.splitlines()[-1] == "interrupted"
    assert run.returncode == 0


def test_an_interrupted_calibration_goes_on(tmp_path):
    script = """
import sparsecast
calls = 0
def progress(done):
    global calls
    calls += 1
    if calls == 40:
        raise KeyboardInterrupt
try:
    sparsecast.calibrate(quick=True, precision="f32", out="mine.json", progress=progress)
except KeyboardInterrupt:
    pass
try:
    sparsecast.calibrate(quick=True, precision="f32", out="mine.json")
except sparsecast.Error as error:
    print(error)
calibration = sparsecast.calibrate(quick=True, precision="f32", out="mine.json", resume=True)
print(calibration.profile.kind, calibration.profile.precisions)
"""
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    refused, fitted = run.stdout.splitlines()
    assert "mine.partial.samples.csv is an unfinished calibration" in refused
    assert fitted == "cpu ['f32']"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.json", "mine.samples.csv"]
