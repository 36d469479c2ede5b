"""Telegram's Bot API on loopback, as strict as Telegram: what the product's channel, tests and benches talk to.

``start.simulated_botapi()`` runs it in this process, ``python -m eval.simulators.botapi --port 0`` in one of its own;
both give a ``telegram.Telegram``, through which a test is the people who write to the bot. One bot per simulator.
Not simulated, and refused where asked for: ``parse_mode``, files by URL, business accounts, inline mode, payments.
"""
