"""What a person can do about a run in each of its states: the buttons of the receipt, and the ways out of a failure."""

from __future__ import annotations

from dataclasses import dataclass

from bot import errors
from bot.channels.port import Button
from bot.texts import episode, source
from bot.texts.words import Lang
from pipeline.domain.source import Reason
from storage.queries.episode.receipt import ReceiptView


@dataclass(frozen=True)
class _Offer:
    """What the person can do in a state: verbs in order, the main one first marked."""

    verbs: tuple[str, ...] = ()
    main: str | None = None


_OFFERS = {
    "asking": _Offer(("points", "cancel"), "points"),
    "waiting": _Offer(("cancel", "reask")),
    "retrying": _Offer(("cancel", "reask")),
    "running": _Offer(("cancel", "reask")),
    "tomorrow": _Offer(("cancel", "reask")),
    "failed": _Offer(("retry", "reask"), "retry"),
    "declined": _Offer(("reask", "points"), "reask"),
    "cancelled": _Offer(("retry", "reask")),
    "review": _Offer(("retry", "cancel")),
    "held": _Offer(("reask", "points"), "reask"),
}
# What the person can give in place of what could not be read (rule SRC-5), by what it was.
_WAYS_OUT = ("paste_body", "upload_pdf", "upload_page")
_LABELS = {
    "paste_body": source.PASTE_BODY,
    "upload_pdf": source.UPLOAD_PDF,
    "upload_page": source.UPLOAD_PAGE,
    "password": source.ENTER_PASSWORD,
    "refetch": episode.REFETCH,
    "again": episode.AGAIN,
    "hint": episode.TELL_HINT,
    "cancel": episode.CANCEL,
    "reask": episode.REASK,
    "retry": episode.RETRY,
    "points": episode.TELL_POINTS,
}


def _offered(view: ReceiptView, state: str) -> _Offer:
    """What the person can do here."""
    offer = _OFFERS.get(state, _Offer())
    if state == "failed" and failed_stage(view) in ("fetch", "read"):
        return _ways_out(view)
    if state == "failed" and view.error_reason == "budget_spent":
        return _OFFERS["held"]  # another try has no calls either; another question has its own
    if state == "cancelled" and view.question is None:
        return _OFFERS["held"]  # there is nothing to do again yet
    if state == "asking" and view.hint:
        return _Offer(("hint", "points", "cancel"), "hint")
    if state == "done" and view.outdated:
        return _Offer(("again", "reask"), "again")
    if state in ("done", "declined") and view.origin:
        return _Offer((*offer.verbs, "refetch"), offer.main)
    return offer


def _ways_out(view: ReceiptView) -> _Offer:
    """A source that could not be read goes on with what the person gives; again only where that may help."""
    if view.error_reason == Reason.ENCRYPTED:
        return _Offer(("password", "paste_body"), "password")
    again = ("retry",) if view.origin or not errors.permanent(view.error_reason, failed_stage(view)) else ()
    ways = _WAYS_OUT if view.origin else ("paste_body", "upload_pdf")
    return _Offer((*again, *ways), "paste_body")


def buttons(view: ReceiptView, state: str, lang: Lang) -> tuple[Button, ...]:
    offer = _offered(view, state)
    args = {"revision": view.revision_id}
    return tuple(
        Button(_label(view, state, verb, lang), verb, dict(args), style="main" if verb == offer.main else "plain")
        for verb in offer.verbs
    )


def failed_stage(view: ReceiptView) -> str | None:
    return next((s.stage for s in view.stages if s.status == "bad"), None)


def _label(view: ReceiptView, state: str, verb: str, lang: Lang) -> str:
    """A decision about money says what it decides (rule TTS-1)."""
    if state == "review":
        missing = int(view.error_values.get("missing", 1))
        return episode.RETRY_MISSING(lang, n=missing) if verb == "retry" else episode.GIVE_UP(lang)
    return _LABELS[verb](lang)
