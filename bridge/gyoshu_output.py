"""What the user's code has written: collected in bounds, kept whole in a file when it is long, searched for markers."""
import json
import os
import re

#: Bytes of a stream that an answer carries from its beginning and its end.
HEAD, TAIL = 786432, 262144
#: The same for text that grows when it is written as JSON.
SMALL_HEAD, SMALL_TAIL = 98304, 32768
MOST_ENCODED = 950000
#: From this length on in bytes, the whole stream is kept in a file, up to MOST_KEPT.
LONG, MOST_KEPT, FILES = 30000, 64 << 20, 5
MOST_MARKERS = 500

MARKER = re.compile(r"\s*\[([A-Z][A-Z0-9_-]*)(?::([^\]\n]+))?\][ \t]*(.*)")
CATEGORIES = {
    "research_process": "OBJECTIVE HYPOTHESIS EXPERIMENT OBSERVATION ANALYSIS CONCLUSION",
    "data_operations": "DATA SHAPE DTYPE RANGE MISSING MEMORY",
    "calculations": "CALC METRIC STAT CORR",
    "artifacts": "PLOT ARTIFACT TABLE FIGURE",
    "insights": "FINDING INSIGHT PATTERN",
    "workflow": "STEP STAGE CHECKPOINT CHECK INFO WARNING ERROR DEBUG",
    "scientific": "CITATION LIMITATION NEXT_STEP DECISION",
}
CATEGORY_OF = {word: name for name, words in CATEGORIES.items() for word in words.split()}


class Stream:
    """One of stdout and stderr during one execution. Long output is kept in `BASE-N.txt`, the last few of them."""

    def __init__(self, base):
        self.base, self.number, self.path = base, 0, None
        self.begin()

    def begin(self):
        self.head, self.tail, self.total, self.kept, self.file = bytearray(), bytearray(), 0, 0, None

    def feed(self, data):
        self.total += len(data)
        rest = data
        if len(self.head) < HEAD:
            room = HEAD - len(self.head)
            self.head += data[:room]
            rest = data[room:]
        self.tail += rest
        if len(self.tail) > 2 * TAIL:
            del self.tail[:-TAIL]
        if self.file is not None:
            self.keep(data)
        elif self.total > LONG and self.kept == 0:
            self.open()
            self.keep(bytes(self.head + self.tail))

    def open(self):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        self.number += 1
        self.path = "%s-%d.txt" % (self.base, self.number)
        for path in ("%s-%d.txt" % (self.base, self.number - FILES), self.path):
            try:
                os.unlink(path)
            except OSError:
                pass
        try:
            self.file = os.open(self.path, flags, 0o600)
        except OSError:
            self.kept = -1

    def keep(self, data):
        if self.file is None or self.kept >= MOST_KEPT:
            return
        try:
            self.kept += os.write(self.file, data[:MOST_KEPT - self.kept])
        except OSError:
            self.kept = MOST_KEPT

    def result(self, name):
        """The fields of the answer, and a clean slate."""
        if self.file is not None:
            os.close(self.file)
        text, cut = self.text(HEAD, TAIL)
        if len(json.dumps(text)) > MOST_ENCODED and self.total > SMALL_HEAD:
            text, cut = self.text(SMALL_HEAD, SMALL_TAIL)
        fields = {name: text, name + "_truncated": cut, name + "_bytes": self.total}
        if self.kept > 0:
            fields[name + "_file"] = self.path
        self.begin()
        return fields

    def text(self, head, tail):
        if self.total <= head + tail and len(self.head) + len(self.tail) == self.total:
            return bytes(self.head + self.tail).decode("utf-8", "replace"), False
        everything = self.head + self.tail if len(self.tail) < tail else self.tail
        first = whole_end(bytes(self.head[:head]))
        last = whole_start(bytes(everything[-tail:]))
        left_out = self.total - len(first) - len(last)
        note = "\n... output truncated: %d of %d bytes left out here ...\n" % (left_out, self.total)
        return first.decode("utf-8", "replace") + note + last.decode("utf-8", "replace"), True


def whole_end(data):
    """Without a character that was cut at the end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return data if needed <= back else data[:-back]
    return data


def whole_start(data):
    """Without the rest of a character that was cut at the beginning."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


def markers(text):
    """The lines of the form `[TYPE] text` or `[TYPE:subtype] text`."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        match = MARKER.fullmatch(line.rstrip("\r")) if "[" in line[:200] else None
        if match is None:
            continue
        kind = match.group(1).replace("-", "_")
        category = CATEGORY_OF.get(kind, "unknown")
        found.append({"type": kind[:100], "subtype": match.group(2) and match.group(2)[:200], "content": match.group(3).strip()[:1000],
                      "line_number": number, "category": category, "valid": category != "unknown"})
        if len(found) == MOST_MARKERS:
            break
    return found
