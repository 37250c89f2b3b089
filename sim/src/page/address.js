// The world, the platform and the tab in the address of the page: it can be shared, reloaded and gone back in.

import { ask, useKey } from "./api.js";

const REVOKED = "tideover-revoked";

/** What the address says. */
export function address() {
  const query = new URLSearchParams(location.search);
  return { world: query.get("world") ?? "default", platform: query.get("platform"), tab: location.hash.slice(1) };
}

/** Leads to a world, with the same tab. */
export function lead({ world = "default", platform = null }) {
  const query = new URLSearchParams();
  if (world !== "default") query.set("world", world);
  if (platform !== null) query.set("platform", platform);
  const search = query.toString();
  history.pushState(null, "", `${location.pathname}${search ? `?${search}` : ""}${location.hash}`);
}

/** Uses the key that the address means. A failure with the status 401 says that there is none. */
export async function resolve() {
  const { world, platform } = address();
  const revoked = JSON.parse(sessionStorage.getItem(REVOKED) ?? "{}");
  if (revoked.world === world) return useKey(revoked.key);
  if (world === "default" && platform === null) return useKey("");
  const { keys } = await ask("GET", `/_sim/worlds/${encodeURIComponent(world)}`).catch((error) => {
    throw error.code === "unknown_world" ? Object.assign(error, { status: 401 }) : error;
  });
  const found = platform === null ? keys[0] : keys.find((it) => it.platform === platform);
  if (!found) throw Object.assign(new Error("no key"), { status: 401 });
  useKey(found.key);
}

/** The world and the platform that a key means, as an address has them; throws if it was never issued. */
export async function meant(key) {
  const { world } = await ask("GET", "/_sim/overview?text=%00", undefined, key);
  const { keys } = await ask("GET", `/_sim/worlds/${encodeURIComponent(world)}`);
  const found = keys.findIndex((it) => it.key === key);
  sessionStorage.removeItem(REVOKED);
  // No address has a key, and no name leads to one that is revoked.
  if (found < 0) sessionStorage.setItem(REVOKED, JSON.stringify({ world, key }));
  return { world, platform: found > 0 ? keys[found].platform : null };
}

export const forgetRevoked = () => sessionStorage.removeItem(REVOKED);
