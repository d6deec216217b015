"""Mutation testing of a module: changes one operator, comparison or constant at a time and runs the given tests.

Run as ``python bench/mutants.py MODULE.py… --tests TEST.py…``. Prints one JSON object with the share of mutants that
the tests kill and each survivor with its line. The checkout stays as it is.

One sort of mutant is not counted: one that can change message text only. By rule these are the places inside an
f-string, and inside the value of a name or argument that is called ``message``, ``hint``, ``detail`` or ``reason``.
"""

import argparse
import ast
import copy
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
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
    words = _message_text(tree)
    places = [node for node in ast.walk(tree) if _changes(node)]
    for index, place in enumerate(places):
        if place in words:
            continue
        for number in range(len(_changes(place))):
            changed = copy.deepcopy(tree)
            node = [n for n in ast.walk(changed) if _changes(n)][index]
            before = ast.unparse(node)
            _changes(node)[number]()
            yield getattr(place, "lineno", 0), f"{before} -> {ast.unparse(node)}", ast.unparse(changed)


_WORDS = frozenset({"message", "hint", "detail", "reason"})


def _message_text(tree: ast.AST) -> frozenset[ast.AST]:
    """The nodes that can change message text only (see the module's rule)."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        named = isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in _WORDS for t in node.targets)
        given = isinstance(node, ast.keyword) and node.arg in _WORDS
        if isinstance(node, ast.JoinedStr) or named or given:
            found.update(ast.walk(node))
    return frozenset(found)


def _changes(node: ast.AST) -> list[Any]:
    """The ways to change a node, as functions that do it."""
    if isinstance(node, ast.Compare):
        places = [place for place, op in enumerate(node.ops) if type(op) in _COMPARE]
        return [lambda p=place: node.ops.__setitem__(p, _COMPARE[type(node.ops[p])]()) for place in places]
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


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from changed source."""

    def __init__(self, name: str, source: str) -> None:
        self._name, self._source = name, source

    def find_spec(self, fullname: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """The changed module, and no other."""
        return importlib.machinery.ModuleSpec(fullname, self, origin=str(ROOT)) if fullname == self._name else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """The default module object."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self._source, self._name, "exec"), module.__dict__)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--tests", nargs="+", required=True)
    arguments = parser.parse_args()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(ROOT))
    for name in (
        "pytest",
        "hypothesis",
        "hypothesis.strategies",
        "pydantic",
        "viska_assets.okf.form",
        "viska_assets.okf.claims",
        "viska_assets.text.quantities",
    ):
        importlib.import_module(name)
    importlib.import_module("_pytest.config").get_config()
    print(json.dumps({module: _run(module, arguments.tests) for module in arguments.modules}, indent=2))


def _run(module: str, tests: list[str]) -> dict[str, Any]:
    name = module.removesuffix(".py").replace("/", ".")
    survivors: list[str] = []
    total = 0
    text = (ROOT / module).read_text("utf-8")
    for node in ast.walk(ast.parse(text)):  # what the module imports does not import it: its children share it
        if isinstance(node, ast.ImportFrom) and node.module:
            importlib.import_module(node.module)
    for line, change, source in mutants(text):
        total += 1
        alive = _is_alive(name, source, tests)
        if alive:
            survivors.append(f"{line}: {change}")
        print(f"{module}:{line} {'SURVIVES' if alive else 'killed'} {change}", file=sys.stderr)
    killed = total - len(survivors)
    return {"mutants": total, "killed": killed, "share": round(killed / (total or 1), 4), "survivors": survivors}


def _is_alive(name: str, source: str, tests: list[str]) -> bool:
    """Whether the tests pass with the changed module, in a child process that shares what is imported already."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.alarm(90)
        sys.meta_path.insert(0, _Mutated(name, source))
        hypothesis = importlib.import_module("hypothesis")
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # a counterexample kills; it need not be small
        hypothesis.settings.register_profile("mutants", phases=phases, database=None, derandomize=True)
        hypothesis.settings.load_profile("mutants")
        pytest = importlib.import_module("pytest")
        os._exit(int(pytest.main(["-x", "-q", "--noconftest", "-p", "no:cacheprovider", *tests])))
    return os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    main()
