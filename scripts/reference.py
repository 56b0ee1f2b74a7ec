"""Generate the reference of the documentation from the code: ``scripts/reference`` renews it, and Sphinx shows it.

A page that has the line ``<!-- generated: options -->`` gets the options there, and so on for each of ``GENERATED``, up
to the line ``<!-- end of generated -->``. What is committed is plain Markdown, which a code host and an editor show. In
the site, classes and functions are left to autodoc: what is generated for those there is its directive.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import pytest
from pydantic import BaseModel, RootModel
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

import schedtest
import schedtest.claims
import schedtest.extender
import schedtest.properties
from schedtest import feature
from schedtest.claims.base import BaseExpectation
from schedtest.claims.objects import ConditionClaims
from schedtest.cli import main as schedtest_command
from schedtest.errors import SchedtestError
from schedtest.feature import FEATURES
from schedtest.features.report.join import PARTIAL_STATUS
from schedtest.model import reference_model
from schedtest.objects.builders import pod_spec
from schedtest.objects.callee import Callee
from schedtest.plugin.exit_status import EXIT
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

#: methods that a fixture calls when its test ends, or ``expect`` or a failure calls, and a test never
_NOT_FOR_TESTS = {
    *("close", "claims", "claims_about", "refuse_idleness"),
    *(name for name, member in vars(Callee).items() if inspect.isfunction(member)),
}

_BLOCK = re.compile(r"^<!-- generated: (\w+) -->\n(?:.*?^<!-- end of generated -->\n)?", re.MULTILINE | re.DOTALL)

_DOCS = Path(__file__).parents[1] / "docs"

#: sections of a docstring that list names
_LISTS = ("Args", "Attributes", "Raises")

#: text of a page, or what is shown in another way in the site
Shown = Any

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
    source[0] = _BLOCK.sub(lambda block: "\n".join(map(str, GENERATED[block[1]]())), source[0])


def current(page: str) -> str:
    """Return a page as it has to be, with the reference as Markdown."""

    def fill(block: re.Match[str]) -> str:
        shown = (each.markdown() if isinstance(each, _Directive) else each for each in GENERATED[block[1]]())
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(shown).strip())
        return f"<!-- generated: {block[1]} -->\n\n{text}\n\n<!-- end of generated -->\n"

    return _BLOCK.sub(fill, page)


def main() -> None:
    """Renew the reference in the pages of docs/, or say which pages are not current."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is not current")
    check = parser.parse_args().check
    texts = {page: page.read_text() for page in sorted(_DOCS.rglob("*.md"))}
    old = [page for page, text in texts.items() if current(text) != text]
    for page in old:
        if not check:
            page.write_text(current(texts[page]))
        print(f"{'not current' if check else 'renewed'}: {page.relative_to(_DOCS.parent)}")  # noqa: T201
    sys.exit(bool(check and old))


@dataclass(frozen=True)
class _Directive:
    """A class, function or constant: as a directive of autodoc, and as Markdown.

    Attributes:
        kind: the directive.
        name: what it is of, by its full name.
        found: that itself.
        members: names of those that are shown with it.
        inheritance: whether its bases are shown.
    """

    kind: str
    name: str
    found: Any
    members: tuple[str, ...] = ()
    inheritance: bool = False

    def __str__(self) -> str:
        options = ["   :show-inheritance:\n"] if self.inheritance else []
        options += [f"   :members: {', '.join(self.members)}\n".replace(": \n", ":\n")] if self.members else []
        return f"```{{eval-rst}}\n.. {self.kind}:: {self.name}\n{''.join(options)}```\n"

    def markdown(self) -> str:
        """Return what it is, and what its docstring says."""
        if self.kind == "automodule":
            own = [name for name, each in vars(self.found).items() if _is_own(self.found, name, each)]
            members = [self._section("###", f"{self.name}.{name}", getattr(self.found, name)) for name in own]
            return "\n".join([f"### `{self.name}`\n\n{_documented(self.found)}", *members])
        members = [self._section("####", name, inspect.getattr_static(self.found, name)) for name in self.members]
        return "\n".join([self._section("###", self.name, self.found), *members])

    def _section(self, level: str, name: str, found: Any) -> str:
        """Return a heading, the signature if there is one, and the docstring."""
        called, bases, title = "", "", name.rpartition(".")[2]
        if not isinstance(found, property):
            found = inspect.unwrap(getattr(found, "__func__", found))
            signature = _signature(found)
            called = f"```text\n{title}{signature}\n```\n\n" if signature else ""
        if self.inheritance and inspect.isclass(found):
            bases = f"Bases: {', '.join(f'`{base.__name__}`' for base in found.__bases__)}\n\n"
        text = _documented(found)
        if inspect.isclass(found) and not _is_public(found):
            text = text.partition("Args:\n")[0]
        return f"{level} `{name}`\n\n{called}{bases}{text}"


