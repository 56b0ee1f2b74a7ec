"""Generate the reference of the documentation from the code: an extension of Sphinx.

A page that has the line ``<!-- generated: options -->`` gets the options there, and so on for each of ``GENERATED``.
Classes and functions are left to autodoc: what is generated for those is its directive.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import Any, get_args

import click
import pytest
from pydantic import BaseModel, RootModel
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

import schedtest
import schedtest.extender
from schedtest.claims.expect import Expectation
from schedtest.claims.extender import ExtenderExpectation
from schedtest.claims.objects import ConditionClaims
from schedtest.cli import main
from schedtest.errors import SchedtestError
from schedtest.plugin.terminal import EXIT
from schedtest.plugin.test_record import Verdict

#: what the statuses of pytest, and those of schedtest, mean
_STATUSES = {
    pytest.ExitCode.OK: "every test passed, or was skipped",
    pytest.ExitCode.TESTS_FAILED: "any test failed, also one whose claim about chance fails when those of the run are "
    "taken together: the fault of a scheduler, or of a test",
    pytest.ExitCode.INTERRUPTED: "it was ended by Ctrl-C, or tests could not be collected",
    pytest.ExitCode.INTERNAL_ERROR: "pytest, or a plugin, has a bug",
    pytest.ExitCode.USAGE_ERROR: "an option has a value that is not accepted",
    pytest.ExitCode.NO_TESTS_COLLECTED: "there were no tests",
    EXIT[Verdict.INCONCLUSIVE]: "no test failed, the infrastructure worked, and any test was inconclusive",
    EXIT[Verdict.INFRASTRUCTURE]: "no test failed, and the infrastructure did: run it again",
}

#: methods that a fixture calls when its test ends, and a test never
_FOR_FIXTURES = {"close"}

_MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)

#: what pytest makes of a function that is a fixture
_FIXTURE = type(pytest.fixture(lambda: None))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, which calls this."""
    app.connect("source-read", _fill_in)
    # Before napoleon, which turns the sections of a docstring into fields.
    app.connect("autodoc-process-docstring", _without_constructor, priority=100)
    app.connect("autodoc-process-signature", _fit_signature)
    return {"parallel_read_safe": True}


def _fill_in(_app: Sphinx, _page: str, source: list[str]) -> None:
    source[0] = _MARK.sub(lambda mark: "\n".join(GENERATED[mark[1]]()), source[0])


def _is_given(what: str, found: object) -> bool:
    """Say whether this is a class that no user makes: fixtures and claims give its objects."""
    return what == "exception" or (what == "class" and not _is_public(found))


def _without_constructor(
    _app: Sphinx, what: str, _name: str, found: object, _options: object, lines: list[str]
) -> None:
    if _is_given(what, found) and "Args:" in lines:
        del lines[lines.index("Args:") :]


