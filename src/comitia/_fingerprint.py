"""The checksum of predictions: the same however the samples were sharded, different where anything else differs."""

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np

from comitia._predictions import Predictions
from comitia._shards import common_dtype, stored_bytes
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