def _is_own(module: Any, name: str, found: object) -> bool:
    return not name.startswith("_") and getattr(found, "__module__", None) == module.__name__ and callable(found)


def _signature(found: Any) -> str:
    """Return how a class or a function is called; empty for what is only given, and for constants."""
    if inspect.isclass(found):
        if _is_error(found) or not _is_public(found) or found.__init__ is object.__init__:
            return ""
        if issubclass(found, BaseModel):
            return _of_message(found)
    elif not inspect.isfunction(found):
        return ""
    signature = inspect.signature(found)
    own = [_plain(each) for name, each in signature.parameters.items() if name not in ("self", "cls")]
    return str(signature.replace(parameters=own, return_annotation=_Verbatim.of(signature.return_annotation)))


class _Verbatim:
    """Text that a signature shows as it is, without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    @classmethod
    def of(cls, annotation: object) -> object:
        """Return what shows an annotation as it was written."""
        return cls(annotation) if isinstance(annotation, str) else annotation


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter as it is shown: of a default that is no literal, no more than that there is one."""
    default = parameter.default
    if isinstance(default, str):
        default = str(default)
    elif default is not inspect.Parameter.empty and not isinstance(default, int | float | tuple | None):
        default = _Verbatim("...")
    return parameter.replace(annotation=_Verbatim.of(parameter.annotation), default=default)


def _documented(found: Any) -> str:
    """Return a docstring as Markdown: what its sections list is a list."""
    lines: list[str] = []
    section = ""
    for line in (inspect.getdoc(found) or "").splitlines():
        if (title := line.removesuffix(":")) in (*_LISTS, "Returns", "Yields") and line.endswith(":"):
            section = title
            lines.append(f"{title}:\n")
        elif section and line and not line.startswith(" "):
            section = ""
            lines.append(line)
        elif section in _LISTS and re.match(r" {4}\S", line):
            names, _, meaning = line.strip().partition(": ")
            lines.append(f"- `{names}`: {meaning}" if meaning else f"- {names}")
        else:
            lines.append(f"  {line.strip()}" if section in _LISTS and line else line.strip() if section else line)
    return "\n".join(lines).rstrip() + "\n"


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
    for name, command in schedtest_command.commands.items():
        context = click.Context(command, info_name=f"schedtest {name}", max_content_width=100, terminal_width=100)
        yield f"## schedtest {name}\n\n```text\n{command.get_help(context)}\n```\n"


def _exit_statuses() -> Iterator[str]:
    yield "| status | a run of pytest ends so if |\n|---|---|"
    yield from (f"| {int(status)} | {meaning} |" for status, meaning in _STATUSES.items())
    yield f"| {PARTIAL_STATUS} | the join of shards alone: no test failed, and a shard is missing or did not end |"


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


def _fixtures() -> Iterator[Shown]:
    shown: set[type] = set()
    for name, function in fixtures().items():
        scope = re.search(r"scope=\"(\w+)", inspect.getsource(function).partition("def ")[0])
        yield f"## {name}\n\n*Scope: {scope[1] if scope else 'function'}.*\n\n{_documented(function)}\n"
        yield from _new(_with_handles(_given_by(function)), shown)


def fixtures() -> dict[str, Any]:
    """Return the functions of all fixtures for tests, by name."""
    modules = [importlib.import_module(name) for name in ("schedtest.plugin.fixtures", *feature.pytest_plugins())]
    return {
        name: inspect.unwrap(found)
        for module in modules
        for name, found in vars(module).items()
        if isinstance(found, _FIXTURE) and not name.startswith(("_", "schedtest_"))
    }


def _expectations() -> Iterator[Shown]:
    # What fixtures give is on their page.
    shown = {given for function in fixtures().values() for given in _with_handles(_given_by(function))}
    for noun, classes in groupby(_claims(), lambda found: vars(found)["_noun"]):
        yield f"## {noun}\n"
        yield from _new(_with_handles(classes), shown)


def _claims() -> list[type[BaseExpectation]]:
    """Return the classes with claims: those of the kernel, then those of features, by their subject."""
    modules = [f"schedtest.claims.{each.name}" for each in pkgutil.iter_modules(schedtest.claims.__path__)]
    modules += [each.module("claims") for each in FEATURES if find_spec(each.module("claims"))]
    found = [
        value
        for module in map(importlib.import_module, modules)
        for value in vars(module).values()
        if isinstance(value, type) and "_noun" in vars(value) and value.__module__ == module.__name__
    ]
    nouns = list(dict.fromkeys(vars(each)["_noun"] for each in found))
    return sorted(found, key=lambda each: nouns.index(vars(each)["_noun"]))


