/** What `await using` calls. Node 18 has no such symbol; compilers that know `await using` fall back to this one. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose);
