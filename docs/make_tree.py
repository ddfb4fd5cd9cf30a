"""The tree of the source with one line a file, from the first line of each docstring: `python docs/make_tree.py`
writes it into README.md between the marks; a test checks that it is there."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- tree -->\n", "<!-- end of tree -->"
WIDTH = 44


def tree() -> str:
    """The tree as a Markdown code block: folders first say what they are, then each file its line."""
    lines = ["src/comitia/"]
    for path in _ordered(ROOT / "src" / "comitia"):
        depth = len(path.relative_to(ROOT / "src").parts) - 1
        folder = path.name == "__init__.py"
        if folder and depth == 1:
            continue
        label = f"{path.parent.name}/" if folder else path.name
        indent = "  " * (depth - 1 if folder else depth)
        lines.append(f"{indent + label:<{WIDTH}}{_first_line(path)}".rstrip())
    return "```text\n" + "\n".join(lines) + "\n```\n"


def _ordered(folder: Path) -> list[Path]:
    """Files of a folder, its __init__ first, then its subfolders."""
    files = sorted(folder.glob("*.py"), key=lambda p: (p.name != "__init__.py", p.name))
    for sub in sorted(p for p in folder.iterdir() if p.is_dir() and any(p.glob("*.py"))):
        files += _ordered(sub)
    return files


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return " ".join(text.split("\n\n")[0].split())


def updated(readme: str) -> str:
    """The README with the tree between the marks."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + tree() + END + rest.split(END)[1]


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(updated(path.read_text()))
