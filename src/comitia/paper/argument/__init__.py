"""The paper's argument on a problem small enough to compute: an exact posterior, exact risks, and their record."""

from comitia.paper.argument.experiment import run_argument
from comitia.paper.argument.record import Argument

__all__ = ["Argument", "run_argument"]
