/** Put in by the bundler: the version in the plugin's package.json. Not there when the sources run unbundled. */
declare const __PLUGIN_VERSION__: string | undefined;

/** The version that the server reports as its own. */
export function pluginVersion(): string {
  return typeof __PLUGIN_VERSION__ === "string" ? __PLUGIN_VERSION__ : "0.0.0-unbundled";
}
