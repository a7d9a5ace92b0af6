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
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
