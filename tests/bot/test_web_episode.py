"""Audio by ranges, the episode page, the evidence as one file: to the owner, and to nobody else."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser

import pytest

from bot.web.evidence_page import page
from bot.web.ranges import Piece, Unsatisfiable, piece
from storage.queries.episode.spoken import spoken
from tests.support.spoken import SAID, TITLE, Seeded, seed_spoken, spoken_view
from tests.support.web import Face, Person

MP3 = bytes(range(256)) * 8
OGG = b"OggS" + b"y" * 96


@dataclass
class House:
    web: Face
    person: Person
    seeded: Seeded
    etag: str

    def get(self, path: str, **headers: str):
        return self.person.client.get(path, headers=headers)


@pytest.fixture
async def house(web) -> House:
    person = await web.person()
    mp3, ogg = await web.blobs.put(MP3, owner_id=person.owner_id), await web.blobs.put(OGG, owner_id=person.owner_id)
    seeded = await seed_spoken(
        web.engine,
        owner_id=person.owner_id,
        chat_id=person.chat_id,
        view=spoken_view(),
        mp3_key=mp3.key,
        ogg_key=ogg.key,
    )
    return House(web, person, seeded, f'"{mp3.sha256}"')


N = len(MP3)
RANGES = [
    ("no range", None, 200, 0, N),
    ("the first byte", "bytes=0-0", 206, 0, 1),
    ("the first hundred", "bytes=0-99", 206, 0, 100),
    ("from the middle", "bytes=100-", 206, 100, N),
    ("to the last byte", f"bytes=0-{N - 1}", 206, 0, N),
    ("past the end is cut", f"bytes=10-{N + 5}", 206, 10, N),
    ("the last fifty", "bytes=-50", 206, N - 50, N),
    ("a suffix longer than the file", f"bytes=-{N + 1}", 206, 0, N),
    ("the last byte alone", f"bytes={N - 1}-", 206, N - 1, N),
    ("beyond the end", f"bytes={N}-", 416, 0, 0),
    ("an empty suffix", "bytes=-0", 416, 0, 0),
    ("several ranges are ignored", "bytes=0-1,5-6", 200, 0, N),
    ("backwards is ignored", "bytes=9-3", 200, 0, N),
    ("another unit is ignored", "items=0-1", 200, 0, N),
    ("nonsense is ignored", "bytes=a-b", 200, 0, N),
    ("nothing but a dash is ignored", "bytes=-", 200, 0, N),
]


@pytest.mark.parametrize(("header", "status", "start", "end"), [r[1:] for r in RANGES], ids=[r[0] for r in RANGES])
def test_what_a_range_selects(header, status, start, end):
    """Rule PUB-4; pitfall A3."""
    if status == 416:
        with pytest.raises(Unsatisfiable):
            piece(header, N)
    else:
        assert piece(header, N) == Piece(start, end, whole=status == 200)


async def test_ranges_of_a_file(house):
    """The same table through the wire: status, bytes, length and range agree (rule PUB-4)."""
    for name, header, status, start, end in RANGES:
        answer = await house.get(f"/media/{house.seeded.revision_id}.mp3", **({"Range": header} if header else {}))
        assert answer.status_code == status, name
        assert answer.headers["accept-ranges"] == "bytes"
        if status == 416:
            assert answer.headers["content-range"] == f"bytes */{N}", name
            continue
        assert answer.content == MP3[start:end], name
        assert answer.headers["content-length"] == str(end - start), name
        assert answer.headers["content-type"] == "audio/mpeg"
        assert answer.headers.get("content-range") == (f"bytes {start}-{end - 1}/{N}" if status == 206 else None), name


def test_a_range_of_an_empty_file():
    assert piece(None, 0) == Piece(0, 0, whole=True)
    with pytest.raises(Unsatisfiable):
        piece("bytes=0-", 0)
    with pytest.raises(Unsatisfiable):
        piece("bytes=-1", 0)


async def test_head_says_what_get_would_send(house):
    """Rule PUB-4: one size function."""
    path = f"/media/{house.seeded.revision_id}.ogg"
    head, get = await house.person.client.head(path), await house.get(path)
    assert head.content == b""
    for name in ("content-length", "content-type", "etag", "last-modified", "accept-ranges"):
        assert head.headers[name] == get.headers[name]
    assert get.content == OGG


async def test_if_range(house):
    """Rule PUB-4: a changed copy is sent whole."""
    path, part = f"/media/{house.seeded.revision_id}.mp3", {"Range": "bytes=5-9"}
    modified = (await house.get(path)).headers["last-modified"]
    for tag, status in [
        (house.etag, 206),
        ('"other"', 200),
        (f"W/{house.etag}", 200),
        (modified, 206),
        ("Mon, 01 Jan 2024 00:00:00 GMT", 200),
    ]:
        assert (await house.get(path, **part, **{"If-Range": tag})).status_code == status, tag


async def test_a_copy_that_is_current_is_not_sent_again(house):
    path = f"/media/{house.seeded.revision_id}.mp3"
    answer = await house.get(path, **{"If-None-Match": house.etag})
    assert (answer.status_code, answer.content) == (304, b"")
    assert (await house.get(path, **{"If-None-Match": '"x"'})).status_code == 200


async def test_another_owner_finds_nothing(house):
    """Private media and pages: owner and state are checked, and the answer does not tell which failed."""
    other = await house.web.person()
    n = house.seeded.revision_id
    for path in (f"/media/{n}.mp3", f"/media/{n}.ogg", f"/e/{n}", f"/e/{n}/evidence.html", f"/e/{n}/transcript.vtt"):
        mine, foreign, nobody = (
            await house.get(path),
            await other.client.get(path),
            await other.client.get(path.replace(str(n), "99999")),
        )
        assert (mine.status_code, foreign.status_code, nobody.status_code) == (200, 404, 404), path
        assert foreign.text == nobody.text
    assert (await house.get(f"/media/{n}.wav")).status_code in (404, 422)


class Reader(HTMLParser):
    """Text of #stored, ids, and everything that would make a request."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.requests: list[str] = []
        self.links: list[str] = []
        self.stored = ""
        self._depth = 0

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if "id" in named:
            self.ids.append(named["id"])
        for name in ("src", "href", "poster", "data", "action"):
            value = named.get(name)
            if value is None or tag in ("a", "use"):
                self.links += [value] if value and tag == "a" else []
                continue
            if not value.startswith("data:"):
                self.requests.append(f"{tag} {name}={value}")
        if self._depth or named.get("id") == "stored":
            self._depth += tag not in ("br", "hr", "meta", "link", "input")

    def handle_endtag(self, tag):
        self._depth -= bool(self._depth)

    def handle_data(self, data):
        if self._depth:
            self.stored += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


