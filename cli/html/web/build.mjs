// Makes dist/report.js, the script of the pages, with the licences of what is in it:
//   npm ci && npm run build
//   node build.mjs FILE     the same into another file
import { build } from "esbuild";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const result = await build({
  absWorkingDir: root,
  entryPoints: ["src/report.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  write: false,
});

/** The folders of packages of which something is in the script. */
const packages = new Set();
for (const [file, { bytesInOutput }] of Object.entries(Object.values(result.metafile.outputs)[0].inputs)) {
  const found = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
  if (found && bytesInOutput > 0) packages.add(found[1]);
}

/** Names and versions of packages by the text of their licence. */
const licences = new Map();
for (const folder of [...packages].sort()) {
  const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((each) => join(root, folder, each)).find(existsSync);
  if (!file) throw new Error(`${name}: has no licence file`);
  const text = readFileSync(file, "utf8").trim();
  licences.set(text, [...(licences.get(text) ?? []), `${name} ${version}`]);
}
const notices = [...licences].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`);
// What ends a script element must not stand in it, nor what ends a raw string of C++.
const script = result.outputFiles[0].text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const out = process.argv[2] ?? join(root, "dist/report.js");
writeFileSync(out, script);
writeFileSync(out.replace(/\.js$/, ".licences.txt"), notices.join("\n\n"));
