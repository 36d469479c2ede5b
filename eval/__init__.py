"""NUMBERS THAT GATE A CHANGE: cases, tasks that run them, scorers that count, benches that compare.

Invariant: a set is written before its first run, and both figures, first and final, are told. Wall-clock figures carry
the machine's load and are never asserted.

``python -m eval`` lists what there is.
"""
