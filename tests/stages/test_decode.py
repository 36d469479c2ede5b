"""Bytes become characters by the codec that reads them as language; what it was is recorded (SRC-3, pitfalls W3, W4)."""

import pytest

from pipeline.domain.errors import InputRejected
from pipeline.domain.source import Reason
from pipeline.intake.decode import decoded
from pipeline.intake.plausible import plausible

HANS = "湖心站每小时记录一次水位，数据当天送到县里，这是我们的规定。"
HANT = "湖心站每小時記錄一次水位，數據當天送到縣裡，這是我們的規定。"
KANA = "観測所では毎時間ごとに水位を記録し、その日のうちに役場へ送ります。"
HANGUL = "관측소는 매시간 수위를 기록하고 그날 군청으로 자료를 보냅니다. 이것은 우리의 규정이다."
CYRILLIC = "Станция записывает уровень воды каждый час и в тот же день отправляет данные."
LATIN = "La estación anotó el nivel del agua cada hora; mañana enviará los datos al año."

# (bytes' codec, the text, what is declared, what must be chosen)
ROWS = [
    ("gb18030", HANS, "gb2312", "gb18030"),
    ("gb18030", HANS + "㐀𠮷", "gbk", "gb18030"),
    ("gb18030", HANS, "big5", "gb18030"),
    ("gb18030", HANS, "utf-8", "gb18030"),
    ("gb18030", HANS, "iso-8859-1", "gb18030"),
    ("gb18030", HANS, "windows-1251", "gb18030"),
    ("gb18030", HANS, None, "gb18030"),
    ("big5hkscs", HANT, "gb2312", "big5hkscs"),
    ("big5hkscs", HANT, "big5", "big5hkscs"),
    ("big5hkscs", HANT, None, "big5hkscs"),
    ("cp932", KANA, "shift_jis", "cp932"),
    ("cp932", KANA, "gb2312", "cp932"),
    ("cp932", KANA, None, "cp932"),
    ("euc_jp", KANA, "euc-jp", "euc_jp"),
    ("euc_jp", KANA, None, "euc_jp"),
    ("cp949", HANGUL, "euc-kr", "cp949"),
    ("cp949", HANGUL, "gb2312", "cp949"),
    ("cp1251", CYRILLIC, "windows-1251", "cp1251"),
    ("cp1251", CYRILLIC, None, "cp1251"),
    ("koi8_r", CYRILLIC, "koi8-r", "koi8-r"),
    ("cp1252", LATIN, "iso-8859-1", "cp1252"),
    ("utf-8", HANS, "gb2312", "utf-8"),
    ("utf-8", LATIN, "windows-1252", "utf-8"),
    ("utf-16", HANS, "utf-8", "utf-16-le"),
    ("utf-16-be", "hello there, station", None, "utf-16-be"),
    ("hz", "湖心站每小时记录一次水位", "hz-gb-2312", "hz"),
    ("iso2022_jp", KANA, "iso-2022-jp", "iso2022_jp"),
    ("utf-8", HANS, "no-such-codec", "utf-8"),
    ("utf-8", HANS, "rot13", "utf-8"),
]


@pytest.mark.parametrize(("codec", "text", "declared", "chosen"), ROWS, ids=[f"{r[0]} called {r[2]}" for r in ROWS])
@pytest.mark.parametrize("times", [1, 40])
def test_the_codec_that_reads_as_language_is_chosen(codec, text, declared, chosen, times):
    read = decoded((text * times).encode(codec), declared=declared)
    assert (read.codec, read.text) == (chosen, text * times)


CONFLICTS = [
    ("agreed", b"<meta charset=gbk>", "gb2312", "gb18030", False),
    ("the header alone is wrong", b"<meta charset=gbk>", "utf-8", "gb18030", True),
    ("the meta alone is wrong", b"<meta charset=big5>", "gbk", "gb18030", True),
    ("an XML declaration", b"<?xml version='1.0' encoding='big5'?>", None, "gb18030", True),
]


@pytest.mark.parametrize(
    ("head", "declared", "codec", "conflict"), [r[1:] for r in CONFLICTS], ids=[r[0] for r in CONFLICTS]
)
def test_a_conflict_is_told(head, declared, codec, conflict):
    read = decoded(head + HANS.encode("gbk"), declared=declared, markup=True)
    assert (read.codec, read.conflict) == (codec, conflict)
    assert HANS in read.text


def test_a_page_of_ascii_has_no_conflict():
    assert not decoded(b"<meta charset=gbk>hello", declared="big5", markup=True).conflict


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_text_cut_inside_a_character_is_still_utf8(cut):
    read = decoded((HANS + "😀").encode()[:-cut])
    assert (read.codec, read.text) == ("utf-8", HANS)


def test_noise_is_undecodable():
    noise = bytes((n * 73 + n // 7) % 256 for n in range(6_000))
    with pytest.raises(InputRejected) as refused:
        decoded(noise.replace(b"\0", b"\x81"))
    assert refused.value.reason == Reason.UNDECODABLE


@pytest.mark.parametrize("text", [HANS, HANT, KANA, HANGUL, CYRILLIC, LATIN, "plain ascii", ""])
def test_language_is_plausible(text):
    assert plausible(text) >= 0.5


@pytest.mark.parametrize(
    ("text", "read_as", "is_in"),
    [
        (HANS, "big5hkscs", "gb18030"),
        (HANT, "gb18030", "big5hkscs"),
        (HANS, "cp1252", "gb18030"),
        (HANS, "cp949", "gb18030"),
        (HANS, "cp1252", "utf-8"),
    ],
)
def test_a_misreading_is_not(text, read_as, is_in):
    assert plausible((text * 3).encode(is_in).decode(read_as, "replace")) < 0.5
