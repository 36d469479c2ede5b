"""An address → bytes in the store and a capture that says how they came (rules SRC-5, SRC-6)."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from pipeline.domain.errors import InputRejected
from pipeline.domain.run import Stage
from pipeline.domain.source import InputType, Reason
from pipeline.graphs.attempt import Attempt
from pipeline.intake.route import route
from pipeline.ports.fetch import Fetched
from storage.queries.run.work import WorkView
from storage.transactions.source.capture import Bytes, save_capture
from storage.tx import transaction

_MEDIA = {"video": "video", "audio": "audio"}
_SUFFIX = {"text/markdown": "md", "text/x-markdown": "md", "text/vtt": "vtt", "application/x-subrip": "srt"}


async def fetch(attempt: Attempt, work: WorkView, *, point: bool) -> tuple[int, Bytes]:
    """Fetch the source's address; returns the capture's id and what came.

    Raises:
        InputRejected: the address is refused, or what lies there is of a kind that is not read.
        FetchFailed: it could not be fetched.
    """
    if not work.origin:
        raise InputRejected(Reason.ADDRESS_REFUSED, why="malformed", host="")
    await attempt.enter(Stage.FETCH)
    attempt.tools.crash("fetch_before")
    fetched = await attempt.tools.fetcher.fetch(work.origin, owner_id=work.owner_id)
    kind = kind_of(fetched, attempt)
    blob = await attempt.tools.blobs.put(fetched.data, owner_id=work.owner_id)
    attempt.tools.crash("fetch_stored")
    came = Bytes(kind, blob.key, blob.sha256, blob.size_bytes, file_name(fetched, kind), fetched.charset)
    done = {
        "bytes": blob.size_bytes,
        "host": urlsplit(fetched.final_address).hostname or "",
        "moved": fetched.final_address != fetched.address,
        "robots": fetched.robots,
    }
    async with transaction(attempt.tools.engine) as tx:
        capture = await save_capture(
            tx,
            came,
            fetched,
            source_id=work.source_id,
            run_id=attempt.run_id,
            fence=attempt.fence,
            done=done,
            now=attempt.tools.clock.now(),
            point=point,
        )
    attempt.tools.crash("fetch_committed")
    return capture, came


def kind_of(fetched: Fetched, attempt: Attempt) -> InputType:
    """What came: by its bytes, and by its media type where the bytes could be anything.

    Raises:
        InputRejected: EMPTY_FILE, WRONG_KIND and the others of ``route``.
    """
    main = fetched.media_type.partition("/")[0]
    if main in _MEDIA:
        raise InputRejected(Reason.WRONG_KIND, kind=_MEDIA[main])
    name = urlsplit(fetched.final_address).path.rpartition("/")[2]
    if suffix := _SUFFIX.get(fetched.media_type):
        name = f"page.{suffix}"
    kind = route(fetched.data, name=name, limits=attempt.tools.limits.source)
    # A page without a doctype, or with a script in front of it, is still what its server says it is.
    return InputType.HTML if kind is InputType.TEXT and fetched.media_type.endswith("html") else kind


def file_name(fetched: Fetched, kind: InputType) -> str | None:
    """The last part of the address for a file; None for a page, which has a title and a host."""
    if kind is InputType.HTML:
        return None
    name = unquote(urlsplit(fetched.final_address).path.rpartition("/")[2])
    return "".join(c for c in name if c.isprintable())[:200] or None
