"""What a file can be read as, remembered while its dialog is open, which is drawn again with every click.

Some files take a second in each way in which they may be meant, so that no more than one is read at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core import csv_files
from core.csv_files import BadFile, Reading
from core.encodings import Decoded
from core.ui.crowd import one_file_at_a_time

READ = "last-file-read"  # the key of the last file


@dataclass
class Read:
    """A file, the texts that it may hold, and what each that was asked for has been read as."""

    content: bytes
    texts: tuple[Decoded, ...]
    found: dict[str, tuple[Reading, ...] | BadFile] = field(default_factory=dict)  # by encoding

    def readings(self, decoded: Decoded) -> tuple[Reading, ...]:
        """Every way in which one of its texts can be read. Raises BadFile where there is none."""
        if decoded.encoding not in self.found:
            with one_file_at_a_time:
                self.found[decoded.encoding] = _read(decoded)
        found = self.found[decoded.encoding]
        if isinstance(found, BadFile):
            raise BadFile(*found.problems)
        return found

    def is_bad(self, decoded: Decoded) -> bool:
        """Whether a text can be used in no way."""
        try:
            self.readings(decoded)
        except BadFile:
            return True
        return False


def read(content: bytes) -> Read:
    """A file with its texts. Raises BadFile where it is no text."""
    known: Read | None = st.session_state.get(READ)
    if known is None or known.content != content:
        with one_file_at_a_time:
            known = st.session_state[READ] = Read(content, csv_files.texts(content))
    return known


def forget() -> None:
    """Let go of the last file, when the dialog is closed."""
    st.session_state.pop(READ, None)


def _read(decoded: Decoded) -> tuple[Reading, ...] | BadFile:
    try:
        return csv_files.readings(decoded)
    except BadFile as bad:
        return bad.with_traceback(None)
