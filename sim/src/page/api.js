// Asks the mock. The key stays in this tab.

import { byId } from "./dom.js";

const KEY = "tideover-key";

export const key = () => sessionStorage.getItem(KEY) ?? "";
export const switchTo = (value) => {
  if (value) sessionStorage.setItem(KEY, value);
  else sessionStorage.removeItem(KEY);
};

/** The key of the world that is shown, as the mock says it. */
let learned = "";
export const learn = (value) => { learned = value; };

/** The operator port needs no key for the default world; the API itself always does. */
const headers = (path) => {
  const sent = path.startsWith("/v1/") ? learned : key();
  return sent ? { Authorization: `Bearer ${sent}` } : {};
};

/** The answer to a request; throws its error as prose. */
export async function ask(method, path, body) {
  const sent = { method, headers: headers(path), cache: "no-store" };
  if (body !== undefined) {
    sent.headers["Content-Type"] = "application/json";
    sent.body = JSON.stringify(body);
  }
  const answer = await fetch(path, sent);
  const text = await answer.text();
  const value = text ? JSON.parse(text) : null;
  if (!answer.ok) throw Object.assign(new Error(value?.error ?? `status ${answer.status}`), { status: answer.status });
  return value;
}

export const act = (action, fields) => ask("POST", "/_sim/actions", { action, ...fields });

/** Says what became of something, to the eye and to a screen reader: a text, or several and elements. */
export function say(parts, failed = false) {
  const result = byId("result");
  result.replaceChildren(...[parts].flat());
  result.classList.toggle("failed", failed);
}

/** Does something and says what became of it. */
export async function perform(does, asked) {
  try {
    const answer = await asked();
    say(typeof does === "function" ? does(answer) : does);
    return answer;
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
