"""Examples run, and stubs say what is there."""

import ast
import doctest
import importlib.util
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.io

import sparsecast
from conftest import laplacian

SOURCE = pathlib.Path(os.environ["SPARSECAST_SOURCE"])
PACKAGE = pathlib.Path(sparsecast.__file__).parent
NEEDS = {"to_pandas": "pandas", "plot": "matplotlib"}
STUBS = ast.parse((PACKAGE / "__init__.pyi").read_text())


def members(kind):
    """Public members of a class, those of its bases left out, and what Python calls itself."""
    inherited = set().union(*(dir(base) for base in kind.__mro__[1:]))
    return {name for name in vars(kind) if not name.startswith("_") and name not in inherited}


def documented():
    """Every name that a user meets, with what it is."""
    found = {"sparsecast": sparsecast}
    for name in sparsecast.__all__:
        value = getattr(sparsecast, name)
        found[name] = value
        if inspect.isclass(value):
            for member in members(value):
                found[f"{name}.{member}"] = inspect.getattr_static(value, member)
    return found


def text_of(value):
    return inspect.getdoc(value) or ""


@pytest.mark.parametrize("name", documented())
def test_examples_run(name, tmp_path, monkeypatch):
    text = text_of(documented()[name])
    assert text, f"{name} has no documentation"
    if ">>>" not in text:
        return
    if name.split(".")[-1] in NEEDS:
        pytest.importorskip(NEEDS[name.split(".")[-1]])
    monkeypatch.chdir(tmp_path)
    scipy.io.mmwrite("box.mtx", laplacian(27)[:27, :27])
    # Files of calibrations and validations, which measure. Calls that do are skipped.
    of_a_cpu = "amd-epyc-zen4-2cores"
    shutil.copy(SOURCE / "profiles" / f"{of_a_cpu}.samples.csv.gz", "shipped.samples.csv.gz")
    shutil.copy(SOURCE / "docs" / "validation" / f"{of_a_cpu}.csv", "raw.csv")
    names = {"sparsecast": sparsecast, "np": np, "A": laplacian(50)}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    report = []
    runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


@pytest.mark.parametrize("name", sparsecast.__all__)
def test_public_names_have_an_example(name):
    assert ">>>" in text_of(getattr(sparsecast, name))


def stubs(kind):
    return {node.name: node for node in STUBS.body if isinstance(node, kind)}


def parameters_of(stub):
    """(name, kind, has a default) of each parameter."""
    args = stub.args
    positional = args.posonlyargs + args.args
    defaults = [False] * (len(positional) - len(args.defaults)) + [True] * len(args.defaults)
    all = [(arg.arg, "positional", default) for arg, default in zip(positional, defaults)]
    for arg, default in zip(args.kwonlyargs, args.kw_defaults):
        all.append((arg.arg, "keyword", default is not None))
    return all


def test_every_public_name_has_a_stub():
    named = set(stubs(ast.FunctionDef)) | set(stubs(ast.ClassDef))
    assert named == set(sparsecast.__all__)
    assert (PACKAGE / "py.typed").exists()
    public = {name for name, value in vars(sparsecast).items() if not name.startswith("_")}
    assert {name for name in public if not inspect.ismodule(getattr(sparsecast, name))} == set(
        sparsecast.__all__
    )


def runtime_parameters(function):
    kinds = {
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
    }
    return [
        (each.name, kinds[each.kind], each.default is not inspect.Parameter.empty)
        for each in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize("name", stubs(ast.FunctionDef))
def test_stubs_of_functions_agree(name):
    assert parameters_of(stubs(ast.FunctionDef)[name]) == runtime_parameters(
        getattr(sparsecast, name)
    )


def bound_parameters(method):
    """Of a method that is compiled: its signature is the first line of its documentation."""
    inside = re.match(r"\w+\((.*)\) ->", method.__doc__.strip().splitlines()[0]).group(1)
    found, kind = [], "positional"
    for each in filter(None, inside.split(", ")):
        if each == "*":
            kind = "keyword"
        else:
            found.append((each.split(":")[0], kind, "=" in each))
    return found


@pytest.mark.parametrize("name", stubs(ast.ClassDef))
def test_stubs_of_classes_agree(name):
    kind = getattr(sparsecast, name)
    body = {n.name: n for n in stubs(ast.ClassDef)[name].body if isinstance(n, ast.FunctionDef)}
    assert {member for member in body if not member.startswith("_")} == members(kind)
    for member, stub in body.items():
        value = inspect.getattr_static(kind, member)
        decorators = {each.id for each in stub.decorator_list}
        assert ("property" in decorators) == isinstance(value, property), member
        if isinstance(value, property) or member == "__iter__":
            continue
        method = getattr(kind, member)
        found = (
            runtime_parameters(method) if inspect.isfunction(method) else bound_parameters(method)
        )
        assert parameters_of(stub) == found, member


def test_stubs_pass_mypy():
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("no mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--ignore-missing-imports", str(PACKAGE / "__init__.pyi")],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("example", sorted((SOURCE / "python" / "examples").glob("*.py")), ids=str)
def test_example_scripts_run(example, tmp_path):
    pytest.importorskip("matplotlib")
    run = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "Use " in run.stdout
    assert list(tmp_path.glob("*.png"))


def test_the_page_names_what_is_there():
    page = (SOURCE / "docs" / "python.md").read_text()
    for name in re.findall(r"`sparsecast\.(\w+)", page):
        assert hasattr(sparsecast, name), name


def test_the_pages_code_runs(tmp_path, monkeypatch):
    page = (SOURCE / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) > 3
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(block, names)
