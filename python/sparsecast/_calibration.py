"""Profiles: measured, fitted again, and estimated."""

from . import _arguments, _core


def network_names():
    """The networks that ship, for `Profile.on_network`.

    >>> "ndr400" in sparsecast.network_names()
    True
    """
    return _core.network_names()


def profile_names():
    """The names of the profiles that ship.

    >>> "nvidia-h200" in sparsecast.profile_names()
    True
    """
    return _core.profile_names()


def data_sheet_names():
    """The GPUs whose data sheets ship, by the names that `relative_profile` takes.

    >>> "h100-pcie" in sparsecast.data_sheet_names()
    True
    """
    return _core.data_sheet_names()


def relative_profile(relative, gpu, name=None):
    """The `Profile` of a GPU that nobody has measured, from a relative's and the data sheets of both.

    relative: a profile that was calibrated, or its name. gpu: a name (`data_sheet_names`). name:
    the profile's; default the GPU's.

    >>> sparsecast.relative_profile("nvidia-h200", "h100-pcie").origin
    'estimated from nvidia-h200 by data sheets; nobody has measured it'
    """
    return _core.relative_profile(_arguments.profile(relative), gpu, name)


def calibrate(
    device=None,
    *,
    out=None,
    like=None,
    quick=False,
    precision=None,
    threads=None,
    seed=None,
    resume=False,
    overwrite=False,
    progress=None,
):
    """Measures a device and fits its profile: `Calibration`.

    Takes about three minutes on a CPU that is left alone, up to six on one that is not: what others
    disturb is measured again. A GPU takes half of that.
    device: "cpu" (default) or "cuda:0". out: NAME.json, the profile to write, with NAME.samples.csv
    beside it; samples are kept in NAME.partial.samples.csv meanwhile, so that Ctrl-C loses nothing:
    resume goes on from there. like: the profile of a relative of this GPU; twenty seconds then do.
    quick: fewer samples, half a minute. precision: only "f32" or only "f64". threads: of the CPU;
    default all. seed: of the random sizes and matrices. overwrite: files that are there. progress:
    called with the share that is done, 0 to 1.

    >>> calibration = sparsecast.calibrate("cpu", quick=True)  # doctest: +SKIP
    >>> calibration.write("mine.json")  # doctest: +SKIP
    """
    return _core.calibrate(
        dict(
            device=device,
            out=out,
            like=None if like is None else _arguments.profile(like),
            quick=quick,
            precision=precision,
            threads=threads,
            seed=seed,
            resume=resume,
            overwrite=overwrite,
        ),
        progress,
    )


def refit(samples, *, out=None, like=None, overwrite=False):
    """Fits samples again, without the device: `Calibration`.

    Takes up to two minutes on samples of a whole calibration, and says nothing meanwhile.

    samples: a samples file, plain or .gz, or several of one device, of which the fastest of each
    sample counts. out, like, overwrite: as of `calibrate`.

    >>> sparsecast.refit("shipped.samples.csv.gz").profile.kind
    'cpu'
    """
    return _core.refit(
        _arguments.paths("samples", samples),
        dict(
            out=out,
            like=None if like is None else _arguments.profile(like),
            overwrite=overwrite,
        ),
    )
