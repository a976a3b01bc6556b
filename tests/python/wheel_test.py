"""What pyproject.toml says, done as its back end does it: configured with the back end's variables,
the component installed where pip unpacks a wheel, and imported. The module is the one at hand."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import sparsecast

tomllib = pytest.importorskip("tomllib")  # Python 3.11

SOURCE = pathlib.Path(os.environ["SPARSECAST_SOURCE"])
CMAKE = os.environ["SPARSECAST_CMAKE"]


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((SOURCE / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def wheel(project, tmp_path_factory):
    """Configured, and installed: the folders of the build, of the prefix and of packages in it."""
    folder = tmp_path_factory.mktemp("wheel")
    prefix, build = folder / "prefix", folder / "build"
    packages = prefix / "lib" / "python" / "site-packages"
    back_end = project["tool"]["scikit-build"]
    defined = {
        **back_end["cmake"]["define"],
        "CMAKE_BUILD_TYPE": back_end["cmake"]["build-type"],
        "CMAKE_INSTALL_PREFIX": packages,
        "SKBUILD_DATA_DIR": prefix,
        "SKBUILD_PLATLIB_DIR": packages,
        "CMAKE_CXX_COMPILER": os.environ["SPARSECAST_CXX"],
        "Python3_EXECUTABLE": sys.executable,
        # Looking for them takes longer than all else, and nothing is compiled here.
        "SPARSECAST_CUDA": "OFF",
        "SPARSECAST_MPI": "OFF",
    }
    options = [f"-D{name}={value}" for name, value in defined.items()]
    run(CMAKE, "-S", SOURCE, "-B", build, "-G", os.environ["SPARSECAST_GENERATOR"], *options)
    shutil.copy(sparsecast._core.__file__, build / "python" / "sparsecast")
    for component in back_end["install"]["components"]:
        run(CMAKE, "--install", build, "--component", component)
    return build, prefix, packages


def test_its_targets_are_there(project, wheel):
    known = run(CMAKE, "--build", wheel[0], "--target", "help").replace(":", " ").split()
    assert set(project["tool"]["scikit-build"]["build"]["targets"]) <= set(known)


def test_its_version_is_the_programs(project):
    version = project["tool"]["scikit-build"]["metadata"]["version"]
    text = (SOURCE / version["input"]).read_text()
    assert re.search(version["regex"], text)["value"] == sparsecast.__version__


def test_a_wheel_holds_the_package_and_the_profiles(wheel):
    _, prefix, packages = wheel
    assert [each.name for each in packages.iterdir()] == ["sparsecast"]
    names = {each.name for each in (SOURCE / "python" / "sparsecast").iterdir() if each.is_file()}
    names.add(pathlib.Path(sparsecast._core.__file__).name)
    assert {each.name for each in (packages / "sparsecast").iterdir()} == names
    profiles = prefix / "share" / "sparsecast" / "profiles"
    shipped = {each.name for each in (SOURCE / "profiles").glob("*.json")}
    assert {each.name for each in profiles.iterdir()} == shipped


def test_its_module_finds_the_profiles_beside_it(wheel, tmp_path):
    _, prefix, packages = wheel
    moved = tmp_path / "moved"
    shutil.copytree(prefix, moved)
    profiles = moved / "share" / "sparsecast" / "profiles"
    shutil.copy(profiles / "gtx280.json", profiles / "only_here.json")
    environment = {**os.environ, "PYTHONPATH": str(moved / packages.relative_to(prefix))}
    environment.pop("SPARSECAST_PROFILES", None)
    forecast = "import sparsecast; print(sparsecast.predict_numbers(1e6, 5e6, 'csr', 'only_here').best)"
    said = run(sys.executable, "-B", "-c", forecast, env=environment, cwd=tmp_path)
    assert "only_here" in said
