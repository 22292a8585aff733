"""What is shown of an answer: text and blocks, and what writes them."""
