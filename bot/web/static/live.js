// The connection to the server: whole documents only, and never one that is older than what is shown.

const PAUSES = [500, 1000, 2000, 4000, 8000, 15000];

export function connect(first, on) {
  let shown = first.version, tries = 0, socket = null, number = 0;
  const open = () => {
    socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live");
    socket.onopen = () => { tries = 0; socket.send(JSON.stringify({ type: "watch", match: first.match, have: shown })); on.open(); };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type !== "match") on.message(message);
      else if (message.match.version > shown) { shown = message.match.version; on.document(message.match); }
    };
    socket.onclose = () => {
      on.lost();
      setTimeout(open, PAUSES[Math.min(tries++, PAUSES.length - 1)] * (0.7 + 0.6 * Math.random()));
    };
  };
  open();
  return (command) => socket.send(JSON.stringify({ id: ++number, ...command }));
}
