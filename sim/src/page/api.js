// Asks the mock, with the key of the world that is shown.

import { byId } from "./dom.js";

/** The key whose world is shown; empty for the first platform of the default world. */
let chosen = "";
export const useKey = (value) => { chosen = value; };

/** The same key as the mock says it: the API needs one even for the default world. */
let learned = "";
export const learn = (value) => { learned = value; };
export const ownKey = () => learned;

const headers = (path) => {
  const sent = path.startsWith("/v1/") ? learned : chosen;
  return sent ? { Authorization: `Bearer ${sent}` } : {};
};

/** The answer to a request; throws its error as prose. `other` is another key than that of the world. */
export async function ask(method, path, body, other) {
  const sent = { method, headers: other ? { Authorization: `Bearer ${other}` } : headers(path), cache: "no-store" };
  if (body !== undefined) {
    sent.headers["Content-Type"] = "application/json";
    sent.body = JSON.stringify(body);
  }
  const answer = await fetch(path, sent);
  const text = await answer.text();
  const value = text ? JSON.parse(text) : null;
  if (!answer.ok) throw Object.assign(new Error(value?.error ?? `status ${answer.status}`), { status: answer.status, code: value?.code });
  return value;
}

export const act = (action, fields) => ask("POST", "/_sim/actions", { action, ...fields });

const asked = new Map();

/** A document that does not change while the page is open. It is asked for once. */
export function fixed(path) {
  if (!asked.has(path)) {
    const answer = ask("GET", path);
    asked.set(path, answer);
    answer.catch(() => asked.delete(path));
  }
  return asked.get(path);
}

const GOES_AFTER = 8000;
let going;

/**
 * Shows the result of something, to the eye and to a screen reader: a text, or several and elements. It goes by itself,
 * unless it is a failure or offers something.
 */
export function say(parts, failed = false) {
  const result = byId("result");
  clearTimeout(going);
  result.replaceChildren(...[parts].flat().filter((it) => it !== ""));
  result.classList.toggle("failed", failed);
  if (!failed && !result.querySelector("button")) going = setTimeout(() => result.replaceChildren(), GOES_AFTER);
}

/** Does something and shows the result. */
export async function perform(does, asked) {
  try {
    const answer = await asked();
    say(typeof does === "function" ? does(answer) : does);
    return answer ?? true;
  } catch (error) {
    say(error.message, true);
    return undefined;
  }
}

/** Calls back after each change of the world, until the returned function ends it. */
export function watch(changed, lost) {
  const ended = new AbortController();
  const listen = async () => {
    while (!ended.signal.aborted) {
      try {
        const stream = await fetch("/_sim/events", { headers: headers("/_sim/events"), signal: ended.signal, cache: "no-store" });
        if (!stream.ok) throw Object.assign(new Error(`status ${stream.status}`), { status: stream.status });
        await read(stream.body.getReader(), changed);
      } catch (error) {
        if (ended.signal.aborted) return;
        lost(error);
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  };
  listen();
  return () => ended.abort();
}

async function read(reader, changed) {
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (decoder.decode(value).includes("data:")) changed();
  }
}
