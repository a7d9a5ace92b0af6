import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What happens to a statement of the store. Afterwards its connection is cut. */
export type Fault =
  /** It never reaches PostgreSQL. */
  | "request lost"
  /** PostgreSQL has completed it, but the response is lost. */
  | "response lost"
  /** PostgreSQL completes it, but the response is later than any deadline. */
  | "response late";

export const FAULTS: readonly Fault[] = ["request lost", "response lost", "response late"];

/** Decides which fault each statement meets, if any. */
export type Plan = () => Fault | null;

/** Parse or Bind, with which `pg` begins every statement that has parameters. It does not log in or prepare a connection with them. */
const beginsStatement = (chunk: Buffer): boolean => chunk[0] === 0x50 || chunk[0] === 0x42;

/** Resolves with the next response, or if there will be none. */
const answered = (upstream: Socket) =>
  new Promise<void>((resolve) => {
    for (const event of ["data", "close"]) upstream.once(event, () => resolve());
  });

/** A proxy between the store and PostgreSQL on a loopback port. */
export const faultProxy = async (target: number) => {
  let plan: Plan = () => null;
  /** The fault that each statement met, if any. */
  const met: (Fault | null)[] = [];
  const open = new Set<Socket>();
  /** Statements that PostgreSQL may still be working on, although the store no longer has a connection to it. */
  const unfinished = new Set<Promise<void>>();

  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay().on("error", () => {});
      socket.on("close", () => open.delete(socket));
    }
    let fault: Fault | null = null;
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (chunk: Buffer) => {
      if (beginsStatement(chunk)) {
        fault = plan();
        met.push(fault);
      }
      if (fault === "request lost") return cut();
      if (fault !== null) unfinished.add(answered(upstream));
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      // Only a statement that is complete has a response: PostgreSQL has committed it.
      if (fault === null) client.write(chunk);
      else if (fault === "response lost") cut();
    });
    client.on("close", () => {
      // The server cancels a statement if it notices that its client has gone. These faults are about those that complete.
      if (fault === null || fault === "request lost") upstream.destroy();
    });
    upstream.on("close", () => client.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no TCP port");
  return {
    port: address.port,
    met,
    follow: (next: Plan) => {
      plan = next;
    },
    /** Waits until PostgreSQL has completed all statements. */
    settled: async () => {
      await Promise.all(unfinished);
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
};
