"""Calls of Slack's Web API: made until they are done, at its pace; who is where."""
