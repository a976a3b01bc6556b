"""The solver that forecasts are about."""

from . import _arguments, _core


def solve(
    A,
    b,
    x0=None,
    *,
    device=None,
    solver=None,
    restart=None,
    precondition=None,
    settings=None,
    layout=None,
    precision=None,
    rtol=None,
    atol=None,
    iterations=None,
    max_iterations=None,
    stop=None,
    launch=None,
    exchange=None,
    threads=None,
    history=False,
    progress=None,
):
    """Solves A x = b: `SolveResult`, whatever the outcome.

    A: a square matrix, as of `features`. b: as many values. x0: where to start; default 0. device:
    "cpu" (default), "cuda:0" or "cuda:0,cuda:1". solver: a name (`solver_names`) or a `Schedule`;
    default conjugate gradients with Jacobi preconditioning, for symmetric positive definite
    matrices. restart, precondition, settings: as of `predict`. layout: how A is stored; default
    "csr". precision: "f32" or "f64" (default). rtol: ends at ||b - A x|| <= rtol ||b||; this, with
    1e-8, is the rule unless another is given. atol: Algorithm 1's own test. iterations: exactly so
    many. max_iterations: at most; default ten times the unknowns. stop: "residual", or
    "preconditioned": rtol is of sqrt(r.D^-1 r) against the first. launch, exchange: as of GPUs.
    threads: of the CPU; default all. history: keep the residual's norm after each iteration.
    progress: called with the share that is done, 0 to 1.

    Ctrl-C ends it. Raises `Error` where A is not symmetric and the solver needs it.

    >>> solution = sparsecast.solve(A, np.ones(2500), rtol=1e-10, history=True)
    >>> solution.outcome, bool(np.linalg.norm(A @ solution.x - 1) < 1e-8 * 50)
    ('converged', True)
    """
    options = _arguments.options(locals(), "A", "b", "x0", "progress")
    return _core.solve(
        _arguments.matrix(A),
        b,
        x0,
        options,
        progress,
    )


def solver_names():
    """Solvers that come with the program, by the names that `solver` arguments take.

    >>> "gmres" in sparsecast.solver_names()
    True
    """
    return _core.solver_names()
