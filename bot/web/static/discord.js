// The client of Discord around the page: the few messages of its protocol that are needed.

const [HANDSHAKE, FRAME, CLOSE] = [0, 1, 2];
const CLIENT = /^https:\/\/((ptb|canary)\.)?discord\.com$/;
const query = new URLSearchParams(location.search);
const asked = new Map();
let welcome = null;
const ready = new Promise((resolve, reject) => { welcome = { resolve, reject }; });

function tell(opcode, body) {
  // Nothing secret is told: the code is the only secret, and it comes from the client.
  parent.postMessage([opcode, body], document.referrer || "*");
}

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || !CLIENT.test(origin) || !Array.isArray(data)) return;
  const [opcode, body] = data;
  if (opcode === CLOSE) welcome.reject(new Error(body?.message));
  if (opcode !== FRAME) return;
  if (body.cmd === "DISPATCH" && body.evt === "READY") welcome.resolve();
  const waiting = asked.get(body.nonce);
  if (!waiting) return;
  asked.delete(body.nonce);
  if (body.evt === "ERROR") waiting.reject(new Error(body.data.message));
  else waiting.resolve(body.data);
});

function command(cmd, args) {
  const nonce = crypto.randomUUID();
  return new Promise((resolve, reject) => {
    asked.set(nonce, { resolve, reject });
    tell(FRAME, { cmd, args, nonce });
  });
}

// A code by which the server asks Discord who this is, and the instance that they are in.
export async function authorized(application) {
  tell(HANDSHAKE, { v: 1, encoding: "json", client_id: application, frame_id: query.get("frame_id") });
  await ready;
  const answer = await command("AUTHORIZE", {
    client_id: application, response_type: "code", prompt: "none", scope: ["identify"], state: "",
  });
  return { code: answer.code, instance: query.get("instance_id") };
}
