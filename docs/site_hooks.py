"""What is made while the site is built: pages from README and its neighbours, click's help, the Python interface."""

import importlib
import re
from pathlib import Path
from typing import Any

import click
import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT_PAGES = {
    "index.md": "README.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/changelog.md": "CHANGELOG.md",
    "project/security.md": "SECURITY.md",
}
WIDE = "---\nhide: [navigation]\n---\n"
COMMANDS = """# Commands

What `comitia COMMAND --help` says. `comitia` and `python -m comitia` are the same command.
"""
INTERFACE = """# Python

Everything for users is imported from `comitia`, `comitia.sklearn`, `comitia.deep` or `comitia.bundle`. What a new
weighting or bound needs comes from `comitia.weighting`, `comitia.statistics` and `comitia.bounds`.
"""
# The public names of each module, by its `__all__` unless they are listed here.
MODULES: dict[str, list[str] | None] = {
    "comitia": None,
    "comitia.sklearn": None,
    "comitia.deep": None,
    "comitia.bundle": None,
    "comitia.weighting": ["Evidence", "Weighting", "minimise_tandem"],
    "comitia.statistics": ["co_errors"],
    "comitia.bounds": None,
    "comitia.bounds.row": ["Bound", "Facts", "as_bound"],
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    root = Path(config.config_file_path).parent
    for target, source in ROOT_PAGES.items():
        content = moved((root / source).read_text(encoding="utf-8"), target)
        files.append(
            File.generated(config, target, content=WIDE + content if target == "index.md" else content)
        )
    files.append(File.generated(config, "reference/commands.md", content=commands_page()))
    files.append(File.generated(config, "reference/python.md", content=interface_page()))
    return files


def on_page_markdown(markdown: str, **kwargs: Any) -> str:
    """Return the page with lists as Python-Markdown wants them; the files are written as GitHub shows them."""
    return separated(markdown)


def separated(text: str) -> str:
    """Return the text with an empty line before each list after a paragraph, and inner lists indented by four."""
    lines: list[str] = []
    in_code = in_list = False
    for line in text.split("\n"):
        in_code ^= line.startswith("```")
        item = not in_code and line.startswith(("- ", "  - "))
        if item and not in_list and lines and lines[-1].strip():
            lines.append("")
        in_list = item or (in_list and bool(line.strip()))
        lines.append("  " + line if item and line.startswith("  ") else line)
    return "\n".join(lines)


def moved(text: str, target: str) -> str:
    """Return a page of the root with links that are right from its place in the site."""
    up = "../" * target.count("/")
    places = {source: up + place for place, source in ROOT_PAGES.items()}

    def link(match: re.Match[str]) -> str:
        to = match[1]
        if to.startswith("docs/"):
            return f"]({up}{to.removeprefix('docs/')})"
        if to in places:
            return f"]({places[to]})"
        return (
            match[0]
            if to.startswith(("http", "#"))
            else f"](https://github.com/comitia/comitia/blob/main/{to})"
        )

    return re.sub(r"\]\(([^)]+)\)", link, text)


def commands_page() -> str:
    """Return the help of every command as one page."""
    from comitia.cli.main import group

    return COMMANDS + "".join(_command_parts(group, click.Context(group, info_name="comitia")))


def _command_parts(command: click.Command, context: click.Context) -> list[str]:
    level = "#" * min(context.command_path.count(" ") + 1, 3)
    title = "" if context.parent is None else f"\n{level} {context.command_path}\n"
    with context:
        parts = [f"{title}\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            parts += _command_parts(inner, click.Context(inner, info_name=name, parent=context))
    return parts


def interface_page() -> str:
    """Return the page on the public names, which mkdocstrings fills."""
    parts = [INTERFACE]
    for module, listed in MODULES.items():
        names = importlib.import_module(module).__all__ if listed is None else listed
        parts.append(f"\n## {module}\n")
        parts += [f"\n::: {module}.{name}\n" for name in names if not name.startswith("_")]
    return "".join(parts)


class HouseDocstrings(griffe.Extension):
    """Change docstrings from how they are written here to what mkdocstrings shows well."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of a module, class, function or attribute before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = described(fenced(obj.docstring.value))


def fenced(text: str) -> str:
    """Return the text with a fence around each example: from `>>>` to an empty line."""
    return re.sub(r"^( *)(>>> .*?)(?=\n *\n|\Z)", _fence, text, flags=re.M | re.S)


def _fence(match: re.Match[str]) -> str:
    indent, code = match[1], match[2].rstrip()
    return f"{indent}```pycon\n{indent}{code}\n{indent}```"


def described(text: str) -> str:
    """Return the text with parameters `name : what it is` as names with descriptions; types come from the code."""
    section = r"(?<=Parameters\n----------\n)(.*?)(?=\n\n|\Z)"
    entry = r"^(\w+(?:, \w+)*) : "
    return re.sub(section, lambda found: re.sub(entry, r"\1\n    ", found[0], flags=re.M), text, flags=re.S)
