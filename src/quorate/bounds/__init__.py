"""Bounds on the risk of a weighted vote: plain functions of numbers, one a file.

Each holds with probability at least 1 - delta, rounds outward, and returns its value unclipped: 1 or more is
vacuous.
"""

from quorate.bounds.best_member import best_member
from quorate.bounds.c1 import c1
from quorate.bounds.c2 import c2
from quorate.bounds.cantelli import cantelli
from quorate.bounds.clopper_pearson import clopper_pearson, clopper_pearson_log
from quorate.bounds.ctd import ctd
from quorate.bounds.disagreement import disagreement
from quorate.bounds.first_order_kl import first_order_kl
from quorate.bounds.first_order_lambda import first_order_lambda
from quorate.bounds.moment import moment
from quorate.bounds.occam import log_prior, occam
from quorate.bounds.relaxation import best_lambda
from quorate.bounds.tandem_kl import tandem_kl
from quorate.bounds.tandem_lambda import tandem_lambda
from quorate.bounds.terms import budget, kl_bernoulli, kl_divergence, kl_lower, kl_upper, log_term

__all__ = [
    "best_lambda",
    "best_member",
    "budget",
    "c1",
    "c2",
    "cantelli",
    "clopper_pearson",
    "clopper_pearson_log",
    "ctd",
    "disagreement",
    "first_order_kl",
    "first_order_lambda",
    "kl_bernoulli",
    "kl_divergence",
    "kl_lower",
    "kl_upper",
    "log_prior",
    "log_term",
    "moment",
    "occam",
    "tandem_kl",
    "tandem_lambda",
]
