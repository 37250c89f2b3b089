// Finds the program. This file is CommonJS in both builds: `require.resolve` finds the platform package beside this
// one, wherever the package manager has put it.

import fs = require("node:fs");
import path = require("node:path");

/** The file of the program: of the variable `TIDEOVER`, of the platform package, or on the `PATH`. */
export function findBinary(): string {
  const named = process.env["TIDEOVER"];
  if (named && !isNamed(named)) throw new Error(`The variable TIDEOVER names ${named}, which is no program.`);
  const found = named || inPlatformPackage() || onPath(program);
  if (found) return found;
  throw new Error(
    `There is no tideover for this platform: ${platformPackage()} is not installed, and none is on the PATH. ` +
      "Install both files of the release, and without --omit=optional, or name the program in the variable TIDEOVER.",
  );
}

const program = process.platform === "win32" ? "tideover.exe" : "tideover";

function platformPackage(): string {
  return `@tideover/${process.platform}-${process.arch}`;
}

function inPlatformPackage(): string | undefined {
  try {
    return require.resolve(`${platformPackage()}/bin/${program}`);
  } catch {
    return undefined;
  }
}

function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

/** The system looks for a bare name on the PATH, on Windows also with the ending. */
function isNamed(file: string): boolean {
  const names = process.platform === "win32" ? [file, `${file}.exe`] : [file];
  const isBare = path.basename(file) === file;
  return names.some((name) => (isBare ? onPath(name) !== undefined : isProgram(name)));
}

/** In a script of npm, the first `tideover` on the PATH is this package's own launcher, which would find itself. */
function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile() && path.basename(fs.realpathSync(file)) !== "tideover.mjs";
  } catch {
    return false;
  }
}
