"""Evaluation: how good the search is, on questions whose answers are known.

`collection` reads documents, queries and judgements, `metrics` says what a ranking is worth, and `retrieval` asks an
index for the rankings.  `case` is an answer that somebody found bad, and `replay` gives it again.
"""
