import { defineConfig } from "vite";

export default defineConfig({
  // Chunks are named by what they contain: they can be kept for ever.
  build: {
    target: "es2023",
    // Browsers that lack it lack more. It would also be a string that the CSP forbids to run.
    modulePreload: { polyfill: false },
    // Nothing inline: the CSP allows only files of this origin.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
  // `vite` serves the sources; the trial, which must be running, says where everything is.
  server: { proxy: { "/settings.json": "http://127.0.0.1:8090" } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