def _fit_signature(
    _app: Sphinx, what: str, _name: str, found: object, _options: object, signature: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    if signature is None:
        return None
    if what == "class" and isinstance(found, type) and issubclass(found, BaseModel):
        return (_of_message(found), returned)
    # A default that is made by a function is shown in a way that is no Python, which spoils the whole signature.
    return ("", None) if _is_given(what, found) else (signature.replace("<factory>", "..."), returned)


def _of_message(found: type[BaseModel]) -> str:
    """Return the signature of a message by the names that it has in Python; pydantic's has its own inner types."""
    fields = (
        name if field.is_required() else f"{name}={field.get_default(call_default_factory=True)!r}"
        for name, field in found.model_fields.items()
    )
    return f"({', '.join(fields)})" if issubclass(found, RootModel) else f"(*, {', '.join(fields)})"


class _Options:
    """Stands for pytest's parser, and for a group of its options: writes down what a plugin registers."""

    def __init__(self) -> None:
        self.options: dict[str, dict[str, Any]] = {}
        self.ini: dict[str, str] = {}

    def getgroup(self, *_: str) -> _Options:
        return self

    def addoption(self, name: str, **attributes: Any) -> None:
        self.options[name] = attributes

    def addini(self, name: str, meaning: str, **_: Any) -> None:
        self.ini[name] = meaning


class _NoPlugins:
    """Stands for pytest's plugin manager where pytest-kind is blocked, so that every option is registered."""

    def is_blocked(self, _: str) -> bool:
        return True

    def get_plugin(self, _: str) -> None:
        """Return nothing: there is no configuration either."""


def _options() -> Iterator[str]:
    found = _Options()
    (plugin,) = entry_points(group="pytest11", name="schedtest")
    plugin.load().pytest_addoption(found, _NoPlugins())
    yield "| option | ini | meaning |\n|---|---|---|"
    for name, attributes in found.options.items():
        written = f"{name} {attributes['metavar']}" if "metavar" in attributes else name
        ini = f"schedtest_{name.removeprefix('--').removeprefix('schedtest-').replace('-', '_')}"
        meaning = attributes["help"].removesuffix(f"; ini: {ini}").replace("<", "\\<")
        cells = [f"`{written}`", f"`{ini}`" if ini in found.ini else "", meaning]
        row = " | ".join(cell.replace("|", "\\|") for cell in cells)
        yield f"| {row} |"


def _commands() -> Iterator[str]:
    for name, command in main.commands.items():
        context = click.Context(command, info_name=f"schedtest {name}", max_content_width=100, terminal_width=100)
        yield f"## schedtest {name}\n\n```text\n{command.get_help(context)}\n```\n"


def _exit_statuses() -> Iterator[str]:
    yield "| status | a run of pytest ends so if |\n|---|---|"
    yield from (f"| {int(status)} | {meaning} |" for status, meaning in _STATUSES.items())


@cache
def _modules() -> list[Any]:
    names = (found.name for found in pkgutil.walk_packages(schedtest.__path__, "schedtest."))
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


@cache
def _classes() -> dict[str, type]:
    """Return every public class of the package by its name: annotations have no more than that."""
    defined = (
        found
        for module in _modules()
        for found in vars(module).values()
        if inspect.isclass(found) and found.__module__ == module.__name__ and not found.__name__.startswith("_")
    )
    return {found.__name__: found for found in defined}


def _given_by(function: Callable[..., object]) -> Iterator[type]:
    """Yield the package's classes in what a function is annotated to return, and those of its keyword arguments."""
    annotations = inspect.get_annotations(function)
    texts = [str(text) for name, text in annotations.items() if name == "return" or "Unpack[" in str(text)]
    for name in re.findall(r"\w+", " ".join(texts)):
        found = function.__globals__.get(name) or _classes().get(name)
        if inspect.isclass(found) and found.__module__.startswith("schedtest."):
            yield found


def _fixtures() -> Iterator[str]:
    shown: set[type] = set()
    for name, function in fixtures().items():
        scope = re.search(r"scope=\"(\w+)", inspect.getsource(function).partition("def ")[0])
        yield f"## {name}\n\n*Scope: {scope[1] if scope else 'function'}.*\n\n{inspect.getdoc(function)}\n"
        yield from _new(_with_handles(_given_by(function)), shown)


def fixtures() -> dict[str, Any]:
    """Return the functions of all fixtures for tests, by name."""
    return {
        name: inspect.unwrap(found)
        for module in _modules()
        for name, found in vars(module).items()
        if isinstance(found, _FIXTURE) and not name.startswith(("_", "schedtest_"))
    }


def _expectations() -> Iterator[str]:
    shown: set[type] = set()
    for found in (*get_args(Expectation), ExtenderExpectation):
        yield f"## {vars(found)['_noun']}\n"
        yield from _new(_with_handles([found]), shown)


def _with_handles(given: Iterable[type]) -> Iterator[type]:
    """Yield classes, and what their methods give."""
    for found in given:
        yield found
        for name in _own_members(found):
            member = getattr(found, name)
            yield from _given_by(inspect.unwrap(member)) if inspect.isfunction(member) else ()


def _new(classes: Iterable[type], shown: set[type]) -> Iterator[str]:
    for found in classes:
        if found not in shown and not _is_public(found):
            shown.add(found)
            yield _class(found)


def _errors() -> Iterator[str]:
    yield from (_class(found) for found in _public().values() if _is_error(found))


def _api() -> Iterator[str]:
    yield from _names("schedtest")


def _extender_api() -> Iterator[str]:
    yield from _names("schedtest.extender")


def _names(module: str) -> Iterator[str]:
    """Show the public names of a module, besides errors."""
    for name, found in _public().items():
        if name.rpartition(".")[0] != module or _is_error(found):
            continue
        if inspect.isclass(found):
            yield _class(found)
        elif inspect.ismodule(found):
            yield _directive("automodule", name, "members")
        else:
            yield _directive("autofunction", name) if callable(found) else _constant(name, found)


def _constant(name: str, value: object) -> str:
    """Show a constant with the comment above it: autodata takes what Python says of its type for its meaning."""
    for module in _modules():
        documented = ModuleAnalyzer.for_module(module.__name__).find_attr_docs().get(("", name.rpartition(".")[2]))
        if documented:
            meaning = " ".join(documented).strip()
            return f"```{{eval-rst}}\n.. py:data:: {name}\n   :value: {value!r}\n\n   {meaning}\n```\n"
    raise ValueError(f"{name} has no comment that says what it is")


@cache
def _public() -> dict[str, Any]:
    """Return what users import, by its full name; what two modules offer is shown with the first."""
    found: dict[str, Any] = {}
    for module in (schedtest, schedtest.extender):
        for name in module.__all__:
            value = getattr(importlib.import_module(module.__name__), name, None)
            value = value or importlib.import_module(f"{module.__name__}.{name}")
            if not any(value is known for known in found.values()):
                found[f"{module.__name__}.{name}"] = value
    return found


def _is_public(found: object) -> bool:
    return any(found is public for public in _public().values())


def _is_error(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, SchedtestError)


def _class(found: type) -> str:
    name = next((name for name, public in _public().items() if public is found), f"{found.__module__}.{found.__name__}")
    members = ", ".join(_own_members(found))
    options = ["show-inheritance"] if _is_error(found) else []
    return _directive("autoclass", name, *options, *([f"members: {members}"] if members else []))


def _own_members(found: type) -> list[str]:
    """Name the public methods and properties of a class that are for users; those of its bases are shown there."""
    hidden = {name for base in found.__mro__[1:] if base is not ConditionClaims for name in vars(base)}
    hidden |= _FOR_FIXTURES
    return [
        name
        for name, member in vars(found).items()
        if not name.startswith("_") and name not in hidden
        if callable(member) or isinstance(member, property)
    ]


def _directive(name: str, argument: str, *options: str) -> str:
    lines = "".join(f"   :{name}:{value}\n" for name, _, value in (option.partition(":") for option in options))
    return f"```{{eval-rst}}\n.. {name}:: {argument}\n{lines}```\n"


GENERATED: dict[str, Callable[[], Iterator[str]]] = {
    "fixtures": _fixtures,
    "expectations": _expectations,
    "options": _options,
    "commands": _commands,
    "errors": _errors,
    "exit_statuses": _exit_statuses,
    "api": _api,
    "extender_api": _extender_api,
}
