/** A request that was refused: by the partner API, or by the operator port. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    request: string,
    readonly status: number,
    /** What callers branch on. */
    readonly code: string,
    /** Why, in a sentence. */
    readonly prose: string,
    /** The clause that decided: the header `Tideover-Clause`. The operator port has none. */
    readonly clause: string | undefined,
  ) {
    super(`${request}: ${status} ${code}: ${prose}${clause ? ` [${clause}]` : ""}`);
  }
}

/** Where requests go, and as whom: without a key, as nobody. */
export interface Caller {
  readonly url: string;
  readonly key: string | undefined;
}

export interface More {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends a request. A string and bytes are the body as they are; anything else is sent as JSON. */
export async function call(caller: Caller, method: string, path: string, body?: unknown, more?: More): Promise<any> {
  const response = await open(caller, method, path, body, more);
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : JSON.parse(text);
  const refused = refusal(`${method} ${path}`, response, text);
  // A reader wants the line of the test.
  Error.captureStackTrace(refused, call);
  throw refused;
}

/** The same, with the answer's body yet to be read. */
export async function open(
  { url, key }: Caller,
  method: string,
  path: string,
  body?: unknown,
  { headers, signal }: More = {},
): Promise<Response> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  try {
    return await fetch(url + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error(`${method} ${path}: no answer from ${url}`, { cause: error });
  }
}

function refusal(request: string, response: Response, text: string): Refused {
  const clause = response.headers.get("tideover-clause") ?? undefined;
  try {
    const { code, error } = JSON.parse(text);
    return new Refused(request, response.status, code, error, clause);
  } catch {
    return new Refused(request, response.status, "", text, clause);
  }
}

/** A query of those parameters that have a value. */
export function query(parameters: object = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) given.set(name, String(value));
  return `?${given}`;
}
