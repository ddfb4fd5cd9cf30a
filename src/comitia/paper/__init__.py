"""Rows of the paper, from training (or stored predictions) to tables and claims beside its numbers."""

from comitia.paper.reproduce import reproduce, train_recipe, write_figures, write_outputs
from comitia.paper.rows import PaperRow, paper_row, references

__all__ = [
    "PaperRow",
    "paper_row",
    "references",
    "reproduce",
    "train_recipe",
    "write_figures",
    "write_outputs",
]
