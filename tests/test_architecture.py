"""The shape of the package: who may import whom, what is public, what an import costs."""

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard

ROOT = Path(steelyard.__file__).parent

# A package may import those of earlier rows. The facade and the command line may import anything,
# and they alone import what makes and judges models.
ROWS = [
    ["__about__", "errors"],
    ["files", "types"],
    ["agents", "client", "metrics", "models", "prompt"],
    ["tokens"],
    ["backbone"],
    ["readout"],
    ["calibration"],
    ["engine"],
    ["data"],
    ["bulk", "server"],
    ["data"],
    ["training", "evaluation", "probe"],
    ["cli", "__init__", "__main__"],
]
RANK = {package: rank for rank, row in enumerate(ROWS) for package in row}
FREE = ROWS[-1]

# Loading any of these makes a command feel slow, or fails where an extra is not installed.
HEAVY = [
    "fastapi", "gguf", "httpx", "huggingface_hub", "jinja2", "langchain_core", "llama_cpp", "mcp",
    "numpy", "openvino", "opentelemetry", "pandas", "polars", "prometheus_client", "pyarrow",
    "pydantic_ai", "safetensors", "scipy", "sklearn", "tokenizers", "torch", "transformers",
    "uvicorn",
]  # fmt: skip

SOURCES = sorted(ROOT.rglob("*.py"))


def package_of(source: Path) -> str:
    return source.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(source: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted module or name) of every import of steelyard, also inside functions."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}:{node.lineno}: relative import"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def wrong_imports(source: Path) -> list[str]:
    package = package_of(source)
    wrong = []
    for line, name in imported(source):
        parts = name.split(".")
        if parts[0] != "steelyard" or package in FREE:
            continue
        target = parts[1] if len(parts) > 1 else "__init__"
        if target != package and RANK.get(target, len(ROWS)) >= RANK[package]:
            wrong.append(f"{source.relative_to(ROOT)}:{line} imports {name}")
    return wrong


def test_every_package_has_its_place_in_the_line():
    assert {package_of(source) for source in SOURCES} <= set(RANK)


def test_imports_point_one_way():
    assert [line for source in SOURCES for line in wrong_imports(source)] == []


def test_the_check_of_imports_sees_each_form(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    source = tmp_path / "prompt" / "layout.py"
    source.parent.mkdir()
    source.write_text(
        "import steelyard\n"
        "import steelyard.engine\n"
        "from steelyard import load\n"
        "from steelyard.metrics.scores import accuracy\n"
        "from steelyard.prompt.branch import Branch\n"
        "from steelyard.types import Noul\n"
        "def late():\n"
        "    from steelyard.tokens import plan\n"
    )
    lines = [int(line.split(":")[1].split()[0]) for line in wrong_imports(source)]
    assert sorted(lines) == [1, 2, 3, 4, 8]


def test_types_and_errors_need_the_standard_library_only():
    for source in SOURCES:
        if package_of(source) in ("__about__", "__init__", "errors", "types"):
            for line, name in imported(source):
                top = name.split(".")[0]
                assert top == "steelyard" or top in sys.stdlib_module_names, f"{source}:{line}"


# -- what is public ---------------------------------------------------------------------------


def test_every_error_is_public():
    from steelyard import errors

    tree = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert tree <= set(steelyard.__all__)
    codes = [getattr(errors, name).code for name in tree]
    assert len(codes) == len(set(codes))
    for name in tree:  # the tree drawn at the top of the module is complete
        assert f"{name} " in errors.__doc__ and f" {getattr(errors, name).code}" in errors.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'steelyard' has no attribute 'Bool'"):
        steelyard.Bool  # noqa: B018


def declares_exports(source: Path) -> bool:
    return any(
        isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for node in ast.parse(source.read_text(encoding="utf-8")).body
    )


@pytest.mark.parametrize(
    "source",
    [source for source in SOURCES if declares_exports(source)],
    ids=lambda source: str(source.relative_to(ROOT)),
)
def test_declared_exports_are_sorted_and_exist(source):
    name = ".".join(["steelyard", *source.relative_to(ROOT).with_suffix("").parts])
    module = importlib.import_module(name.removesuffix(".__init__"))
    assert module.__all__ == sorted(set(module.__all__))
    assert [public for public in module.__all__ if not hasattr(module, public)] == []


# -- what an import costs ---------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """Top-level modules in memory after a fresh interpreter has run `code`."""
    report = "\nimport sys; print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code + report],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT.parent)},
    )
    return set(done.stdout.split("LOADED ")[1].split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_by("import steelyard; steelyard.Noul").isdisjoint(HEAVY)


def test_help_loads_nothing_heavy():
    code = (
        "import runpy, sys\n"
        "sys.argv = ['steelyard', '--help']\n"
        "try: runpy.run_module('steelyard', run_name='__main__', alter_sys=True)\n"
        "except SystemExit as end: assert not end.code, end.code\n"
    )
    assert loaded_by(code).isdisjoint(HEAVY)
