"""The Parser port: the same promises for the fake and for the real child (rules SEC-3, RUN-9)."""

import asyncio
import io
import os
import sys
from dataclasses import replace

import pytest
from pypdf import PdfReader, PdfWriter

from eval.bench.extract import make_pdf
from pipeline.domain.errors import ChildDied, InputRejected
from pipeline.domain.source import InputType, Quality, Reason, SourceLimits
from pipeline.providers.parse_child import ParseChild
from pipeline.providers.parse_fake import FakeParser

TEXT = "标题在此\n\n第一段说了一件事，说得不算短。\n第二段说了另一件事😀，也说完了。\n"
LIMITS = SourceLimits(parse_time_s=20)


@pytest.fixture(params=["fake", "child"])
def parser(request):
    return FakeParser() if request.param == "fake" else ParseChild(LIMITS)


async def test_text_comes_back_with_blocks_that_point_into_it(parser):
    """SRC-4."""
    found = await parser.parse(TEXT.encode(), name="a.txt", kind=InputType.TEXT)
    assert found.text == TEXT
    assert found.quality is Quality.FULL
    assert [found.text[b.start : b.end] for b in found.blocks][-1] == "第二段说了另一件事😀，也说完了。"


async def test_two_calls_read_twice_and_agree(parser):
    one = await parser.parse(TEXT.encode(), name="a.txt", kind=InputType.TEXT)
    two = await parser.parse(TEXT.encode(), name="a.txt", kind=InputType.TEXT)
    assert one == two


async def test_nothing_to_read_is_refused_with_its_reason(parser):
    with pytest.raises(InputRejected) as refused:
        await parser.parse(b" \n ", name="a.txt", kind=InputType.TEXT)
    assert refused.value.reason == Reason.EMPTY_FILE


async def test_a_broken_pdf_is_refused_through_the_child():
    with pytest.raises(InputRejected) as refused:
        await ParseChild(LIMITS).parse(b"%PDF-1.4 nothing more", name="a.pdf", kind=InputType.PDF)
    assert refused.value.reason == Reason.BROKEN


async def test_a_name_that_is_no_text_does_not_stop_the_child():
    name = os.fsdecode(b"\xff\xfe.txt")
    assert (await ParseChild(LIMITS).parse(TEXT.encode(), name=name, kind=InputType.TEXT)).text == TEXT


def child(code, **limits):
    return ParseChild(replace(LIMITS, **limits), (sys.executable, "-c", code))


LIMITED = "from pipeline.worker.child import limit\nfrom pipeline.domain.source import SourceLimits\n"
DEATHS = [
    ("hangs", child("import time; time.sleep(60)", parse_time_s=1), "timeout"),
    (
        "hangs after half an answer",
        child("import sys,time; sys.stdout.write('ab'); sys.stdout.flush(); time.sleep(60)", parse_time_s=1),
        "timeout",
    ),
    (
        "closes its output and hangs",
        child("import os,time; os.close(1); os.close(2); time.sleep(60)", parse_time_s=1),
        "timeout",
    ),
    ("burns its CPU time", child(LIMITED + "limit(SourceLimits(parse_time_s=1))\nwhile True: pass"), "timeout"),
    (
        "eats memory",
        child(
            LIMITED
            + "limit(SourceLimits(parse_memory_bytes=300*1024*1024))\nx=[]\nwhile True: x.append(bytearray(10**7))"
        ),
        "memory",
    ),
    ("crashes", child("import os; os.abort()"), "crash"),
    ("ends without a word", child("pass"), "crash"),
    ("answers nonsense", child("import sys; sys.stdout.write('\\0\\0\\0\\x04nope')"), "crash"),
    ("announces more than it sends", child("import sys; sys.stdout.write('\\x7f\\0\\0\\0')"), "crash"),
]


@pytest.mark.parametrize(("parser", "reason"), [row[1:] for row in DEATHS], ids=[row[0] for row in DEATHS])
async def test_a_dying_child_costs_one_named_error(parser, reason, children):
    """SEC-3: and no process of it is left."""
    with pytest.raises(ChildDied) as died:
        await parser.parse(TEXT.encode() * 20_000, name="a.txt", kind=InputType.TEXT)
    assert died.value.reason == reason
    assert children.left() == []


async def test_the_real_child_ends_at_its_memory_limit():
    """SEC-3: the limit is set before the bytes are read, in the real child."""
    parser = ParseChild(replace(LIMITS, parse_memory_bytes=60 * 1024 * 1024))
    with pytest.raises(ChildDied) as died:
        await parser.parse("很长的一段文字，没有尽头。".encode() * 500_000, name="a.txt", kind=InputType.TEXT)
    assert died.value.reason == "memory"


@pytest.mark.parametrize("how", ["timeout", "memory", "crash"])
async def test_the_fake_dies_when_asked(how):
    fake = FakeParser()
    with pytest.raises(ChildDied) as died:
        await fake.parse(b"!die:" + how.encode(), name="a", kind=InputType.TEXT)
    assert (died.value.reason, len(fake.calls)) == (how, 1)


