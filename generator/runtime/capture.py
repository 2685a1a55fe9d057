"""Keep both ends of an output of any length in constant memory."""

from __future__ import annotations


class Ring:
    """The first and the last `keep` bytes of what is fed to it, and a count of the rest."""

    def __init__(self, keep: int) -> None:
        """Keep `keep` bytes of each end."""
        self._keep = keep
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the output."""
        self.total += len(chunk)
        room = self._keep - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail += chunk
        if len(self._tail) > 2 * self._keep:
            del self._tail[: len(self._tail) - self._keep]

    @property
    def omitted(self) -> int:
        """Bytes that `content` does not hold."""
        return max(0, self.total - len(self._head) - self._keep)

    def content(self) -> bytes:
        """Both ends; between them, when something is missing, a line that says how much."""
        if not self.omitted:
            return bytes(self._head + self._tail)
        tail = self._tail[len(self._tail) - self._keep :]
        return bytes(self._head) + b"\n[... %d bytes left out ...]\n" % self.omitted + bytes(tail)
