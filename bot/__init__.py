"""Footnote: answers questions in Slack, or in a terminal, by research, with footnotes that open the sources.

A question comes in through `slack` or `cli`, is worked out by `research`, which generates through
`engine` and searches through `search`, and its events are folded into what the reader sees.
"""
