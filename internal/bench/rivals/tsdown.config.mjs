// What tsdown cannot be told on its command line: one file, whatever is imported late.
export default {
  dts: false,
  define: { __PLUGIN_VERSION__: '"0.0.0"' },
  outputOptions: { codeSplitting: false },
};
