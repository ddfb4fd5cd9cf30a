"""How the classes true and false are spelled: alike in all columns, and as 1 and 0 beside numbers."""

from collections.abc import Sequence

from comitia.files.sheets import Sheet
from comitia.files.store import Store

FLAGS = ("false", "true")


class Spelling:
    """One spelling of each class in all columns of some tables, and in classes that are known already.

    Only true and false have several: as booleans, as texts in any letters, as 1 and 0.
    """

    def __init__(self, sheets: Sequence[Sheet], known: Sequence[str] = ()) -> None:
        stores = [sheet.store for sheet in sheets]
        members = [(own.numeric[k], own.words(k)) for own in stores for k in _of(own, "classes")]
        labels = [(s.labels.numeric, list(s.labels.words)) for s in sheets if s.labels is not None]
        flags = {word for _, words in [*members, *labels] if _are_flags(words) for word in words}
        numbers = any(numeric and words and not _are_flags(words) for numeric, words in [*members, *labels])
        shares = any(_of(own, "numbers") for own in stores)  # beside them, true is the probability 1
        numbers |= bool({"0", "1"} & set(known)) or (
            shares and any(_are_flags(words) for _, words in members)
        )
        self._spelled = _spellings(flags, [word for word in known if word.casefold() in FLAGS], numbers)

    def all(self, words: Sequence[str]) -> list[str]:
        """Return the words as they are spelled."""
        return [self._spelled.get(word, word) for word in words]

    def judged(self, sheet: Sheet) -> Sheet:
        """Return the sheet with its columns spelled so."""
        for place in range(len(sheet.store.names)) if self._spelled else ():
            if sheet.store.kinds[place] == "classes" and _are_flags(sheet.store.words(place)):
                sheet.store.respell(place, self._spelled)
        return sheet


def _of(store: Store, kind: str) -> list[int]:
    return [place for place, own in enumerate(store.kinds) if own == kind]


def _are_flags(words: Sequence[str]) -> bool:
    return bool(words) and all(word.casefold() in FLAGS for word in words)


def _spellings(flags: set[str], known: Sequence[str], numbers: bool) -> dict[str, str]:
    """Return how each of the spellings that occur is spelled from now on; nothing where there is one of each."""
    plain = {word.casefold(): word for word in known}
    if numbers and not known:
        return {word: str(FLAGS.index(word.casefold())) for word in flags}
    if not known and len(flags) == len({word.casefold() for word in flags}):
        return {}
    return {word: plain.get(word.casefold(), word.casefold()) for word in flags}
