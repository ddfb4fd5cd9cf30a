"""Which encoding a text has: told by its mark or its bytes, never guessed in silence."""

import codecs
import re

from comitia._errors import InputError
from comitia.files.sources import Source, reading

MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
#: Signs that no text holds; bytes of anything can be read as a Western encoding.
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
#: Bytes looked at in one go.
PIECE = 2**20


def encoding_of(source: Source) -> tuple[str, str | None]:
    """Return the encoding of a text, and a note where it is not the UTF-8 (or marked UTF-16) that it should be.

    All bytes are looked at: a text is in a Western encoding only if it cannot be UTF-8.
    """
    with reading(source.name), source.open() as stream:
        head = stream.read(4)
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            _require_decodable(source, encoding)
            return encoding, None
    if _decodes(source, "utf-8"):
        return "utf-8", None
    western = next(encoding for encoding in ("cp1252", "latin-1") if _decodes(source, encoding))
    return western, f"its bytes are not UTF-8 and were read as {western}"


def _require_decodable(source: Source, encoding: str) -> None:
    if not _decodes(source, encoding):
        raise InputError(
            f"{source.name}: is not CSV text (its first bytes say {encoding}, the rest is not); save it as UTF-8"
        )


def _decodes(source: Source, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with reading(source.name), source.open() as stream:
        try:
            while piece := stream.read(PIECE):
                if (odd := CONTROL.search(decoder.decode(piece))) is not None:
                    what = "zero bytes" if odd[0] == "\0" else "control characters"
                    raise InputError(f"{source.name}: is not text (it holds {what}); save it as UTF-8 text")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
