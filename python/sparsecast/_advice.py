"""How many devices of which kind."""

from . import _arguments, _core


def advise(
    A,
    profiles,
    *,
    max_devices=None,
    min_efficiency=_core.defaults["min_efficiency"],
    layouts=None,
    precision=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    curve=None,
    iterations=None,
    rtol=None,
    rhs=None,
    max_iterations=None,
    count_on=None,
    count_seconds=None,
    renumber=None,
    progress=None,
):
    """How many devices of which profile to use: `Advice`.

    max_devices: most to consider; default as many as a profile's machine has. min_efficiency:
    parallel efficiency that a choice must keep, more than 0 and at most 1. solver: one, default
    conjugate gradients of ours. iterations: compare whole solves of so many. rtol: compare times to
    solution, by solver, precision, layout and devices; solver may then be several, default all that
    fit, and without precision both are compared, f32 where it is exact enough. The others: as of
    `predict`. Times are in seconds. Raises `Error` where the matrix fits nowhere, and with rtol
    where no solver converges.

    >>> advice = sparsecast.advise(A, ["nvidia-h200", "amd-epyc-zen4-2cores"])
    >>> advice.recommended.fits
    True
    >>> advice = sparsecast.advise(A, "nvidia-h200", rtol=1e-8, solver=["cg", "minres"])
    >>> advice.recommended.prediction.count.solves
    True
    """
    options = _arguments.options(locals(), "A", "profiles", "progress")
    return _core.advise(
        _arguments.subject(A),
        _arguments.profiles(profiles),
        options,
        progress,
    )


def advise_numbers(
    unknowns,
    elements,
    layout,
    profiles,
    *,
    deviation=None,
    longest=None,
    mean_distance=None,
    neighbours=None,
    similarity=None,
    max_devices=None,
    min_efficiency=_core.defaults["min_efficiency"],
    precision=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    curve=None,
    iterations=None,
):
    """The same from numbers alone: as of `predict_numbers` and `advise`.

    >>> sparsecast.advise_numbers(1e6, 5e6, "csr", "nvidia-h200", max_devices=1).recommended.gpus
    1
    """
    options = _arguments.options(locals(), "profiles")
    return _core.advise_numbers(
        _arguments.profiles(profiles),
        options,
    )
