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
    rolldownOptions: {
      output: {
        // Apart from what signing in needs, what several views share is one file: many small ones would compress less.
        codeSplitting: {
          groups: [
            { name: "first", tags: ["$initial"], priority: 1 },
            { name: "format", test: /[\\/]src[\\/]format\.ts$/, priority: 1 },
            { name: "parts", minShareCount: 2 },
          ],
        },
      },
    },
  },
  // `vite` serves the sources; the trial, which must be running, says where everything is.
  server: { proxy: { "/settings.json": "http://127.0.0.1:8090" } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
