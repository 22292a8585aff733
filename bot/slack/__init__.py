"""The bot in Slack: the only part that knows Slack.

A message goes through `listeners`, `inbound` (what was written), `desk` (is it for the bot?), `answer` (the life of one
question), `context` (what its run is given) and `conclusion` (what its result says) to `message` (the bot's own one),
which `outbox` gets to Slack.  `render`, `mrkdwn`, `links` and `split` make the text and do no I/O.
"""
