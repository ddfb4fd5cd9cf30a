r"""The exact posterior over hypotheses and slopes, its predictive distribution, and samples of it.

.. math::
    p(S, b \mid D) \propto \sigma(b)^{n - k_S}\, \sigma(-b)^{k_S}

with a uniform prior on both, where hypothesis S gets k_S of the n samples wrong.
"""

from dataclasses import dataclass

import numpy as np

from comitia.paper.argument.problem import SLOPES, Floats, Indices, Problem


@dataclass(frozen=True, eq=False)
class Posterior:
    """Probabilities (hypotheses, slopes) that sum to 1."""

    probabilities: Floats

    @property
    def hypotheses(self) -> Floats:
        """The probability of each hypothesis, whatever its slope."""
        found: Floats = self.probabilities.sum(axis=1)
        return found

    def predictive(self, problem: Problem) -> Floats:
        """Return P(y = 1 | x, D) - P(y = -1 | x, D) for every input: the Bayes ensemble itself.

        A hypothesis of slope b predicts tanh(b/2) h_S(x).
        """
        found: Floats = (self.probabilities @ _confidence()) @ problem.votes
        return found

    def sampled(self, problem: Problem, members: int, rng: np.random.Generator) -> Floats:
        """Return the same difference averaged over that many independent draws (the paper's equation for the BMA)."""
        drawn = rng.choice(self.probabilities.size, size=members, p=self.probabilities.ravel())
        which, slopes = np.divmod(drawn, self.probabilities.shape[1])
        found: Floats = _confidence()[slopes] @ problem.votes[which] / members
        return found


def _confidence() -> Floats:
    return np.tanh(np.array(SLOPES) / 2)


def posterior(errors: Indices, samples: int) -> Posterior:
    """Return the posterior after that many samples, of which each hypothesis got `errors` wrong.

    >>> posterior(np.array([0, 4]), 4).hypotheses.round(2)
    array([0.98, 0.02])
    """
    slopes = np.array(SLOPES)
    right, wrong = -np.log1p(np.exp(-slopes)), -np.log1p(np.exp(slopes))
    logs = (samples - errors)[:, None] * right + errors[:, None] * wrong
    shares = np.exp(logs - logs.max())
    return Posterior(shares / shares.sum())


def effective(weights: Floats) -> float:
    """Return the effective number of hypotheses, 1 / (sum of squared weights).

    >>> effective(np.array([0.5, 0.5, 0.0])), effective(np.array([1.0, 0.0]))
    (2.0, 1.0)
    """
    return float(1 / (weights**2).sum())
