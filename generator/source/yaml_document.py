"""YAML to the same document that JSON gives: the part of YAML 1.2 that says what JSON can say, and nothing more.

Comments, block texts and plain scalars are what authors want; aliases are allowed while they stay small. Tags, merge
keys, directives, further documents and keys that are no texts mean different things to different tools: refused.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

import yaml  # this module is imported only where there is YAML to read

from generator.diagnostics.model import Finding
from generator.source.document import MAX_BYTES, Document, Json, at_places, decode, line_starts, not_object, place
from generator.source.limits import MAX_DEPTH
from generator.source.pointer import child
from generator.source.scan import Fault, Scan
from generator.source.yaml_words import in_words, meaning

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# What a value costs beside its characters, and what a document may cost in all: some 30,000 values, or 2 MiB of text,
# aliases written out. The parser takes about a second for as much; no real scenario has a thousand values.
_VALUE_COST: Final = 64
_MOST: Final = 2 * MAX_BYTES
_FEATURE: Final = "document_yaml_feature"
_ALIAS: Final = "document_yaml_alias"


@dataclass(slots=True)
class _Node:
    """One value: where it begins, what it costs with every alias written out, how many levels it has."""

    value: Json
    at: int
    size: int = _VALUE_COST
    height: int = 0
    members: list[tuple[str, int, _Node]] = field(default_factory=list)
    items: list[_Node] = field(default_factory=list)


class _StopError(Exception):
    """The document cannot be read any further; the fault is already noted."""


def read_yaml(data: bytes, file: str) -> Document | tuple[Finding, ...]:
    """Parse the bytes of one YAML document.

    Args:
        data: The whole file, at most `MAX_BYTES` (the caller bounds its reading).
        file: Name of the file, relative to the scenario directory.

    Returns:
        The document, or at least one finding with a position and a code `document_*`.
    """
    text = decode(data)
    if isinstance(text, Finding):
        return (text,)
    builder = _Builder(text)
    with suppress(_StopError):
        builder.document()
    if builder.faults:
        return at_places(sorted(builder.faults, key=lambda fault: fault.offset), text)
    top = builder.top
    if top is None or not isinstance(top.value, dict):
        value, offset = (top.value, top.at) if top else (None, 0)
        return (not_object(value, place(line_starts(text), offset)),)
    return Document(top.value, text, file, outline=lambda: _outline(top))


class _Builder:
    """Turns the parser's events into nodes; recursion is bounded by `MAX_DEPTH`, work by `MAX_BYTES`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.faults: list[Fault] = []
        self.top: _Node | None = None
        self.anchors: dict[str, _Node | None] = {}  # None while the anchored value is still open
        self.written = 0
        self.events = self._parse()

    def document(self) -> None:
        """Read the one document."""
        next(self.events)  # the start of the stream
        start = next(self.events)
        if not isinstance(start, yaml.DocumentStartEvent):
            raise self.stop("document_empty", 0, "", "the file is empty", "one object: name: value, line by line")
        if start.tags or start.version not in (None, (1, 2)):
            hint = "the document without directives"
            self.note(_FEATURE, _begin(start), "", "a directive, which tools read differently", hint)
        self.top = self.node(next(self.events), "", 1)
        next(self.events)  # the end of the document
        more = next(self.events)
        if isinstance(more, yaml.DocumentStartEvent):
            raise self.stop(_FEATURE, _begin(more), "", "a second document in one file", "one document")

    def node(self, event: yaml.Event, pointer: str, depth: int) -> _Node:
        """The node that begins with `event`."""
        at = _begin(event)
        if isinstance(event, yaml.AliasEvent):
            return self.alias(str(event.anchor), at, pointer, depth)
        assert isinstance(event, yaml.NodeEvent)
        anchor: str | None = event.anchor
        if anchor is not None:
            if anchor in self.anchors:
                self.note(_ALIAS, at, pointer, f"the anchor &{anchor} stands twice", "a name of its own")
            self.anchors[anchor] = None
        if getattr(event, "tag", None) is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")  # type: ignore[attr-defined]
            message = f"the tag {tag}, which only some tools know"
            self.note(_FEATURE, at, pointer, message, "the value without its tag; quotes around what is to be a text")
        made = self.scalar(event, pointer) if isinstance(event, yaml.ScalarEvent) else self.group(event, pointer, depth)
        if anchor is not None:
            self.anchors[anchor] = made
        return made

    def alias(self, name: str, at: int, pointer: str, depth: int) -> _Node:
        """A copy of the anchored node, as if it had been written out here."""
        meant = self.anchors.get(name)
        if meant is None:
            inside = name in self.anchors
            message = f"*{name} stands inside the value it refers to" if inside else f"there is no &{name} before this"
            self.note(_ALIAS, at, pointer, message, "the value itself")
            return _Node(None, at)
        if depth + meant.height > MAX_DEPTH + 1:
            raise self.too_deep(at, pointer)
        self.grow(meant.size, at, pointer)
        value = copy.deepcopy(meant.value)  # shared values would change together
        return _Node(value, at, meant.size, meant.height, meant.members, meant.items)

    def scalar(self, event: yaml.ScalarEvent, pointer: str) -> _Node:
        """A text, number, truth value or null."""
        at = _begin(event)
        size = _VALUE_COST + len(event.value)
        self.grow(size, at, pointer)
        value = meaning(event.value) if event.style is None and event.tag is None else event.value
        if isinstance(value, float) and not isfinite(value):
            shown = event.value if len(event.value) <= 20 else f"{event.value[:12]}… ({len(event.value)} characters)"
            message = f"the number {shown} is not finite"
            self.note("document_number", at, pointer, message, "a finite number, such as 600")
        if isinstance(value, str):
            self.text_faults(value, at, pointer)
        return _Node(value, at, size)

    def group(self, event: yaml.Event, pointer: str, depth: int) -> _Node:
        """An object or a list."""
        at = _begin(event)
        if depth > MAX_DEPTH:
            raise self.too_deep(at, pointer)
        before = self.written
        self.grow(_VALUE_COST, at, pointer)
        if isinstance(event, yaml.MappingStartEvent):
            made = _Node({}, at)
            self.members(made, pointer, depth)
        else:
            made = _Node([], at)
            self.items(made, pointer, depth)
        made.size = self.written - before
        below = [node for _, _, node in made.members] + made.items
        made.height = 1 + max((node.height for node in below), default=0)
        return made

    def members(self, made: _Node, pointer: str, depth: int) -> None:
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            name_at = _begin(event)
            name = self.name(self.node(event, pointer, depth + 1), event, pointer)
            below = child(pointer, name)
            if name in made.value:
                message = f'"{name}" stands twice in one object'
                self.note("document_duplicate_key", name_at, below, message, "each member once")
            node = self.node(next(self.events), below, depth + 1)
            made.value.setdefault(name, node.value)
            made.members.append((name, name_at, node))

    def items(self, made: _Node, pointer: str, depth: int) -> None:
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            node = self.node(event, child(pointer, len(made.items)), depth + 1)
            made.value.append(node.value)
            made.items.append(node)

    def name(self, key: _Node, event: yaml.Event, pointer: str) -> str:
        """The name that a key stands for; what is no text becomes a fault and the text it was written as."""
        written = str(getattr(event, "value", "?"))
        if isinstance(key.value, str):
            if key.value == "<<" and getattr(event, "style", None) is None:
                message = "<< merges objects in some tools and is a plain name in others"
                self.note(_FEATURE, key.at, pointer, message, "the members themselves")
            return key.value
        kind = "an object or a list" if isinstance(key.value, dict | list) else f"{written or 'null'}, which is no text"
        self.note(_FEATURE, key.at, pointer, f"a key that is {kind}", "a text, in quotes where it looks like a number")
        return written

    def text_faults(self, value: str, at: int, pointer: str) -> None:
        """What no text may hold."""
        if "\0" in value:
            message = "a text with the character NUL (\\0)"
            self.note("document_nul", at, pointer, message, "the text without \\0")
        if _SURROGATE.search(value):
            message = "a text with half a surrogate pair, which is no character"
            self.note("document_lone_surrogate", at, pointer, message, "the character itself, or \\U and 8 digits")

    def grow(self, size: int, at: int, pointer: str) -> None:
        """Count what is written out so far."""
        self.written += size
        if self.written > _MOST:
            message = "more values than a document may hold, with its aliases written out"
            raise self.stop("document_too_large", at, pointer, message, "less; data belongs in assets")

    def too_deep(self, at: int, pointer: str) -> _StopError:
        message = f"nested more than {MAX_DEPTH} levels deep"
        return self.stop("document_too_deep", at, pointer, message, f"at most {MAX_DEPTH} levels")

    def note(self, code: str, at: int, pointer: str, message: str, hint: str) -> None:
        self.faults.append(Fault(code, at, pointer, message, hint))

    def stop(self, code: str, at: int, pointer: str, message: str, hint: str) -> _StopError:
        self.note(code, at, pointer, message, hint)
        return _StopError()

    def _parse(self) -> Iterator[yaml.Event]:
        """The parser's events; its complaint ends them as a fault."""
        try:
            yield from yaml.parse(self.text, Loader=yaml.SafeLoader)
        except yaml.reader.ReaderError as error:
            character = f"U+{ord(self.text[error.position]):04X}"
            message = f"the character {character}, which may not stand in YAML as it is"
            raise self.stop("document_syntax", error.position, "", message, "its escape, in double quotes") from None
        except yaml.MarkedYAMLError as error:
            message, hint = in_words(f"{error.problem} ({error.context})")
            mark: Any = error.problem_mark
            if "never closed" in message:
                mark = error.context_mark or mark
            raise self.stop("document_syntax", mark.index if mark else 0, "", message, hint) from None
        except (ValueError, OverflowError):  # the parser lets them through
            message = "an escape or a version number that is out of range"
            raise self.stop("document_syntax", 0, "", message, "the character itself") from None


def _begin(event: yaml.Event) -> int:
    mark: Any = event.start_mark
    return int(mark.index)


def _outline(top: _Node) -> Scan:
    """Offsets of all values and names by pointer."""
    found = Scan()
    ahead = [("", top)]
    while ahead:
        pointer, node = ahead.pop()
        found.values[pointer] = node.at
        for name, name_at, below in node.members:
            found.names[child(pointer, name)] = name_at
            ahead.append((child(pointer, name), below))
        ahead += [(child(pointer, index), below) for index, below in enumerate(node.items)]
    return found
