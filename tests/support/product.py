"""The running product, as tests and benchmarks share it."""

from eval.simulators.product import Product, Visitor, product, until, visitor, worker

__all__ = ["Product", "Visitor", "product", "until", "visitor", "worker"]
