import { startWebhookReceiver } from "@postern/test-support/webhook-receiver";
import { describe, expect, onTestFinished, test } from "vitest";
import { webhookSender } from "../src/index.ts";
import { newSender, sentTo } from "./support/sender.ts";
import { NAME, startDns, startRespondingServer, startTlsServer } from "./support/servers.ts";
import { event, format, secret, webhookAt } from "./support/webhooks.ts";

const startReceiver = async () => {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const sender = webhookSender({ format, allowPrivateNetworks: true, ca: receiver.ca, dns: receiver.dns });
  onTestFinished(() => sender.close());
  return { receiver, sender };
};

describe("a receiver", () => {
  test("gets the event, signed according to Standard Webhooks", async () => {
    const { receiver, sender } = await startReceiver();
    const before = Math.floor(Date.now() / 1_000);
    expect(await sender.send(webhookAt(`${receiver.url}?key=a%20b`), event)).toEqual({ code: "delivered" });
    const [received] = receiver.received;
    expect(received).toMatchObject({ path: "/webhook?key=a%20b", id: event.id, body: format(event) });
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": `${Buffer.byteLength(format(event))}`,
      "user-agent": "Postern",
    });
    expect(Number(received?.headers["webhook-timestamp"])).toBeGreaterThanOrEqual(before);
    expect(received?.verified(secret)).toEqual({ type: "webhook.test", data: "für 🐙" });
    expect(() => received?.verified(secret.replace("MDEy", "MDEz"))).toThrow("No matching signature found");
  });

  test("is told the time of the clock", async () => {
    const { receiver } = await startReceiver();
    const clock = { now: () => 1_674_087_231_999 };
    await sentTo(receiver.url, { ca: receiver.ca, dns: receiver.dns, clock });
    expect(receiver.received[0]?.headers["webhook-timestamp"]).toBe("1674087231");
  });

  test("can respond with any status", async () => {
    const { receiver, sender } = await startReceiver();
    const statuses = [200, 201, 204, 299, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503];
    const deliveries = [];
    for (const status of statuses) {
      receiver.respondWith(status);
      deliveries.push(await sender.send(webhookAt(receiver.url), event));
    }
    const failed = (status: number) => ({ code: "failed", reason: `responded ${status}` });
    expect(deliveries).toEqual([
      ...Array(4).fill({ code: "delivered" }),
      ...[301, 302, 307, 308, 400, 404].map(failed),
      { code: "gone", reason: "responded 410" },
      ...[429, 500, 503].map(failed),
    ]);
    expect(receiver.received).toHaveLength(statuses.length);
  });
});

test.for([
  [301, "https://127.0.0.1"],
  [307, `https://${NAME}`],
  [308, "/elsewhere"],
] as const)("a redirect (%i) to %s is not followed", async ([status, host]) => {
  const target = await startRespondingServer("HTTP/1.1 200 OK\r\n\r\n");
  const location = host.startsWith("/") ? host : `${host}:${target.port}/`;
  const server = await startRespondingServer(`HTTP/1.1 ${status} Found\r\nLocation: ${location}\r\n\r\n`);
  expect(await sentTo(server.port)).toEqual({ code: "failed", reason: `responded ${status}` });
  expect(target.connections().all).toBe(0);
  expect(server.connections().all).toBe(1);
});

test("what the receiver says is not repeated", async () => {
  const server = await startRespondingServer(
    "HTTP/1.1 500 key=4711\r\nX-Key: 4711\r\nContent-Length: 4\r\n\r\n4711",
  );
  expect(await sentTo(server.port)).toEqual({ code: "failed", reason: "responded 500" });
});

test("an informational response does not count as the response", async () => {
  const server = await startRespondingServer("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 410 Gone\r\n\r\n");
  expect(await sentTo(server.port)).toEqual({ code: "gone", reason: "responded 410" });
});

test("a webhook whose name has several addresses is reached at one that works", async () => {
  const server = await startRespondingServer("HTTP/1.1 200 OK\r\n\r\n");
  const { address: dns } = await startDns({ [NAME]: { A: ["127.0.0.2", "127.0.0.1"], AAAA: ["::1"] } });
  expect(await sentTo(server.port, { dns })).toEqual({ code: "delivered" });
});

test("no connection stays open", async () => {
  const server = await startRespondingServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const sender = await newSender();
  const url = `https://${NAME}:${server.port}/`;
  for (let n = 0; n < 3; n += 1)
    expect(await sender.send(webhookAt(url), event)).toEqual({ code: "delivered" });
  expect(server.connections().all).toBe(3);
  await expect.poll(() => server.connections().open).toBe(0);
});

test("many webhooks that do not respond delay no others, not even on the same server", async () => {
  const silent = Array.from({ length: 50 }, (_, n) => `silent-${n}.example`);
  const dns = await startDns(Object.fromEntries(silent.map((name) => [name, "silence"])));
  const server = await startTlsServer((socket) => {
    socket.once("data", (data) => {
      if (data.toString("latin1").startsWith("POST /good")) socket.write("HTTP/1.1 200 OK\r\n\r\n");
    });
  });
  const sender = await newSender({ dns: dns.address, timeoutMs: 60_000 });
  const send = (url: string) => sender.send(webhookAt(url), event);
  const stalled = [
    ...silent.map((name) => send(`https://${name}/`)),
    ...silent.map(() => send(`https://${NAME}:${server.port}/bad`)),
  ];
  await expect.poll(() => server.connections().open).toBe(silent.length);
  const delivery = send(`https://${NAME}:${server.port}/good`);
  expect(await Promise.race([delivery, ...stalled])).toEqual({ code: "delivered" });

  // The second time, nothing is under way anymore.
  for (let n = 0; n < 2; n += 1) sender.close();
  const reason = "was interrupted: the server that sends events is stopping";
  expect(await Promise.all(stalled)).toEqual(Array(2 * silent.length).fill({ code: "failed", reason }));
});

test.each(["example.com", "127.0.0.1:port", ""])("dns must be an address: %j", (dns) => {
  expect(() => webhookSender({ format, dns })).toThrow(TypeError);
});
