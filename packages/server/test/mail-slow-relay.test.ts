import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { newForwardingTo } from "./support/forwarding.ts";

/* A recipient that is replaced while the relay takes its time gets nothing, at whatever point that is. */

const [ALIAS, OLD, NEW] = ["shop@alias.example", "old@home.example", "new@home.example"];

/** More than the buffers of both systems hold. */
const LARGE = `${"x".repeat(899)}\r\n`.repeat(10_000);

const REPLIES = new Map([
  ["greeting", "220 hello"],
  ["EHLO", "250-8BITMIME\r\n250 hello"],
  ["MAIL", "250 ok"],
  ["RCPT", "250 ok"],
  ["DATA", "354 go on"],
]);

const STEPS = [...REPLIES.keys(), "body"];

/** A relay that waits once, before it gives the reply to a command or reads on in a body. */
const startSlowRelay = async (slow: string, pipelining: boolean) => {
  const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const taken: string[] = [];
  const step = async (name: string): Promise<void> => {
    if (name !== slow) return;
    reached.resolve();
    await proceed.promise;
  };
  const talk = async (socket: Socket): Promise<void> => {
    const reply = async (command: string): Promise<void> => {
      await step(command);
      if (command === "EHLO" && pipelining) socket.write("250-PIPELINING\r\n");
      socket.write(`${REPLIES.get(command) ?? "250 ok"}\r\n`);
    };
    await reply("greeting");
    let [to, isBody] = ["", false];
    for await (const line of createInterface({ input: socket })) {
      const command = line.slice(0, 4);
      if (line === ".") {
        taken.push(to);
        isBody = false;
        socket.write("250 ok\r\n");
      } else if (isBody) {
        if (line.startsWith("x")) await step("body");
      } else {
        if (command === "RCPT") to = /<(.*)>/.exec(line)?.[1] ?? "";
        await reply(command);
        isBody = command === "DATA";
      }
    }
  };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    talk(socket).catch(() => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, taken, reached: reached.promise, proceed: proceed.resolve };
};

for (const step of STEPS) {
  for (const pipelining of step === "body" ? [true] : [true, false]) {
    const how = `${step}${pipelining ? "" : ", without pipelining"}`;
    test(`a relay is slow at the ${how}: a recipient that was replaced meanwhile gets nothing, the new one everything`, async () => {
      const relay = await startSlowRelay(step, pipelining);
      const world = await newForwardingTo(relay.url);
      const replace = await world.alias(ALIAS, OLD, "account");
      await world.receive(ALIAS, step === "body" ? LARGE : "Hello\r\n");
      const forwarded = world.forward();
      await relay.reached;
      await replace(NEW);
      world.clock.advance(500);
      relay.proceed();
      await forwarded;
      expect(relay.taken).toEqual([NEW]);
    });
  }
}

test("a relay that is slow gets the message for a recipient that was not replaced", async () => {
  for (const step of STEPS) {
    const relay = await startSlowRelay(step, true);
    const world = await newForwardingTo(relay.url);
    await world.alias(ALIAS, OLD, "account");
    await world.receive(ALIAS, step === "body" ? LARGE : "Hello\r\n");
    const forwarded = world.forward();
    await relay.reached;
    world.clock.advance(60_000);
    relay.proceed();
    await forwarded;
    expect(relay.taken).toEqual([OLD]);
  }
});
