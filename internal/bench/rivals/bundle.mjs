// The build script that many plugins have: bundle one entry with esbuild's JavaScript API, and nothing else.
// node bundle.mjs ENTRY OUTFILE, in the folder of the plugin.
import { build } from "esbuild";

const [entry, outfile] = process.argv.slice(2);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  mainFields: ["module", "main"],
  define: { __PLUGIN_VERSION__: '"0.0.0"' },
  logLevel: "error",
});