async def test_a_cancelled_caller_leaves_no_child(tmp_path, children):
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    parser = child(f"import time; open({str(fifo)!r}, 'w').close(); time.sleep(60)")
    task = asyncio.create_task(parser.parse(b"x", name="a", kind=InputType.TEXT))
    await asyncio.to_thread(fifo.read_bytes)  # returns when the child has opened the other end
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children.left() == []


async def test_the_child_sees_no_environment_and_cannot_write(tmp_path):
    """SEC-3: no secret of the parent's, no file of its own."""
    path = tmp_path / "file"
    path.write_bytes(b"")
    code = (
        f"PATH={str(path)!r}\n"
        + LIMITED
        + (
            "import os,sys,json,struct\n"
            "limit(SourceLimits())\n"
            "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "try:\n"
            "    fd=os.open(PATH, os.O_WRONLY)\n"
            "    os.write(fd, b'x'*10)\n"
            "    wrote='yes'\n"
            "except OSError as e:\n"
            "    wrote='no'\n"
            "p=json.dumps({'refused':'broken','what':'','values':{'wrote':wrote,'env':','.join(sorted(os.environ))}}).encode()\n"
            "sys.stdout.buffer.write(struct.pack('>I',len(p))+p)\n"
        )
    )
    with pytest.raises(InputRejected) as said:
        await child(code).parse(b"x", name="a", kind=InputType.TEXT)
    assert said.value.values["wrote"] == "no"
    assert set(said.value.values["env"].split(",")) == {
        "LC_ALL",
        "MALLOC_ARENA_MAX",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPATH",
    }


def locked(password="secret", owner="other", algorithm="AES-256"):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf(1))))
    writer.encrypt(password, owner, algorithm=algorithm)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


@pytest.fixture(params=["fake", "child"])
def unlocking(request):
    """``(parser, locked bytes, what is read of them afterwards)``; the password is ``secret``."""
    if request.param == "fake":
        return FakeParser(), b"!locked:secret\n" + TEXT.encode(), InputType.TEXT
    return ParseChild(LIMITS), locked(), InputType.PDF


async def test_the_right_password_gives_the_file_without_one(unlocking):
    """Pitfall P10."""
    parser, data, kind = unlocking
    with pytest.raises(InputRejected) as refused:
        await parser.parse(data, name="a", kind=kind)
    assert refused.value.reason == Reason.ENCRYPTED
    opened = await parser.unlock(data, password="secret")
    assert (await parser.parse(opened, name="a", kind=kind)).quality is Quality.FULL


@pytest.mark.parametrize("password", ["Secret", "", "secret\0", "\ud800", "密码", "x" * 100_000])
async def test_a_wrong_password_is_refused_and_said_nowhere(unlocking, password, capfd):
    """CHT-8."""
    parser, data, _ = unlocking
    with pytest.raises(InputRejected) as refused:
        await parser.unlock(data, password=password)
    assert refused.value.reason == Reason.WRONG_PASSWORD
    shown = repr(refused.value) + str(refused.value) + str(refused.value.values) + refused.value.remedy
    out, err = capfd.readouterr()
    assert not password.strip("\0") or password not in shown + out + err


async def test_what_is_no_pdf_is_broken_and_not_locked(unlocking):
    parser, _, _ = unlocking
    with pytest.raises(InputRejected) as refused:
        await parser.unlock(b"%PDF-1.4 nothing more", password="secret")
    assert refused.value.reason == Reason.BROKEN


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])
async def test_the_owner_s_password_opens_it_too(algorithm):
    opened = await ParseChild(LIMITS).unlock(locked(algorithm=algorithm), password="other")
    assert (await ParseChild(LIMITS).parse(opened, name="a", kind=InputType.PDF)).pages == 1


async def test_a_password_that_is_no_ascii_is_tried_as_old_writers_wrote_it():
    """Before PDF 2.0 a password is bytes of whatever codec the writer's machine had."""
    opened = await ParseChild(LIMITS).unlock(locked("caf\xe9", algorithm="RC4-128"), password="caf\xe9")
    assert opened.startswith(b"%PDF")


async def test_a_password_is_in_no_argument_and_no_environment(tmp_path):
    """CHT-8: it goes through the pipe."""
    code = (
        "import json,os,struct,sys\n"
        "n=struct.unpack('>I',sys.stdin.buffer.read(4))[0]; sys.stdin.buffer.read()\n"
        "seen=' '.join(sys.argv)+' '.join(f'{k}={v}' for k,v in os.environ.items())+open('/proc/self/cmdline').read()\n"
        "p=json.dumps({'refused':'broken','what':'','values':{'seen':'hunter'+'2' in seen}}).encode()\n"
        "sys.stdout.buffer.write(struct.pack('>I',len(p))+p)\n"
    )
    with pytest.raises(InputRejected) as said:
        await child(code).unlock(b"%PDF", password="hunter2")
    assert said.value.values["seen"] is False


@pytest.mark.parametrize(
    "code", ["import os; os.abort()", "import sys; sys.stdout.write('\\0\\0\\0\\x04nope')", "print('hunter2')"]
)
async def test_a_child_that_dies_unlocking_says_nothing_of_the_password(code):
    with pytest.raises(ChildDied) as died:
        await child(code).unlock(b"%PDF", password="hunter2")
    assert died.value.reason == "crash"
    assert "hunter2" not in f"{died.value!r} {died.value}"
