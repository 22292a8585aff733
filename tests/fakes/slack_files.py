"""Files of the fake Slack: uploads in three steps, and downloads with a token."""

import itertools
import json
from dataclasses import dataclass

from aiohttp import web

from tests.fakes.slack_app import App, Change
from tests.fakes.slack_blocks import taken
from tests.fakes.slack_call import Call, Methods, Refused, Reply, invalid_arguments
from tests.fakes.slack_workspace import DOMAIN, TEAM

KINDS = {"txt": "text/plain", "md": "text/markdown", "pdf": "application/pdf", "png": "image/png"}
KINDS |= {"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "py": "text/x-python"}
KINDS |= {"html": "text/html", "quip": "application/vnd.slack-docs"}


@dataclass
class File:
    id: str
    name: str
    length: int
    user: str
    content: bytes | None = None
    title: str = ""
    shared: bool = False
    mode: str = "hosted"
    """"quip": a canvas; "snippet": text that Slack itself took down."""

    @property
    def kind(self) -> str:
        return self.mode if self.mode == "quip" else self.name.rpartition(".")[2].lower()


class Files:
    def __init__(self, app: App) -> None:
        self.files: dict[str, File] = {}
        self._app = app
        self._numbers = itertools.count(1)
        self.methods: Methods = {
            "files.getUploadURLExternal": (self._place, "files:write"),
            "files.completeUploadExternal": (self._complete, "files:write"),
            "files.info": (self._info, "files:read"),
            "files.delete": (self._delete, "files:write"),
        }

    def of(self, user: str, name: str, content: bytes, mode: str = "hosted") -> Reply:
        """Somebody's file, as it is told with their message."""
        file = self._new(name, len(content), user)
        file.content, file.shared, file.mode = content, True, mode
        return self.told(file)

    def content(self, file: Reply) -> str:
        """The text of a file that a message shows."""
        return (self.files[file["id"]].content or b"").decode()

    def told(self, file: File) -> Reply:
        address = f"{self._app.url}files-pri/{TEAM}-{file.id}/{file.name}"
        told = {"id": file.id, "name": file.name, "title": file.title or file.name, "size": file.length}
        told |= {"filetype": file.kind, "mimetype": KINDS.get(file.kind, "application/octet-stream")}
        told |= {"user": file.user, "mode": file.mode, "is_external": False, "file_access": "visible"}
        told["permalink"] = f"https://{DOMAIN}.slack.com/files/{file.user}/{file.id}/{file.name}"
        return told | {"url_private": address, "url_private_download": f"{address}?download=1"}

    def _new(self, name: str, length: int, user: str) -> File:
        file = File(f"F{next(self._numbers)}", name, length, user)
        self.files[file.id] = file
        return file

    def _place(self, call: Call) -> Reply:
        length = int(call["length"])
        if length <= 0:
            raise invalid_arguments("`length` must be more than 0")
        file = self._new(call["filename"], length, self._app.author()["user"])
        return {"file_id": file.id, "upload_url": f"{self._app.url}upload/{file.id}"}

    def _complete(self, call: Call) -> Reply:
        given = json.loads(call["files"]) if isinstance(call["files"], str) else call["files"]
        files = [self._found(one["id"]) for one in given]
        if any(file.content is None for file in files):
            raise Refused("file_not_found")
        if any(file.shared for file in files):
            raise Refused("file_already_completed")
        if call.get("channel_id"):
            self._share(call, files)
        for file, one in zip(files, given, strict=True):
            file.title, file.shared = one.get("title", ""), True
        return {"files": [self.told(file) for file in files]}

    def _share(self, call: Call, files: list[File]) -> None:
        channel = self._app.workspace.writable(call["channel_id"])
        message = {**self._app.author(), "text": call.get("initial_comment") or "", "upload": True}
        message |= {"subtype": "file_share", "files": [self.told(file) for file in files]}
        if call.get("blocks"):
            message["blocks"] = taken(call.parsed("blocks"))
        if call.get("thread_ts"):
            message["thread_ts"] = self._app.workspace.root_of(channel.id, call["thread_ts"])
        self._app.told(Change("posted", channel.id, self._app.workspace.add(channel.id, message)))

    def _info(self, call: Call) -> Reply:
        file = self._found(call["file"])
        return {"file": {**self.told(file), **self._places(file)}}

    def _places(self, file: File) -> Reply:
        """The conversations that hold it, by their kinds."""
        names = {"channel": "channels", "group": "groups", "mpim": "groups", "im": "ims"}
        places: Reply = {"channels": [], "groups": [], "ims": []}
        for channel, messages in self._app.workspace.messages.items():
            if any(one["id"] == file.id for message in messages.values() for one in message.get("files") or ()):
                places[names[self._app.workspace.channels[channel].kind]].append(channel)
        return places

    def _delete(self, call: Call) -> Reply:
        del self.files[self._found(call["file"]).id]
        return {}

    def _found(self, id: str) -> File:
        if id not in self.files:
            raise Refused("file_not_found")
        return self.files[id]

    # Over HTTP

    async def upload(self, request: web.Request) -> web.Response:
        file = self.files.get(request.match_info["id"])
        if file is None or file.shared:
            return web.Response(status=404)
        if request.content_type == "multipart/form-data":
            part = next(iter((await request.post()).values()))
            content = part.encode() if isinstance(part, str) else part.file.read()
        else:
            content = await request.read()
        if len(content) != file.length:
            return web.Response(status=400, text="the length is not the one that was announced")
        file.content = content
        return web.Response(text=f"OK - {len(content)}")

    def download(self, request: web.Request, token: str) -> web.Response:
        """Whoever may not have a file gets a page to sign in on, at HTTP 200."""
        file = self.files.get(request.match_info["id"].rpartition("-")[2])
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if given != token or "files:read" not in self._app.scopes:
            return web.Response(text="<!DOCTYPE html><title>Sign in</title>", content_type="text/html")
        if file is None or file.content is None:
            return web.Response(status=404, text="<!DOCTYPE html><title>Not found</title>", content_type="text/html")
        media = "text/html" if file.mode == "quip" else KINDS.get(file.kind, "application/octet-stream")
        return web.Response(body=file.content, content_type=media)
