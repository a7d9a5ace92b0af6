import { readSetup } from "../support/setup.ts";
import { serveBare } from "./bare/http.ts";
import { memoryStore } from "./shared/memory-store.ts";

/* Bare node:http on maps. */

const setup = readSetup();
await serveBare(setup, memoryStore(setup.fixture));
