"""Activities: instances in channels, codes and tokens of people, and a page that plays Discord's client."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field

from tests.discord_server.errors import Refused
from tests.discord_server.world import Channel, Payload, User

SECRET = "secret-of-the-local-application"


@dataclass
class Instance:
    """An Activity in a channel, and the people there."""

    id: str
    channel: Channel
    users: list[User] = field(default_factory=list)

    def payload(self, application_id: int) -> Payload:
        guild = self.channel.guild
        place: Payload = {"id": f"gc-{self.channel.id}", "channel_id": str(self.channel.id), "kind": "gc"}
        if guild is not None:
            place["guild_id"] = str(guild.id)
        return {
            "application_id": str(application_id), "instance_id": self.id, "launch_id": self.id,
            "location": place, "users": [str(user.id) for user in self.users],
        }  # fmt: skip


class Activities:
    """One of a server. codes: each good for one exchange. tokens: of people."""

    def __init__(self) -> None:
        self.instances: dict[str, Instance] = {}
        self.codes: dict[str, User] = {}
        self.tokens: dict[str, User] = {}

    def launch(self, user: User, channel: Channel) -> Instance:
        """Let the person join the instance of the channel, which begins with the first one."""
        found = next((one for one in self.instances.values() if one.channel is channel), None)
        if found is None:
            found = Instance(f"i-{secrets.token_hex(8)}", channel)
            self.instances[found.id] = found
        if user not in found.users:
            found.users.append(user)
        return found

    def code(self, user: User) -> str:
        made = secrets.token_urlsafe(16)
        self.codes[made] = user
        return made

    def exchange(self, form: Payload, application_id: int) -> Payload:
        """Return a token for a code; raises Refused."""
        if (form.get("client_id"), form.get("client_secret")) != (str(application_id), SECRET):
            raise Refused(401, 0, "invalid_client")
        user = self.codes.pop(str(form.get("code")), None)
        if form.get("grant_type") != "authorization_code" or user is None:
            raise Refused(400, 0, "invalid_grant")
        token = secrets.token_urlsafe(16)
        self.tokens[token] = user
        return {"access_token": token, "token_type": "Bearer", "expires_in": 604800, "scope": "identify"}


def client_page(frame: str, frame_id: str, application_id: int, code: str) -> str:
    """Return the page of Discord's client with the frame of the Activity in it."""
    settings = {"frame": frame, "frame_id": frame_id, "client_id": str(application_id), "code": code}
    return _CLIENT.replace("SETTINGS", json.dumps(settings))


_CLIENT = """<!doctype html><title>Discord</title>
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; }</style>
<iframe id="activity"></iframe>
<script>
const settings = SETTINGS, frame = document.getElementById("activity");
const target = new URL(settings.frame).origin;
const tell = (opcode, body) => frame.contentWindow.postMessage([opcode, body], target);
let isReady = false;
addEventListener("message", ({ source, data }) => {
  if (source !== frame.contentWindow || !Array.isArray(data)) return;
  const [opcode, body] = data;
  if (opcode === 0) {
    const { v, client_id, frame_id } = body;
    if (v !== 1 || client_id !== settings.client_id || frame_id !== settings.frame_id) {
      return tell(2, { code: 4000, message: "Invalid handshake" });
    }
    isReady = true;
    return tell(1, { cmd: "DISPATCH", evt: "READY", data: { v: 1 }, nonce: null });
  }
  if (opcode !== 1 || !isReady) return;
  const isAsked = body.cmd === "AUTHORIZE" && body.args.scope.includes("identify");
  const answer = isAsked ? { code: settings.code } : { code: 4002, message: "Invalid command" };
  tell(1, { cmd: body.cmd, evt: isAsked ? null : "ERROR", data: answer, nonce: body.nonce });
});
frame.src = settings.frame;
</script>
"""
