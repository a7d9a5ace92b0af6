import { memoryStore } from "@postern/adapter-memory";
import { err, ok } from "@postern/core";
import type { OpenStore } from "./open-store.ts";

export const openMemory: OpenStore = async () =>
  ok({
    ...memoryStore(),
    location: { kind: "memory" },
    differences: none,
    extent: async () => err({ code: "unavailable" }),
    close: () => {},
  });

/** Nothing outlives the process, and nothing else can write to it. */
async function* none() {}
