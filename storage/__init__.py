"""ALL SQL of the product, and the bytes.

Invariant: business facts live in PostgreSQL rows that change only inside a transaction of ``storage/transactions``
(one file each, with its lock order) and are read by ``storage/queries`` (one file per question). Bytes are
content-addressed and written once. Not here: rules (pipeline/domain), wording (bot/texts).

Start reading at ``locks.py`` and ``tx.py``, then ``tables/``, then one transaction, such as
``transactions/run/claim.py``.
"""
