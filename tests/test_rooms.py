"""Arrows point one way: what a module imports, at its top or on use, lies in its own package or in one above it in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tamis"


@cache
def modules() -> dict[str, Path]:
    """Modules by their names within the package."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str) -> set[str]:
    """The modules of the package that a module imports, but for what only types need."""
    found: set[str] = set()
    for node in runtime_nodes(ast.parse(modules()[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for each in names:
            if each.startswith("tamis."):
                target = each.removeprefix("tamis.")
                found.add(target if target in modules() else target.rpartition(".")[0])
    return {each for each in found if each in modules() and each} - {name}


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            left += node.orelse
            continue
        yield node
        left += ast.iter_child_nodes(node)


def packages() -> dict[str, int]:
    """The rows of the table in docs/architecture.md, from the top, by the names of packages."""
    table = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Packages")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name.rstrip("/"): row for row, names in enumerate(rows) for name in re.findall(r"`([^`]+)`", names)}


def test_every_module_stands_in_the_table_of_packages():
    known = packages()
    assert {name.split(".")[0] for name in modules()} - {"", "__main__"} - set(known) == set()
    assert {name for name in known if name not in {each.split(".")[0] for each in modules()}} == set()


def test_imports_point_up_the_table():
    known = packages()
    wrong = {
        (name, each)
        for name in modules()
        if name and not name.endswith("__main__")  # what starts things knows the command line
        for each in imported(name)
        if known.get(each.split(".")[0], 0) > known.get(name.split(".")[0], 0)
    }
    assert wrong == set()


def test_no_module_comes_back_to_itself():
    arrows = {name: imported(name) for name in modules()}
    while free := [name for name, targets in arrows.items() if not targets & set(arrows)]:
        for name in free:
            del arrows[name]
    assert arrows == {}


def test_the_top_of_the_package_has_at_most_sixteen_packages():
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert len(packages) <= 16, sorted(packages)
    assert {path.stem for path in PACKAGE.glob("*.py")} == {"__init__", "__main__", "errors"}


def test_the_table_of_what_to_add_names_files_that_are_there():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add")[2].partition("\n**")[0]
    rows = [line.split("|")[1:4] for line in table.splitlines() if line.startswith("| a")]
    assert rows
    for _, write, register in rows:
        for name in re.findall(r"`([a-z_]+/[\w/.]*)", f"{write} {register}"):
            place = name.replace("NAME.py", "")
            assert any((root / place).exists() for root in (PACKAGE, ROOT)), name
        for constant, home in re.findall(r"`([A-Z]+)`, `([\w/]+\.py)`", register):
            assert re.search(rf"^{constant}\b", (PACKAGE / home).read_text(encoding="utf-8"), re.MULTILINE), constant


def test_no_class_and_no_private_helper_has_the_name_of_another():
    """A name says one thing: no class and no private function of a module is called like one of another module."""
    owners: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            private = isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.startswith("__")
            if private or isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: paths for name, paths in owners.items() if len(set(paths)) > 1} == {}
