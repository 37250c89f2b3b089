// Packs this package, and the package of this platform around a program that was built for it.
//
// node scripts/pack.mjs BINARY OUT
//
// Prints the files and their sizes. `npm run build` comes first.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const root = fileURLToPath(new URL("..", import.meta.url));
const [binary, out] = process.argv.slice(2).map((file) => resolve(file));
if (!out) {
  console.error("usage: node scripts/pack.mjs BINARY OUT");
  process.exit(2);
}

const { scripts, devDependencies, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version, license, engines } = manifest;

/** Packs a folder with this manifest, with the licences, and with what `fill` puts into it. */
function pack(manifest, fill) {
  const folder = mkdtempSync(join(tmpdir(), "tideover-pack-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
    for (const file of ["LICENSE-MIT", "LICENSE-APACHE"])
      copyFileSync(join(root, "../../..", file), join(folder, file));
    fill(folder);
    const npm = spawnSync("npm", ["pack", "--silent", "--pack-destination", out], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      shell: process.platform === "win32",
    });
    if (npm.status !== 0) process.exit(1);
    const file = join(out, npm.stdout.trim());
    console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(2)} MB`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

mkdirSync(out, { recursive: true });

// Only a published package depends on those of the platforms: nobody who works on it is to fetch them.
const optionalDependencies = Object.fromEntries(PLATFORMS.map((platform) => [`@tideover/${platform}`, version]));
pack({ ...manifest, optionalDependencies }, (folder) => {
  for (const file of [...manifest.files, "README.md"])
    cpSync(join(root, file), join(folder, file), { recursive: true });
});

const { platform, arch } = process;
const name = `@tideover/${platform}-${arch}`;
const description = `The program of tideover for ${platform} on ${arch}.`;
pack({ name, version, description, license, engines, os: [platform], cpu: [arch], files: ["bin"] }, (folder) => {
  const program = join(folder, "bin", platform === "win32" ? "tideover.exe" : "tideover");
  mkdirSync(join(folder, "bin"));
  copyFileSync(binary, program);
  chmodSync(program, 0o755);
});
