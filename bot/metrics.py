"""What whoever runs the bot may watch: counts and times of the process.  No text, and nobody's id, is in a label."""

from prometheus_client import Counter, Gauge, Histogram

QUESTIONS = Counter("footnote_questions", "Questions that were researched, by how it ended.", ["outcome"])
RUNNING = Gauge("footnote_questions_running", "Questions that are being researched.")
WAITING = Gauge("footnote_questions_waiting", "Of these, those that wait in line for the model.")
RUN_SECONDS = Histogram(
    "footnote_run_seconds",
    "Seconds from the start of a research to its end.",
    buckets=(1, 2, 5, 10, 20, 30, 60, 120, 300, 600),
)
PLACEHOLDER_SECONDS = Histogram(
    "footnote_placeholder_seconds",
    "Seconds from taking up a question to its placeholder in Slack.",
    buckets=(0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 30),
)
CALLS = Counter("footnote_slack_calls", "Calls of Slack's Web API, by how they ended.", ["method", "outcome"])
LIMITED = Counter("footnote_slack_limited", "Requests that Slack answered with HTTP 429.", ["method"])
HELD_SECONDS = Counter(
    "footnote_slack_held_seconds", "Seconds that calls waited for their turn, so that Slack takes them.", ["method"]
)
CONNECTED = Gauge("footnote_slack_connected", "1 while Slack can reach the bot.")
CONNECTIONS = Counter("footnote_slack_connections", "Sockets that were opened to Slack.")
