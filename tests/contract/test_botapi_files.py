"""Files of the Bot API simulator as two independent clients see them: up, down, and what becomes of them on the way."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image

from eval.simulators.botapi.limits import MIB, Limits
from tests.support.sounds import sound


@pytest.fixture
async def ann(telegram):
    await telegram.limits(flood=False)
    return await telegram.user("Ann")


def picture(width: int = 320, height: int = 200, form: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 120, 40)).save(out, form)
    return out.getvalue()


NOISE = random.Random(7).randbytes(300_000) + b"\r\n--boundary\r\nContent-Length: 3\r\n\r\n\x00\xff"


async def test_a_document_comes_back_byte_for_byte(telegram, bot, ann):
    sent = await bot.send_file("document", ann.id, NOISE, name="évidence 证据.html", caption="Read this")
    assert (sent.document.file_name, sent.document.file_size) == ("évidence 证据.html", len(NOISE))
    assert await bot.download(sent.document.file_id) == NOISE
    seen = (await ann.chat.view()).last
    assert (seen.media, seen.text, seen.file_name) == ("document", "Read this", "évidence 证据.html")
    assert await telegram.file(seen.file_id) == NOISE


@pytest.mark.parametrize("form", ["ogg", "mp3", "m4a"])
async def test_a_voice_is_ogg_opus_mp3_or_m4a(bot, ann, form):
    sent = await bot.send_file("voice", ann.id, sound(form), name=f"note.{form}", duration=1)
    assert sent.voice is not None
    assert sent.voice.file_size == len(sound(form))
    assert (await ann.chat.view()).last.media == "voice"
    assert await bot.download(sent.voice.file_id) == sound(form)


@pytest.mark.parametrize(("kind", "data"), [("voice", "wav"), ("audio", "wav"), ("audio", "ogg"), ("voice", "")])
async def test_what_cannot_be_played_arrives_as_a_file(bot, ann, kind, data):
    """By its bytes, whatever it is called."""
    sent = await bot.send_file(kind, ann.id, sound(data) if data else b"no sound at all", name="note.ogg")
    assert sent.document.file_name == "note.ogg"
    assert sent.voice is None
    assert sent.audio is None


@pytest.mark.parametrize("form", ["mp3", "m4a"])
async def test_an_audio_says_its_title_and_who_speaks(bot, ann, form):
    sent = await bot.send_file("audio", ann.id, sound(form), name=f"a.{form}", title="The bridge", performer="Earmark")
    assert (sent.audio.title, sent.audio.performer) == ("The bridge", "Earmark")
    assert (await ann.chat.view()).last.media == "audio"


async def test_who_forbids_voice_gets_none_and_still_gets_audio(bot, ann):
    await ann.forbid_voice()
    with pytest.raises(bot.errors.bad, match="(?i)voice_messages_forbidden"):
        await bot.send_file("voice", ann.id, sound("ogg"), name="a.ogg")
    await bot.send_file("audio", ann.id, sound("mp3"), name="a.mp3")
    await ann.forbid_voice(False)
    await bot.send_file("voice", ann.id, sound("ogg"), name="a.ogg")
    assert [m.media for m in (await ann.chat.view()).bot] == ["audio", "voice"]


@pytest.mark.parametrize(("length", "fits"), [(1024, True), (1025, False)])
async def test_a_caption_has_1024_utf16_units_at_most(bot, ann, length, fits):
    """CHT-4."""
    caption = "📚" * 500 + "a" * (length - 1000)
    if fits:
        sent = await bot.send_file("document", ann.id, b"abc", caption=caption)
        assert sent.caption == caption
        return
    with pytest.raises(bot.errors.bad, match="(?i)message caption is too long"):
        await bot.send_file("document", ann.id, b"abc", caption=caption)
    assert (await ann.chat.view()).messages == []


async def test_a_caption_has_entities_and_is_edited_by_itself(bot, ann):
    bold = {"type": "bold", "offset": 3, "length": 4}
    sent = await bot.send_file("voice", ann.id, sound("ogg"), caption="📚 Good day", entities=[bold])
    (entity,) = sent.caption_entities
    assert (entity.offset, entity.length) == (3, 4)
    await bot.edit_caption(ann.id, sent.message_id, "Better", buttons=[[{"text": "Go", "callback_data": "g"}]])
    seen = (await ann.chat.view()).last
    assert (seen.media, seen.text, seen.before, seen.labels) == ("voice", "Better", ("📚 Good day",), ["Go"])
    with pytest.raises(bot.errors.bad, match="(?i)no text in the message"):
        await bot.edit_text(ann.id, sent.message_id, "words")
    words = await bot.send(ann.id, "words")
    with pytest.raises(bot.errors.bad, match="(?i)no caption in the message"):
        await bot.edit_caption(ann.id, words.message_id, "caption")


async def test_a_file_is_sent_again_by_its_id(bot, ann):
    sent = await bot.send_file("voice", ann.id, sound("ogg"), name="a.ogg")
    again = await bot.send_file("voice", ann.id, sent.voice.file_id)
    assert again.voice.file_unique_id == sent.voice.file_unique_id
    with pytest.raises(bot.errors.bad, match="(?i)wrong file identifier"):
        await bot.send_file("voice", ann.id, "no-such-id")
    with pytest.raises(bot.errors.bad, match="(?i)failed to get http url content"):
        await bot.send_file("voice", ann.id, "https://e.example/a.ogg")


async def test_an_empty_file_is_refused(telegram, ann):
    """As a multipart body of our own: neither library sends one."""
    files = {"document": ("a.txt", b"", "text/plain")}
    url = f"{telegram.base}/bot{telegram.token}/sendDocument"
    answer = await telegram.wire.client.post(url, data={"chat_id": ann.id}, files=files)
    assert answer.json()["description"] == "Bad Request: file must be non-empty"
    answer = await telegram.wire.client.post(url, data={"chat_id": ann.id})
    assert answer.json()["description"] == "Bad Request: there is no document in the request"


async def test_an_upload_above_50_mb_is_413(telegram, bot, ann):
    assert Limits().upload_bytes == 50 * MIB
    await telegram.limits(upload_bytes=1000)  # the rule, without moving 50 MB
    await bot.send_file("document", ann.id, bytes([7]) * 1000)
    with pytest.raises(bot.errors.too_large, match="(?i)request entity too large"):
        await bot.send_file("document", ann.id, bytes([7]) * 1001)
    assert len((await ann.chat.view()).messages) == 1


async def test_a_file_above_20_mb_cannot_be_fetched(bot, ann):
    await ann.send_file("document", name="fits.pdf", size_bytes=20 * MIB)
    await ann.send_file("document", name="large.pdf", size_bytes=20 * MIB + 1)
    fits, large = [u.message.document for u in await bot.updates()]
    assert large.file_size == 20 * MIB + 1
    with pytest.raises(bot.errors.bad, match="(?i)file is too big"):
        await bot.download(large.file_id)
    assert len(await bot.download(fits.file_id)) == 20 * MIB
    with pytest.raises(bot.errors.bad, match="(?i)wrong file_id"):
        await bot.download("no-such-id")


async def test_a_link_to_a_file_lasts_an_hour(telegram, ann):
    """Over the wire: the libraries ask for a link and follow it in one call."""
    number = await ann.send_file("document", b"%PDF-1.7", name="report.pdf", mime="application/pdf")
    (update,) = await telegram.pending()
    document = update["message"]["document"]
    assert (update["message"]["message_id"], document["file_name"], document["mime_type"]) == (
        number,
        "report.pdf",
        "application/pdf",
    )
    path = (await telegram.call("getFile", file_id=document["file_id"])).json()["result"]["file_path"]
    url = f"{telegram.base}/file/bot{telegram.token}/{path}"
    assert path.endswith(".pdf")
    assert (await telegram.wire.client.get(url)).content == b"%PDF-1.7"
    assert (await telegram.wire.client.get(url.replace(telegram.token, "1:" + "a" * 35))).status_code == 401
    await telegram.advance(3601)
    assert (await telegram.wire.client.get(url)).status_code == 404
    await telegram.limits(names_lost=True)
    path = (await telegram.call("getFile", file_id=document["file_id"])).json()["result"]["file_path"]
    assert "." not in path


async def test_a_photo_comes_in_sizes_the_largest_last(telegram, bot, ann):
    data = picture()
    sent = await bot.send_file("photo", ann.id, data, name="a.png", caption="A bridge")
    assert [(s.width, s.height) for s in sent.photo] == [(90, 56), (320, 200)]
    assert await bot.download(sent.photo[-1].file_id) == data
    seen = (await ann.chat.view()).last
    assert (seen.media, seen.text) == ("photo", "A bridge")
    assert await telegram.file(seen.file_id) == data


async def test_a_photo_is_a_picture_of_10_mb_and_of_a_shape(telegram, bot, ann):
    assert Limits().photo_bytes == 10 * MIB
    with pytest.raises(bot.errors.bad, match="(?i)image_process_failed"):
        await bot.send_file("photo", ann.id, b"no picture")
    with pytest.raises(bot.errors.bad, match="(?i)photo_invalid_dimensions"):
        await bot.send_file("photo", ann.id, picture(1000, 40))
    await telegram.limits(photo_bytes=100)
    with pytest.raises(bot.errors.bad, match="(?i)too big for a photo"):
        await bot.send_file("photo", ann.id, picture())
    assert (await ann.chat.view()).messages == []


async def test_an_album_is_several_messages_with_one_group(bot, ann):
    files = [("photo", picture(), "a.png", "First"), ("photo", picture(200, 320), "b.png", None)]
    one, two = await bot.send_group(ann.id, files)
    assert one.media_group_id == two.media_group_id
    assert (one.caption, two.caption) == ("First", None)
    seen = (await ann.chat.view()).shown
    assert [(m.media, m.album) for m in seen] == [("photo", one.media_group_id)] * 2
    assert await bot.download(two.photo[-1].file_id) == files[1][1]


WRONG_ALBUMS = [
    ("one", [("document", b"a", "a.txt", None)]),
    ("eleven", [("document", b"a%d" % n, "a.txt", None) for n in range(11)]),
    ("mixed", [("document", b"a", "a.txt", None), ("photo", picture(), "a.png", None)]),
]


@pytest.mark.parametrize("files", [c[1] for c in WRONG_ALBUMS], ids=[c[0] for c in WRONG_ALBUMS])
async def test_an_album_is_two_to_ten_of_a_kind(bot, ann, files):
    with pytest.raises(bot.errors.bad, match="(?i)album"):
        await bot.send_group(ann.id, files)
    assert (await ann.chat.view()).messages == []
