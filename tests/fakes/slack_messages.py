"""`chat.*` of the fake Slack, without the streams: it refuses what Slack refuses."""

import json

from tests.fakes.slack_app import App, Change
from tests.fakes.slack_blocks import taken
from tests.fakes.slack_call import Call, Methods, Refused, Reply

LONGEST_UPDATE = 4_000
LONGEST_POST = 40_000
LONGEST_MARKDOWN = 12_000
MOST_ATTACHMENTS = 100
LARGEST_METADATA = 16_000


class Messages:
    """`ephemerals` are the messages that one person alone was shown, oldest first."""

    def __init__(self, app: App) -> None:
        self.ephemerals: list[Reply] = []
        self._app = app
        self._workspace = app.workspace
        self.methods: Methods = {
            "chat.postMessage": (self._post, "chat:write"),
            "chat.update": (self._update, "chat:write"),
            "chat.delete": (self._delete, "chat:write"),
            "chat.postEphemeral": (self._ephemeral, "chat:write"),
            "chat.getPermalink": (self._permalink, ""),
        }

    def _post(self, call: Call) -> Reply:
        channel = self._workspace.writable(call["channel"])
        message = {**self._app.author(), **_content(call)}
        text = message["text"]
        message |= {"text": text[:LONGEST_POST], "loud": _loud(call)}
        message |= {name: call.args[name] for name in ("unfurl_links", "unfurl_media") if name in call}
        if "thread_ts" in call:
            message["thread_ts"] = self._workspace.root_of(channel.id, str(call.get("thread_ts") or ""))
            if call.flag("reply_broadcast"):
                message["subtype"] = "thread_broadcast"
        message = self._workspace.add(channel.id, message)
        self._app.told(Change("posted", channel.id, message))
        warned = {"warning": "message_truncated"} if len(text) > LONGEST_POST else {}
        return {"channel": channel.id, "ts": message["ts"], "message": message, **warned}

    def _update(self, call: Call) -> Reply:
        channel = self._workspace.visible(call["channel"])
        message = self._app.own(call, "cant_update_message")
        if channel.archived:
            raise Refused("is_inactive")
        if message.get("streaming_state") == "in_progress":
            raise Refused("streaming_state_conflict")
        before, content = dict(message), _content(call)
        if len(content["text"]) > LONGEST_UPDATE and not call.get("markdown_text"):
            raise Refused("msg_too_long")
        for name in {"blocks", "streamed"} - content.keys():
            message.pop(name, None)
        message |= content | {"edited": {"user": message["user"], "ts": self._workspace.new_ts()}, "loud": _loud(call)}
        if not message.get("metadata", True):
            del message["metadata"]  # An empty one removes it.
        self._app.told(Change("updated", channel.id, message, before))
        return {"channel": channel.id, "ts": message["ts"], "text": message["text"], "message": message}

    def _delete(self, call: Call) -> Reply:
        message = self._app.own(call, "cant_delete_message")
        _, left, gone = self._workspace.remove(call["channel"], message["ts"])
        if left is not None:
            self._app.told(Change("updated", call["channel"], left, message))
        for deleted in () if left is not None else (message, gone):
            if deleted is not None:
                self._app.told(Change("deleted", call["channel"], deleted))
        return {"channel": call["channel"], "ts": message["ts"]}

    def _ephemeral(self, call: Call) -> Reply:
        channel = self._workspace.writable(call["channel"])
        if call["user"] not in channel.members:
            raise Refused("user_not_in_channel")
        shown = {"channel": channel.id, "user": call["user"], **_content(call), "ts": self._workspace.new_ts()}
        if call.get("thread_ts"):
            shown["thread_ts"] = self._workspace.root_of(channel.id, call["thread_ts"])
        self.ephemerals.append(shown)
        return {"message_ts": shown["ts"]}

    def _permalink(self, call: Call) -> Reply:
        message = self._workspace.message(self._workspace.visible(call["channel"]).id, call["message_ts"])
        thread = f"?thread_ts={message['thread_ts']}&cid={call['channel']}" if "thread_ts" in message else ""
        path = f"archives/{call['channel']}/p{message['ts'].replace('.', '')}{thread}"
        return {"channel": call["channel"], "permalink": f"{self._workspace.address}{path}"}


def _content(call: Call) -> Reply:
    """What a message says: text, blocks, attachments, metadata; raises `Refused` for what Slack would not take."""
    text, markdown = str(call.get("text") or ""), str(call.get("markdown_text") or "")
    blocks, attachments = call.parsed("blocks"), call.parsed("attachments") or []
    if not (text.strip() or blocks or markdown or attachments):
        raise Refused("no_text")
    if markdown and (text or blocks):
        raise Refused("markdown_text_conflict")
    if len(markdown) > LONGEST_MARKDOWN:
        raise Refused("msg_too_long")
    if len(attachments) > MOST_ATTACHMENTS:
        raise Refused("too_many_attachments")
    content: Reply = {"text": text or markdown}
    if blocks:
        content["blocks"] = taken(blocks)
    if attachments:
        content["attachments"] = attachments
    return content | metadata_of(call)


def metadata_of(call: Call) -> Reply:
    metadata = call.parsed("metadata")
    if metadata is None:
        return {}
    if metadata and not {"event_type", "event_payload"} <= metadata.keys():
        raise Refused("invalid_metadata_format")
    if len(json.dumps(metadata)) > LARGEST_METADATA:
        raise Refused("metadata_too_large")
    return {"metadata": metadata}


def _loud(call: Call) -> bool:
    """Whether names in the text are turned into mentions."""
    return call.get("parse") == "full" or call.flag("link_names")
