"""Answers of a wide table that mean "no answer", such as `tie`: taken out before classes are gathered."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comitia._errors import InputError
from comitia.files.columns import Column, spelled


class Silences:
    """Which cells of members hold one of some words that mean that the member gave no answer.

    >>> silences = Silences(["tie"], ["ann"], 2)
    >>> taken = silences.taken_out({"ann": Column(np.array([0, 1]), ("A", "tie"))}, 0)
    >>> taken["ann"].missing, silences.found()
    (array([False,  True]), array([[False,  True]]))
    """

    def __init__(self, words: Sequence[str], members: Sequence[str], rows: int) -> None:
        self._words, self._members = {word.strip() for word in words}, tuple(members)
        self._found = np.zeros((len(members), rows), bool) if self._words else None
        self._alike: set[str] = set()

    def taken_out(self, batch: dict[str, Column], start: int) -> dict[str, Column]:
        """Return the batch, the first row of which is sample `start`, with those cells empty."""
        if self._found is None:
            return batch
        taken = dict(batch)
        for place, name in enumerate(self._members):
            silent = self._silent(batch[name])
            if silent.any():
                missing = batch[name].missing
                taken[name] = replace(batch[name], missing=silent if missing is None else silent | missing)
                self._found[place, start : start + len(silent)] = silent
        return taken

    def found(self) -> NDArray[np.bool_] | None:
        """Return, as (M, n), which cells they were; None without any. A word in other letters is an error."""
        if self._found is None or self._found.any():
            return self._found
        for word in sorted(self._alike):
            raise InputError(f"abstain: no answer is as given; did you mean '{word}'?")
        return None

    def _silent(self, column: Column) -> NDArray[np.bool_]:
        if column.kind == "list":
            return np.zeros(len(column.values), bool)
        if column.words is None:
            values = [_number(word) for word in self._words]
            flags = [word for word in self._words if spelled(True) == word or spelled(False) == word]
            if column.values.dtype == np.bool_:
                return np.isin(column.values, [word == "true" for word in flags])
            return np.isin(column.values, [value for value in values if value is not None])
        low = {word.casefold() for word in self._words}
        self._alike |= {word for word in column.words if word.casefold() in low and word not in self._words}
        table = np.array([word in self._words for word in column.words], bool)
        found = table[column.values] if len(table) else np.zeros(len(column.values), bool)
        return found if column.missing is None else found & ~column.missing


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
