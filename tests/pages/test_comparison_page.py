"""The page of a comparison: its numbers, its figures with words and tables, nothing that acts."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from comitia._errors import InputError
from comitia.pages import page_text
from comitia.pages.comparison_page import comparison_page
from comitia.pages.material import ComparisonMaterial, read_material
from report_records import HOSTILE, a_comparison, comparison_folder


class Reader(HTMLParser):
    """Collects tags, attributes and the words of the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page_of(folder: Path) -> str:
    material = read_material(folder)
    assert isinstance(material, ComparisonMaterial)
    return comparison_page(material)


def test_every_chain_has_its_figure_in_the_page(tmp_path: Path) -> None:
    text = page_of(comparison_folder(tmp_path))
    data = json.loads(text.split('id="values">')[1].split("</script>")[0])
    assert set(data) == {"comparison-temperatures-chain", "comparison-temperatures-plain"}
    chain, plain = (
        [series["text"] for panel in data[f"comparison-temperatures-{name}"] for series in panel["series"]]
        for name in ("chain", "plain")
    )
    assert chain == [[f"{epoch}: {y}" for epoch in (2, 4, 6)] for y in (1.2, 1.2, 0.5, 1.5)]
    assert plain == [[f"{epoch}: {y}" for epoch in (2, 4, 6)] for y in (0.25, 0.75)]
    reader = Reader(text)
    labels = [value or "" for key, value in reader.attributes if key == "aria-label"]
    assert sum("Temperature over T against the epoch" in label for label in labels) == 2
    ids = [value for key, value in reader.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert set(data) <= set(ids)


def test_numbers_are_those_of_the_record(tmp_path: Path) -> None:
    words = Reader(page_of(comparison_folder(tmp_path))).words
    assert "4 ensembles, 6 training epochs each" in words
    assert "0.9200 ± 0.0141" in words  # of 0.91 and 0.93
    assert {"3.6", "4"} <= set(words)
    assert "-0.0100" in words
    assert any("91.00% (last) to 94.00% (dropout)" in word for word in words)
    assert "ab" * 32 in words
    assert "plain, repeat 2: some of its runs are missing" in words


def test_a_missing_repeat_is_noted(tmp_path: Path) -> None:
    folder, record = comparison_folder(tmp_path), a_comparison()
    record["settings"]["repeats"] = 3
    (folder / "comparison.json").write_text(json.dumps(record))
    assert "plain, tandem weights: 2 of 3 repeats" in Reader(page_of(folder)).words


def test_without_logs_and_run_the_page_has_no_figures(tmp_path: Path) -> None:
    place = tmp_path / "comparison.json"
    place.write_text(json.dumps(a_comparison()))
    tags = Reader(page_of(place)).tags
    assert "figure" not in tags
    assert "table" in tags


def test_names_of_layers_do_nothing_and_bytes_are_the_same(tmp_path: Path) -> None:
    text = page_of(comparison_folder(tmp_path, layer=HOSTILE[1]))
    assert text == page_of(tmp_path)
    assert Reader(text).tags.count("script") == 2
    assert HOSTILE[1] not in text


def test_report_takes_the_folder_and_the_file(tmp_path: Path) -> None:
    folder = comparison_folder(tmp_path)
    assert page_text(folder) == page_text(folder / "comparison.json")


def test_damage_is_one_line(tmp_path: Path) -> None:
    folder, record = comparison_folder(tmp_path), a_comparison()
    record["lines"][0]["accuracy"][1] = "<b>"
    (folder / "comparison.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"lines\[0\].accuracy\[1\]: must be a number, got '<b>'"):
        read_material(folder)
    (folder / "comparison.json").write_text(json.dumps(a_comparison()))
    (folder / "run.json").write_text("[]")
    with pytest.raises(InputError, match="run.json: must be a JSON object, got list"):
        read_material(folder)
    with pytest.raises(InputError, match="no such file or folder"):
        read_material(tmp_path / "absent" / "comparison.json")
