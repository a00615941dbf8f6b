// The public interface of the daemon, as the page uses it.

const token = document.querySelector("meta[name=engine-token]")?.content ?? "";

let bearer = null;
let askBearer = async () => null;
let asked = null;

/** Sets what asks a person for the token of the daemon, where it was started with one. `ask` learns whether one was refused. */
export function onTokenWanted(ask) {
  askBearer = ask;
}

/** Whether the daemon was started with a token, so that an address alone opens nothing. */
export function needsToken() {
  return bearer !== null;
}

/** The token that a person gives, or null. However many requests wait for it, the person is asked once. */
function tokenOf(refused) {
  asked ??= askBearer(refused).finally(() => { asked = null; });
  return asked;
}

/** A reply that is not a success. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.details ?? body?.error ?? `HTTP ${status}`);
    this.status = status;
    this.code = body?.code ?? null;
    this.field = body?.field ?? null;
  }

  /** Whether this daemon does not have the route. */
  get missingRoute() {
    return this.status === 404 && (this.code === "unknown-route" || this.code === null);
  }

  /** Whether the token of the daemon is missing. */
  get tokenMissing() {
    return this.status === 401;
  }

  /** Whether the page belongs to an earlier start of the daemon. */
  get outdatedPage() {
    return this.status === 403 && this.field === "X-Engine-Token";
  }
}

async function send(method, path, { query, body, signal, accept, lastId } = {}) {
  const headers = { Accept: accept ?? "application/json" };
  if (lastId) headers["Last-Event-ID"] = lastId;
  if (method !== "GET") {
    headers["X-Engine-Token"] = token;
    headers["Content-Type"] = "application/json";
  }
  const used = bearer;
  if (used) headers.Authorization = `Bearer ${used}`;
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = given.length ? `?${new URLSearchParams(given)}` : "";
  const reply = await fetch(path + search, {
    method,
    headers,
    body: method === "GET" ? undefined : JSON.stringify(body ?? {}),
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (reply.ok) return reply;
  const failure = new ApiError(reply.status, await reply.json().catch(() => null));
  if (reply.status === 401) {
    const shown = bearer === used ? await tokenOf(used !== null) : bearer;
    if (shown) {
      bearer = shown;
      return send(method, path, { query, body, signal, accept, lastId });
    }
  }
  throw failure;
}

/** The JSON of a GET. */
export async function get(path, query, options = {}) {
  return (await send("GET", path, { query, ...options })).json();
}

/** The JSON of a POST. */
export async function post(path, body, options = {}) {
  return (await send("POST", path, { body, ...options })).json();
}

/** The bytes of a GET or POST, with the file name that the daemon gives. */
export async function file(method, path, options) {
  const reply = await send(method, path, { accept: "*/*", ...options });
  const named = /filename="([^"/\\]+)"/.exec(reply.headers.get("content-disposition") ?? "");
  return { blob: await reply.blob(), name: named ? named[1] : null, type: reply.headers.get("content-type") ?? "" };
}

/** Reads a stream of server-sent events until it ends. */
export async function stream(method, path, { onEvent, onOpen, ...options }) {
  const reply = await send(method, path, { accept: "text/event-stream", ...options });
  onOpen?.();
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const frames = rest.split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const event = parseFrame(frame);
      if (event) onEvent(event);
    }
  }
}

function parseFrame(frame) {
  const event = { id: null, name: null, data: "" };
  for (const line of frame.split("\n")) {
    if (line.startsWith("data:")) event.data += (event.data ? "\n" : "") + line.slice(5).trimStart();
    else if (line.startsWith("event:")) event.name = line.slice(6).trim();
    else if (line.startsWith("id:")) event.id = line.slice(3).trim();
  }
  if (!event.data) return null;
  try {
    event.value = JSON.parse(event.data);
    return event;
  } catch {
    return null;
  }
}
