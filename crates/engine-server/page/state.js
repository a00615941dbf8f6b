// What the page knows about the project, and who wants to hear of changes.

import { get, post } from "./api.js";

const listeners = new Map();

export const state = {
  status: null,
  scan: null,
  /** The last scan in short, as the daemon keeps it; shown until the page has a scan of its own. */
  posture: null,
  scanning: false,
  scanError: null,
  connected: false,
  events: [],
  /** Scans that another program has run since the page's own. */
  newer: false,
};

/** Calls `listener` on every change of that name until the returned function is called. */
export function on(name, listener) {
  const all = listeners.get(name) ?? new Set();
  listeners.set(name, all);
  all.add(listener);
  return () => all.delete(listener);
}

/** Reports a change. */
export function emit(name, value) {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(value);
}

/** The folder of the project, as routes take it. */
export function projectPath() {
  return state.scan?.projectPath ?? state.status?.project ?? undefined;
}

/** The name of the project's folder; the rest of the path is of no use to a reader. */
export function projectName() {
  return String(projectPath() ?? "").split(/[\\/]/).filter(Boolean).pop() ?? "";
}

/** Reads the state of the daemon. */
export async function loadStatus() {
  state.status = await get("/status");
  emit("status");
}

/** Reads the last scan in short. No route gives the whole of it, and there may be none yet. */
export async function loadPosture() {
  try {
    state.posture = await get("/status/posture", { path: projectPath() });
  } catch {
    state.posture = null;
  }
  if (!state.scan) emit("posture");
}

let running = null;

/** Scans the project. A scan that is wanted while one runs starts when it has ended. */
export function scan(path = projectPath()) {
  running = (running ?? Promise.resolve()).then(() => scanNow(path));
  return running;
}

async function scanNow(path) {
  state.scanning = true;
  state.scanError = null;
  emit("scanning");
  try {
    const result = await post("/scan", { path });
    index(result);
    state.scan = result;
    state.newer = false;
    await loadStatus();
  } catch (error) {
    state.scanError = error;
  } finally {
    state.scanning = false;
    emit("scanning");
    emit("scan");
  }
  return state.scan;
}

const RANK = { critical: 0, high: 1, medium: 2, low: 3, info: 4 };
const TYPE = { fail: 0, info: 1, pass: 2 };

function index(result) {
  result.findings.sort(
    (a, b) => TYPE[a.type] - TYPE[b.type] || RANK[a.severity] - RANK[b.severity] || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line),
  );
  result.byId = new Map(result.findings.map((finding) => [finding.id, finding]));
}

/** Findings that are a gap or must be fixed now, and that no person has suppressed: what the gate counts. */
export function openFindings(result = state.scan) {
  const urgent = new Set(result.actions.filter(({ kind }) => kind === "fix_now").flatMap(({ findings }) => findings ?? []));
  return result.findings.filter((finding) => !finding.suppressed && (finding.type === "fail" || urgent.has(finding.id)));
}

/** The lines of code around a place, where a finding of the scan shows them. */
export function codeAt(file, line) {
  for (const finding of state.scan?.findings ?? []) {
    const context = finding.codeContext;
    if (context && finding.file === file && context.lines.some(({ num }) => num === line)) {
      return { ...context, highlightLine: line };
    }
  }
  return null;
}

/** A setting that stays in this browser. */
export const setting = {
  read(name) {
    try { return localStorage.getItem(`engine.${name}`); } catch { return null; }
  },
  write(name, value) {
    try { localStorage.setItem(`engine.${name}`, value); } catch { /* Without storage, the setting lasts as long as the page. */ }
  },
};
