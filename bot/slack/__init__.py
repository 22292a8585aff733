"""The bot in Slack: the only part that knows Slack.

`app` starts it, `assembly` puts it together.  A message comes in through `transport`, is taken up by `questions.desk`
as a run that is kept, answered by `questions.question`, and written by what `messages.writers` chooses, which
`api.outbox` gets to Slack.  `surfaces` are the other places where people meet the bot.
"""
