"""Brings documents into the index: source → documents → chunks → vectors → index; what vanished is swept."""
