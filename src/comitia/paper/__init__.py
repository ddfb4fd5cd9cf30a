"""Rows of the paper and comparisons of ensembles, from training (or stored predictions) to tables and claims."""

from comitia.paper.comparison_plan import ComparisonPlan, plan_names, read_plan
from comitia.paper.literature import references
from comitia.paper.reproducing import (
    ReproducedComparison,
    Reproduction,
    all_rows,
    reproduce,
    reproduce_comparison,
    reproduce_tables,
)
from comitia.paper.rows import PaperRow, paper_row, paper_rows

__all__ = [
    "ComparisonPlan",
    "PaperRow",
    "ReproducedComparison",
    "Reproduction",
    "all_rows",
    "paper_row",
    "paper_rows",
    "plan_names",
    "read_plan",
    "references",
    "reproduce",
    "reproduce_comparison",
    "reproduce_tables",
]
