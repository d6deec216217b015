"""Mutation testing of a module: changes one operator, comparison or constant at a time and runs the given tests.

Run as ``python bench/mutants.py MODULE.py… --tests TEST.py…``. Prints one JSON object with the share of mutants that
the tests kill and each survivor with its line. Works on a copy; the checkout stays as it is.
"""

import argparse
import ast
import copy
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
}


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Each mutant of a module: its line, what was changed, and the changed source."""
    tree = ast.parse(source)
    places = [node for node in ast.walk(tree) if _changes(node)]
    for index, place in enumerate(places):
        for number in range(len(_changes(place))):
            changed = copy.deepcopy(tree)
            node = [n for n in ast.walk(changed) if _changes(n)][index]
            before = ast.unparse(node)
            _changes(node)[number]()
            yield getattr(place, "lineno", 0), f"{before} -> {ast.unparse(node)}", ast.unparse(changed)


def _changes(node: ast.AST) -> list[Any]:
    """The ways to change a node, as functions that do it."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARE:
        return [lambda: node.ops.__setitem__(0, _COMPARE[type(node.ops[0])]())]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return [lambda: setattr(node, "op", _BINARY[type(node.op)]())]
    if isinstance(node, ast.BoolOp):
        return [lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), node.operand))]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [lambda: setattr(node, "value", node.value + 1)]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [lambda: setattr(node, "value", not node.value)]
    return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--tests", nargs="+", required=True)
    arguments = parser.parse_args()
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("viska_assets", "tests", "bench", "pyproject.toml", "docs"):
            source = ROOT / name
            target = Path(folder) / name
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        for module in arguments.modules:
            report[module] = _run(Path(folder), module, arguments.tests)
    print(json.dumps(report, indent=2))


def _run(folder: Path, module: str, tests: list[str]) -> dict[str, Any]:
    file = folder / module
    original = file.read_text("utf-8")
    survivors: list[str] = []
    total = 0
    for line, change, source in mutants(original):
        total += 1
        file.write_text(source, "utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", *tests]
        try:
            alive = subprocess.run(command, cwd=folder, capture_output=True, timeout=120).returncode == 0
        except subprocess.TimeoutExpired:
            alive = False
        if alive:
            survivors.append(f"{line}: {change}")
        print(f"{module}:{line} {'SURVIVES' if alive else 'killed'} {change}", file=sys.stderr)
    file.write_text(original, "utf-8")
    return {
        "mutants": total,
        "killed": total - len(survivors),
        "share": round(1 - len(survivors) / (total or 1), 4),
        "survivors": survivors,
    }


if __name__ == "__main__":
    main()
