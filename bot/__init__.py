"""MESSAGE IN · MESSAGE OUT: everything a person sees, hears and presses.

Invariant: nothing here decides. A stored update becomes one command in one transaction (``inbox.py``, ``handlers``);
an outbox row becomes one message, rendered from rows at the time of sending (``gateway.py``, ``screens``, ``texts``).
Wording stands in ``texts`` and nowhere else.

Start reading at ``wiring.py``, then ``inbox.py`` and ``gateway.py``.
"""
