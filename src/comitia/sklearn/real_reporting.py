"""What is said of a fitted mean, as a few lines of text."""

from collections.abc import Iterator

from comitia.regression import RealEnsemble
from comitia.regression.certificate import rounded_up

# Members that a report lists; the others are counted.
LISTED = 30


def real_concerns(ensemble: RealEnsemble) -> list[str]:
    """Return what a user should hear of without asking: warnings, and that nothing is promised."""
    if ensemble.best is not None:
        return list(ensemble.warnings)
    why = ensemble.unavailable[0].why if ensemble.unavailable else "no sample certifies"
    return [*ensemble.warnings, f"no promise: {why}"]


def real_text(ensemble: RealEnsemble) -> str:
    """Return what was found: promises, then members by weight."""
    return "\n".join(
        [*_promises(ensemble), *_members(ensemble), *(f"warning: {w}" for w in ensemble.warnings)]
    )


def _promises(ensemble: RealEnsemble) -> Iterator[str]:
    voting = len(ensemble.active)
    yield f"weighted mean of {voting} of {len(ensemble.names)} members · delta {ensemble.delta:g}"
    if ensemble.best is None:
        yield f"no promise; estimate: mean squared error {ensemble.estimate:.4g}"
    else:
        yield f"promise ({ensemble.best.name}): {ensemble.best.promise}"
    for found in ensemble.certificates:
        if found.measure != "mean squared error" and not found.vacuous:
            yield f"also: {found.title} at most {rounded_up(found.risk)}"


def _members(ensemble: RealEnsemble) -> Iterator[str]:
    order = sorted(range(len(ensemble.names)), key=lambda i: -ensemble.weights[i])
    width = max(len("member"), *(len(name) for name in ensemble.names))
    yield f"{'member':{width}}  weight  squared error"
    for i in order[:LISTED]:
        yield f"{ensemble.names[i]:{width}}  {ensemble.weights[i]:6.3f}  {ensemble.member_errors[i]:.4g}"
    if len(order) > LISTED:
        yield f"… {len(order) - LISTED:,} more"
