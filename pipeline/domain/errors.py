"""Every error the product raises on purpose, in one tree.

ProductError
├── UserError            the user can fix it          → a sentence from bot/texts; no retry, no page
│   ├── InputRejected        file, link or text refused
│   └── Ignored              nothing to do and nothing to say: the update is set aside with the reason
├── RuleViolation        a domain rule said no        → a sentence from bot/texts; no retry, count it
│   ├── IllegalTransition    the state machine has no such edge
│   ├── QuoteNotFound        the quoted words are not at the span
│   ├── NotYours             the presser does not own it
│   ├── AudioRejected        the finished audio breaks a rule (AUD-2, AUD-3, TTS-4)
│   ├── BudgetSpent          the run has made all the calls it may make
│   └── RequestConflict      the same request key came with another payload (SRC-2)
├── ProviderError        a service or child failed    → by leaf, then retry or park the run
│   ├── NeverSent            no connection was made: may be repeated
│   ├── Refused              no, for good
│   ├── OutcomeUnknown       asked, and no answer came: it may have been done and billed; a person decides
│   ├── Expired              what the receipt points to is gone
│   ├── FetchFailed          a page could not be fetched: whose fault, and whether again, is in it
│   └── ChildDied            a limited child process crashed, ran out of time or of memory
├── Contention           another worker won the race  → drop the result, silently
├── Cancelled            a person asked to stop       → the run ends as CANCELLED
└── Defect               our own bug                  → no retry, page
    ├── MissingRow           a row that must exist does not
    └── LockOrderViolation   locks taken against storage/locks.py

``tests/architecture/test_errors.py`` fails if the drawing and the classes differ.
"""

from __future__ import annotations

from typing import Any


class ProductError(Exception):
    """``str(error)`` says what happened, with values; ``remedy`` says what to do next, for logs and the terminal.

    What a person reads in a chat comes from bot/texts, chosen by the class and its ``reason``.
    """

    remedy = "Try again; if it happens again, look at `earmark runs show`."

    def __init__(self, what: str, *, remedy: str | None = None) -> None:
        super().__init__(what)
        self.remedy = remedy or type(self).remedy


class UserError(ProductError): ...


class InputRejected(UserError):
    """``reason`` is one of pipeline/domain/source.py ``Reason``: the key of the sentence; ``values`` fill it."""

    remedy = "Send text, an HTML page, a PDF, Markdown or TXT."

    def __init__(self, reason: str, what: str = "", /, *, remedy: str | None = None, **values: str | int) -> None:
        self.reason, self.values = str(reason), values
        super().__init__(what or f"{reason} {values}", remedy=remedy)


class Ignored(UserError):
    """``str(error)`` is the reason; the person is not told, because nothing of theirs is missing."""

    remedy = "Send it as a new message."


class RuleViolation(ProductError): ...


class IllegalTransition(RuleViolation):
    def __init__(self, machine: str, state: str, event: str, allowed: frozenset[str]) -> None:
        self.machine, self.state, self.event, self.allowed = machine, state, event, allowed
        super().__init__(
            f"{machine}: event {event!r} is not allowed in state {state!r}",
            remedy=f"Allowed now: {', '.join(sorted(allowed)) or 'nothing, the state is final'}.",
        )


class QuoteNotFound(RuleViolation):
    remedy = "Drop the claim or extract it again from the same source version; never edit the quote."


class NotYours(RuleViolation):
    remedy = "Only the owner decides."


class AudioRejected(RuleViolation):
    """``reason`` is one of ``too_long | undecodable | duration_mismatch | suspect_segment | coverage``."""

    remedy = "The script and its segments are kept; press retry, or ask a narrower question."

    def __init__(self, reason: str, what: str, *, length_ms: int | None = None) -> None:
        self.reason, self.length_ms = reason, length_ms  # length_ms: of what was too long, where it is known
        super().__init__(what)


class BudgetSpent(RuleViolation):
    remedy = "Ask a narrower question; what was made is kept."


class RequestConflict(RuleViolation):
    remedy = "Use a new request key for a new request."


class ProviderError(ProductError):
    def __init__(self, provider: str, what: str, *, retry_after_s: float | None = None) -> None:
        self.provider, self.retry_after_s = provider, retry_after_s
        super().__init__(f"{provider}: {what}")


class NeverSent(ProviderError): ...


class Refused(ProviderError): ...


class OutcomeUnknown(ProviderError):
    """What the person is told before deciding (rule TTS-1): how many of ``parts`` are not there.

    ``marks`` are the fingerprints of those that are missing, so that the decision is about these and no others.
    """

    remedy = "Look at the provider's own record, then press retry or give up; a retry may be billed twice."

    def __init__(self, provider: str, what: str, *, marks: tuple[str, ...] = (), parts: int = 1) -> None:
        self.marks, self.missing, self.parts = marks, len(marks) or 1, parts
        super().__init__(provider, what)


class Expired(ProviderError): ...


class FetchFailed(ProviderError):
    """``reason`` is ``dns | connect | tls | timeout | broken | status``; ``status`` is the HTTP answer, where one came.

    ``again`` says whether the machine may try once more by itself (rule MDL-1: transport failures only).
    """

    def __init__(
        self,
        host: str,
        reason: str,
        *,
        status: int | None = None,
        again: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        self.host, self.reason, self.status, self.again = host, reason, status, again
        super().__init__("fetch", f"{host}: {reason} {status or ''}".rstrip(), retry_after_s=retry_after_s)

    @property
    def values(self) -> dict[str, Any]:
        """What fills the sentence about it."""
        return {"host": self.host} | ({"status": self.status} if self.status else {})


class ChildDied(ProviderError):
    """``reason`` is ``timeout | memory | crash``."""

    def __init__(self, provider: str, reason: str, what: str) -> None:
        self.reason = reason
        super().__init__(provider, what)


class Contention(ProductError): ...


class Cancelled(ProductError): ...


class Defect(ProductError): ...


class MissingRow(Defect): ...


class LockOrderViolation(Defect):
    remedy = "Reorder the locks in the transaction to follow storage/locks.py; do not catch this."
