"""Hybrid search: two ranked lists of an index, fused, under the filter of whoever will see the answer."""

from bot.search.fusion import Fusion
from bot.search.hybrid import HybridSearch

__all__ = ["Fusion", "HybridSearch"]
