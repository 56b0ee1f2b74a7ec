"""A hook of the build: a wheel has a copy of what ``schedtest init`` writes."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExamplesInWheel(BuildHookInterface[Any]):
    """Copies the folders that pyproject.toml names into the package.

    An editable install needs no copy: it would be of an older state, and pytest would take it for the whole plugin.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the copies, unless the install is editable."""
        if version == "standard":
            target = self.config["target"]
            build_data["force_include"].update({name: f"{target}/{name}" for name in self.config["copied"]})
