import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";

import ts from "typescript";

import type { Api, Event, World } from "tideover";

import { root, run } from "./support.js";

test("the types are those of the mock's documents", async () => {
  const { code, output } = await run(process.execPath, ["scripts/types.mjs", "--check"], { cwd: root });
  assert.equal(code, 0, output);
});

test("an editor shows what an action does", () => {
  const file = join(root, "dist/esm/world.d.ts");
  const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, strict: true });
  const checker = program.getTypeChecker();
  const [world] = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
    .filter(({ name }) => name === "World");
  const method = checker.getDeclaredTypeOfSymbol(world!).getProperty("payorPays")!;
  const text = ts.displayPartsToString(method.getDocumentationComment(checker));
  assert.match(text, /^The payor pays/);
  assert.match(text, /- `amount`: /);
});

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;
const holds = <_ extends true>() => {};

/** For the compiler: nobody calls it. */
export async function typed(world: World, event: Event, id: string) {
  const business = await world.request("GET", `/v1/organizations/${id}`);
  holds<Same<typeof business, Api["Business"]>>();
  const invoice = await world.request("GET", "/v1/organizations/acme/invoices/INV-7");
  holds<Same<typeof invoice, Api["Invoice"]>>();
  const { count } = await world.request("GET", "/_sim/journal/count?status=4xx");
  holds<Same<typeof count, number>>();
  // @ts-expect-error: the body is not complete
  await world.request("PUT", "/v1/invoices/INV-7", { status: "ISSUED" });
  // @ts-expect-error: it has no such field
  await world.vendorSignsAgreement({ payeeExternalId: "acme" });
  // @ts-expect-error: it has fields
  await world.payorPays();
  if (event.type === "partner.invoice.factoredUpdated") holds<Same<typeof event.sequence, number>>();
  const { body } = await world.expectDelivery({ event: "partner.invoice.paid" });
  holds<Same<typeof body.data.collected, number>>();
  await world.expectDelivery({ event: "partner.invoice.factoredUpdated", data: { state: "FUNDED" } });
  // @ts-expect-error: the event's data has no such field
  await world.expectDelivery({ event: "partner.invoice.factoredUpdated", data: { status: "FUNDED" } });
}
