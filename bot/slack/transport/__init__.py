"""Slack's deliveries: over sockets or HTTP, each for this bot, each acknowledged; and what Slack is told of the app."""
