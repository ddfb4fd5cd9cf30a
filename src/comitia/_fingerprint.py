"""Checksums of predictions: of all that they say, however the samples were sharded, and of the samples of a part."""

import hashlib
import json
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from comitia._predictions import Predictions
from comitia._shards import Shard, common_dtype, stored_bytes
from comitia._threads import in_threads


def fingerprint(predictions: Predictions) -> str:
    """Return the SHA-256 (hex) of predictions, labels, mask, and what else is known of classes and samples."""
    shard, dtype = predictions.shards[0], common_dtype(predictions.shards)
    text = f"comitia 2 {shard.kind} {dtype.str} {predictions.members} {predictions.samples} {shard.width}"
    digest = hashlib.sha256(text.encode())
    for member in _digests(predictions, dtype):
        digest.update(member)
    labels = predictions.labels
    digest.update(b"none" if labels is None else labels.astype("<i8").tobytes())
    for content in _further(predictions):
        digest.update(content)
    return digest.hexdigest()


def _further(predictions: Predictions) -> Iterator[bytes]:
    """Yield what not all predictions have."""
    mask, silent = None if predictions.shared else predictions.mask(), predictions.abstained()
    if mask is not None:
        yield np.packbits(mask, axis=1).tobytes()
    if predictions.declared:
        yield b"classes" + "\0".join(predictions.class_names).encode()
    for word, known in ((b"groups", predictions.groups), (b"folds", predictions.folds)):
        if known is not None:
            yield word + known.canonical().astype("<i8").tobytes()
    if silent is not None:
        yield b"abstained" + np.packbits(silent, axis=1).tobytes()


def _digests(predictions: Predictions, dtype: "np.dtype[np.generic]") -> Iterable[bytes]:
    """Return the sha256 of each member's values; those taken while the file was checked, where they are its own."""
    first = predictions.shards[0]
    if len(predictions.shards) == 1 and first.whole and first.known is not None:
        return first.known.digests

    def look(index: int) -> bytes:
        digest = hashlib.sha256()
        for shard in predictions.shards:
            for start, stop in shard.chunks(0, shard.samples):
                stored = shard.member(index, start, stop)
                digest.update(stored_bytes(stored, stored, shard.kind, dtype))
            shard.release()
        return digest.digest()

    return in_threads(look, range(predictions.members), large=first.large)


def part_fingerprints(predictions: Predictions) -> tuple[str, ...]:
    """Return, per shard, the SHA-256 (hex) of who answered what on its samples, and of their ids if they have some.

    It is the same for members in another order or by other names, classes numbered otherwise, probabilities or the
    votes that they stand for, and whatever the labels: what tells samples that were counted before.
    """
    found, start = [], 0
    for shard in predictions.shards:
        stop = start + shard.samples
        ids = None if predictions.ids is None else predictions.ids[start:stop]
        found.append(_part_fingerprint(shard, predictions.class_names, ids))
        start = stop
    return tuple(found)


def _part_fingerprint(shard: Shard, class_names: tuple[str, ...], ids: NDArray[np.str_] | None) -> str:
    samples, classes = shard.samples, len(class_names)
    votes, mask = shard.votes(0, samples, classes), shard.masked(0, samples)
    seen = np.flatnonzero(shard.answers(classes).any(axis=0))
    names = sorted(class_names[code] for code in seen)
    # numbered as the names that occur; after them no answer, and not hold-out
    table = np.full(classes + 1, len(names), "<u4" if len(names) > 254 else "u1")
    table[[class_names.index(name) for name in names]] = np.arange(len(names))

    def look(index: int) -> bytes:
        answers = table[votes[index]]
        if mask is not None:
            answers[~mask[index]] = len(names) + 1
        return hashlib.sha256(answers.data).digest()

    digest = hashlib.sha256(f"comitia part 1 {len(votes)} {samples}".encode())
    for text in (names, [] if ids is None else ids.tolist()):
        digest.update(json.dumps(text).encode())
    for member in sorted(in_threads(look, range(len(votes)), large=shard.large)):
        digest.update(member)
    return digest.hexdigest()
