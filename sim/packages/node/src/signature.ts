import { createHmac, timingSafeEqual } from "node:crypto";

/** Headers as Node's servers have them, or as Fetch has them. */
export type DeliveryHeaders =
  { get(name: string): string | null } | { readonly [name: string]: string | readonly string[] | undefined };

/**
 * Why a delivery is not to be believed: it has no signature (`missing`), one of another form (`malformed`), one whose
 * time is too far from now (`stale`), or one that nobody with the secret made for these bytes (`wrong`).
 */
export type Doubt = "missing" | "malformed" | "stale" | "wrong";

export class NotVerified extends Error {
  override readonly name = "NotVerified";

  constructor(
    readonly reason: Doubt,
    message: string,
  ) {
    super(message);
  }
}

export interface Verifying {
  /** How many seconds the signature's time may differ from now: 300 unless given. */
  readonly tolerance?: number;
  /** Now, in Unix seconds: the wall clock's time unless given. */
  readonly now?: number;
}

/**
 * Throws {@link NotVerified} unless somebody with the secret has just signed this body (§6 Signature).
 *
 * The body is what came, byte for byte: JSON that was parsed and written again is another body. Of several secrets,
 * any one will do.
 */
export function verify(
  secret: string | readonly string[],
  headers: DeliveryHeaders,
  body: string | Uint8Array,
  { tolerance = 300, now = Math.floor(Date.now() / 1000) }: Verifying = {},
): void {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("verify takes the raw body, a string or bytes: read it before any middleware parses it");
  }
  const header = headerOf(headers, "service-signature");
  if (header === undefined) throw new NotVerified("missing", "there is no header Service-Signature");
  const { time, digest } = parse(header);
  if (Math.abs(now - Number(time)) > tolerance) {
    throw new NotVerified("stale", `the signature's time is more than ${tolerance} seconds from now`);
  }
  const secrets = typeof secret === "string" ? [secret] : secret;
  const isRight = (secret: string) => {
    const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
    return digest.length === expected.length && timingSafeEqual(digest, expected);
  };
  if (!secrets.some(isRight)) {
    throw new NotVerified("wrong", "the digest is not that of this time and these bytes under this secret");
  }
}

/** The value of a header. Fetch has a way to ask for it; of Node's objects, names may be in any case. */
export function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  if (typeof headers["get"] === "function") return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === "object" ? value.join(",") : value;
}

/** Unknown fields and any order are fine; a second `t` or `v1` is not: two readers could believe different ones. */
function parse(header: string): { time: string; digest: Buffer } {
  const fields = header.split(",").map((field) => /^([^=]+)=([!-~]+)$/.exec(field));
  const valuesOf = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field![2]!);
  const [times, digests] = [valuesOf("t"), valuesOf("v1")];
  const [time = "", digest = ""] = [times[0], digests[0]];
  const isWhole = fields.every(Boolean) && times.length === 1 && digests.length === 1;
  if (!isWhole || !/^(0|[1-9][0-9]*)$/.test(time) || !/^([0-9a-f]{2})+$/i.test(digest)) {
    throw new NotVerified("malformed", "the header Service-Signature is not t=<unix seconds>,v1=<hex>");
  }
  return { time, digest: Buffer.from(digest, "hex") };
}
