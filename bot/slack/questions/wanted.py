"""What a question asks of the web, in its channel.  No I/O."""

from bot.slack.questions.channels import web_within
from bot.slack.questions.context import Context
from bot.slack.questions.inbound import Inbound
from bot.web import Asked, WebSetting, asked, asks_for_the_web


def wanted(message: Inbound, context: Context, process: WebSetting) -> Asked:
    """`process` is what the bot is set to."""
    return asked(
        message.own_text,
        setting=web_within(process, context.settings),
        command=message.command,
        thread_asked=context.web,
        known_link=context.known_link,
    )


def begins_with_the_web(message: Inbound, wants: Asked) -> bool:
    """Whether a thread begins with it that asks for the web in words: a link alone asks for its page, not for more of
    the web."""
    named = message.command or wants.question != message.own_text or asks_for_the_web(wants.question)
    return message.is_root and named