async def test_the_episode_page_shows_each_quote_in_its_text(house):
    n = house.seeded.revision_id
    view = await spoken(house.web.engine, n, owner_id=house.person.owner_id)
    html = (await house.get(f"/e/{n}")).text
    reader = read(html)
    assert reader.stored == view.source.text
    for s in view.sentences:
        assert f"s{s.index}" in reader.ids
        for q in s.quotes:
            assert f"q{q.start}-{q.end}" in reader.ids
            assert f"#q{q.start}-{q.end}" in reader.links
    assert len(reader.ids) == len(set(reader.ids))
    assert "资料未说明：换成别的亮度会怎样" in html


async def test_the_evidence_file_asks_for_nothing(house):
    """One file that works from disk: no address but its own anchors, and a policy that forbids any."""
    n = house.seeded.revision_id
    answer = await house.get(f"/e/{n}/evidence.html")
    reader = read(answer.text)
    assert reader.requests == []
    assert all(link.startswith("#") for link in reader.links)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["content-security-policy"] == re.search(r'Security-Policy" content="([^"]+)"', answer.text)[
        1
    ].replace("&#39;", "'")
    assert "data:audio/mpeg;base64," in answer.text
    assert not re.search(r"url\(|@import", answer.text)
    saved = await house.get(f"/e/{n}/evidence.html?save=1")
    assert saved.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_evidence_file_holds_the_whole_stored_text(lang):
    view = spoken_view()
    reader = read(page(view, lang, None))
    assert reader.stored == view.source.text
    assert {f"q{q.start}-{q.end}" for s in view.sentences for q in s.quotes} <= set(reader.ids)
    assert "s1" in reader.ids


def test_hostile_words_stay_words_in_the_evidence_file():
    """Rule EVD-8."""
    bad = "</style></script><script>alert(1)</script><img src=x onerror=alert(1)>"
    paragraphs = (("title", 1, bad), ("paragraph", 0, f"前 {bad} 后。"))
    view = spoken_view(
        title=bad, name=bad, question=bad, gaps=(bad,), paragraphs=paragraphs, said=(("fact", f"前 {bad} 后。", bad),)
    )
    html = page(view, "zh", b"x")
    assert "<script>alert" not in html
    assert "<img" not in html
    assert html.count("<script>") == 1
    assert read(html).stored == view.source.text


def test_white_space_and_odd_characters_survive():
    paragraphs = (("paragraph", 0, "  a\n\tb  c & d < e  "), ("code", 0, "x = '1'\n\n  y"))
    view = spoken_view(paragraphs=paragraphs, said=(("fact", "b  c & d < e", ""),))
    view = replace(view, source=replace(view.source, text="\n" + view.source.text + "\n\n", blocks=()))
    quote = replace(
        view.sentences[0].quotes[0], start=view.source.text.index("b  c"), end=view.source.text.index(" < e") + 4
    )
    view = replace(view, sentences=(replace(view.sentences[0], quotes=(quote,)),))
    assert read(page(view, "en", None)).stored == view.source.text


async def test_a_finished_revision_reads_back_as_it_was_seeded(house):
    view = await spoken(house.web.engine, house.seeded.revision_id, owner_id=house.person.owner_id)
    assert [s.text for s in view.sentences] == [words for _, words, _ in SAID]
    assert view.source.title == TITLE
    assert all(view.source.text[q.start : q.end] == q.text for s in view.sentences for q in s.quotes)


async def test_subtitles_come_from_the_given_renderer(house):
    answer = await house.get(f"/e/{house.seeded.revision_id}/transcript.vtt")
    assert answer.headers["content-type"] == "text/vtt; charset=utf-8"
    assert answer.text.startswith("WEBVTT")