def _with_handles(given: Iterable[type]) -> Iterator[type]:
    """Yield classes, and what their methods give."""
    for found in given:
        yield found
        for name in _own_members(found):
            member = getattr(found, name)
            yield from _given_by(inspect.unwrap(member)) if inspect.isfunction(member) else ()


def _new(classes: Iterable[type], shown: set[type]) -> Iterator[Shown]:
    for found in classes:
        if found not in shown and not _is_public(found):
            shown.add(found)
            yield _class(found)


def _errors() -> Iterator[Shown]:
    yield from (_class(found) for found in _public().values() if _is_error(found))


def _api() -> Iterator[Shown]:
    yield from _names("schedtest")


def _extender_api() -> Iterator[Shown]:
    yield from _names("schedtest.extender")


def _properties_api() -> Iterator[Shown]:
    yield from _names("schedtest.properties")


def _rules() -> Iterator[str]:
    yield "| rule | says | documented |\n|---|---|---|"
    for name, rule in reference_model.RULES.items():
        sources = ", ".join(f"[{number}]({url})" for number, url in enumerate(reference_model.SOURCES[name], start=1))
        yield f"| `{name}` | {inspect.getdoc(rule)} | {sources} |"


def _names(module: str) -> Iterator[Shown]:
    """Show the public names of a module, besides errors."""
    for name, found in _public().items():
        if name.rpartition(".")[0] != module or _is_error(found):
            continue
        if inspect.isclass(found):
            yield _class(found)
        elif inspect.ismodule(found):
            yield _Directive("automodule", name, found, ("",))
        else:
            yield _Directive("autofunction", name, found) if callable(found) else _Constant(name, found)


class _Constant(_Directive):
    """A constant with the comment above it: autodata takes what Python says of its type for its meaning."""

    def __init__(self, name: str, value: object) -> None:
        super().__init__("py:data", name, value)

    def __str__(self) -> str:
        return f"```{{eval-rst}}\n.. py:data:: {self.name}\n   :value: {self.found!r}\n\n   {self._meaning()}\n```\n"

    def markdown(self) -> str:
        """Return its value, and the comment."""
        return f"### `{self.name}`\n\n`{self.found!r}`: {self._meaning()}\n"

    def _meaning(self) -> str:
        for module in _modules():
            comments = ModuleAnalyzer.for_module(module.__name__).find_attr_docs()
            documented = comments.get(("", self.name.rpartition(".")[2]))
            if documented:
                return " ".join(documented).strip()
        raise ValueError(f"{self.name} has no comment that says what it is")


@cache
def _public() -> dict[str, Any]:
    """Return what users import, by its full name; what two modules offer is shown with the first."""
    found: dict[str, Any] = {}
    for module in (schedtest, schedtest.extender, schedtest.properties):
        for name in module.__all__:
            value = getattr(importlib.import_module(module.__name__), name, None)
            value = value or importlib.import_module(f"{module.__name__}.{name}")
            if not any(value is known for known in found.values()):
                found[f"{module.__name__}.{name}"] = value
    return found


def _is_public(found: object) -> bool:
    """Tell whether users import something, or the module that it is in; the page of the API shows it then."""
    public = _public().values()
    return any(found is each for each in public) or inspect.getmodule(found) in public


def _is_error(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, SchedtestError)


def _class(found: type) -> _Directive:
    name = next((name for name, public in _public().items() if public is found), f"{found.__module__}.{found.__name__}")
    return _Directive("autoclass", name, found, tuple(_own_members(found)), inheritance=_is_error(found))


def _own_members(found: type) -> list[str]:
    """Name the public methods and properties of a class that are for users; those of its bases are shown there."""
    hidden = {name for base in found.__mro__[1:] if base is not ConditionClaims for name in vars(base)}
    hidden |= _NOT_FOR_TESTS
    return [
        name
        for name, member in vars(found).items()
        if (not name.startswith("_") and name not in hidden) or _is_documented_call(name, member)
        if callable(member) or isinstance(member, property)
    ]


def _is_documented_call(name: str, member: object) -> bool:
    return name == "__call__" and "Args:" in (inspect.getdoc(member) or "")


def _pod_arguments() -> Iterator[Shown]:
    yield _Directive("autofunction", f"{pod_spec.__module__}.{pod_spec.__name__}", pod_spec)


GENERATED: dict[str, Callable[[], Iterator[Shown]]] = {
    "fixtures": _fixtures,
    "expectations": _expectations,
    "options": _options,
    "commands": _commands,
    "errors": _errors,
    "exit_statuses": _exit_statuses,
    "api": _api,
    "extender_api": _extender_api,
    "properties_api": _properties_api,
    "rules": _rules,
    "pod_arguments": _pod_arguments,
}

if __name__ == "__main__":
    main()
