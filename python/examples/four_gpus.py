"""Which solver, which layout, how many GPUs: forecast for a system that is assembled here.

Convection and diffusion on a cube, discretised with 7 points, as scipy assembles it. Nothing runs on
a GPU: times are forecast from the profiles that ship. Writes solvers.png and fastest.png.

    PYTHONPATH=build/python /usr/bin/python3 python/examples/four_gpus.py
"""

import numpy as np
import scipy.sparse as sp

import sparsecast

# %% Assemble: -div(grad u) + wind . grad u on n x n x n points.
n = 60
wind = 0.4


def along_one_axis(drift):
    diagonals = [-1.0 - drift, 2.0, -1.0 + drift]
    return sp.diags(diagonals, [-1, 0, 1], shape=(n, n))


def on_the_cube(x, y, z):
    return sp.csr_matrix(sp.kronsum(sp.kronsum(x, y), z))


symmetric = on_the_cube(*(along_one_axis(0) for _ in range(3)))
drifting = on_the_cube(*(along_one_axis(wind) for _ in range(3)))
counts = sparsecast.features(drifting)
print(f"{counts.rows} unknowns, {counts.nonzeros} nonzeros, bandwidth {counts.bandwidth}")

# %% Forecast: times to solution on one, two and four GPUs. Iterations are counted here, on the CPU. These are what to
# compare solvers by: an iteration of GMRES is a cycle of 30 steps. CG needs the symmetric matrix.
profile = sparsecast.Profile("nvidia-h200")
devices = [1, 2, 4]
rtol = 1e-8
forecasts = sparsecast.Predictions(
    sparsecast.predict(symmetric, profile, devices=devices, solver="cg", rtol=rtol)
    + sparsecast.predict(
        drifting, profile, devices=devices, solver=["bicgstab", "gmres"], restart=30, rtol=rtol
    )
)
print(
    f"\n{'solver':10} {'GPUs':>4}  {'layout':8} {'us an iteration':>15}  {'90 % interval':>15}"
    f"  {'iterations':>10}  {'ms to solution':>14}"
)
fastest = sparsecast.Predictions()  # layout of each
for solver in ["cg", "bicgstab", "gmres"]:
    for count in devices:
        best = min(
            (each for each in forecasts if (each.schedule, each.devices) == (solver, count)),
            key=lambda each: each.total_seconds,
        )
        fastest.append(best)
        interval = "-"  # where nothing of the kind was calibrated
        if best.interval_seconds is not None:
            low, high = best.interval_seconds
            interval = f"{1e6 * low:.1f} to {1e6 * high:.1f}"
        print(
            f"{solver:10} {count:4}  {best.layout:8} {1e6 * best.seconds_per_iteration:15.1f}"
            f"  {interval:>15}  {best.iterations:10}  {1e3 * best.total_seconds:14.2f}"
        )

# %% Why: where an iteration of BiCGStab on one GPU goes.
alone = sparsecast.predict(drifting, profile, solver="bicgstab")
explanation = sparsecast.explain(alone.best, alone)
print(f"\n{100 * explanation.bound_share:.0f} % of BiCGStab's iteration: {explanation.bound}")
for sentence in explanation.advice:
    print(" ", sentence)

# %% Check a count: the solver itself runs on the CPU.
solution = sparsecast.solve(drifting, np.ones(n**3), solver="bicgstab", rtol=rtol)
print(f"\nBiCGStab: {solution.outcome} after {solution.iterations} iterations")

# %% Draw.
fastest.plot().savefig("solvers.png")
sparsecast.map(
    ["nvidia-h200", "nvidia-h100", "amd-epyc-zen4-2cores"], {"cube": drifting}, columns=48, rows=48
).plot().savefig("fastest.png")

# %% Decide: how many GPUs of which kind for so many iterations.
advice = sparsecast.advise(
    drifting,
    ["nvidia-h200", "nvidia-h100", "amd-epyc-zen4-2cores"],
    max_devices=4,
    solver="bicgstab",
    iterations=solution.iterations,
)
chosen = advice.recommended
what = {0: "the CPU", 1: "1 GPU"}.get(chosen.gpus, f"{chosen.gpus} GPUs")
print(f"\nUse {what} of {chosen.profile}, layout {chosen.prediction.layout}: {advice.reason}.")
