import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { NotVerified, verify } from "tideover";

import { root } from "./support.js";

const NOW = 1767225600;
const SECRET = "whsec_1f3a";
const BODY = '{"id":"evt_1","type":"partner.invoice.paid"}';
const SIGNATURE = `t=${NOW},v1=dfb0d20b257cd0b6ebcbadf2b9573cf58437854d6823768245252ebba78200fd`;

test("headers are those of Node or of Fetch, the body is text or bytes", () => {
  for (const headers of [
    { "service-signature": SIGNATURE },
    { "Service-Signature": SIGNATURE },
    { "service-signature": [SIGNATURE] },
    new Headers({ "Service-Signature": SIGNATURE }),
  ]) {
    verify(SECRET, headers, BODY, { now: NOW });
    verify(["whsec_old", SECRET], headers, new TextEncoder().encode(BODY), { now: NOW });
  }
});

test("each doubt has its reason", () => {
  const reason = (headers: Record<string, string>, now = NOW, tolerance = 300) => {
    try {
      verify(SECRET, headers, BODY, { now, tolerance });
    } catch (error) {
      return error instanceof NotVerified && error.reason;
    }
    return undefined;
  };
  const headers = { "service-signature": SIGNATURE };
  assert.equal(reason({}), "missing");
  assert.equal(reason({ "service-signature": "t=1" }), "malformed");
  assert.equal(reason({ "service-signature": SIGNATURE.replace("=d", "=e") }), "wrong");
  assert.equal(reason(headers, NOW + 300), undefined);
  assert.equal(reason(headers, NOW + 301), "stale");
  assert.equal(reason(headers, NOW - 301), "stale");
  assert.equal(reason(headers, NOW + 400, 400), undefined);
});

test("a body that somebody parsed is no body", () => {
  const parsed = JSON.parse(BODY) as string;
  assert.throws(() => verify(SECRET, { "service-signature": SIGNATURE }, parsed), /takes the raw body/);
});

const vectors = join(root, "../../../fixtures/signature");

test("the vectors for verifiers in any language", { skip: !existsSync(vectors) }, () => {
  for (const file of ["accept.json", "reject.json", "open.json"]) {
    const cases = JSON.parse(readFileSync(join(vectors, file), "utf8"));
    assert(cases.length > 40);
    for (const { name, secret, header, bodyHex, now, rejection } of cases) {
      const headers = header === null ? {} : { "service-signature": header };
      const check = () => verify(secret, headers, Buffer.from(bodyHex, "hex"), { now });
      if (rejection === null) assert.doesNotThrow(check, name);
      else assert.throws(check, { name: "NotVerified" }, name);
    }
  }
});
