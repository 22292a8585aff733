"""The life of a question: taken up, given its context, researched, kept over restarts, ended."""
