import { Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { newSender, sentTo } from "./support/sender.ts";
import { NAME, startDns, startRespondingServer } from "./support/servers.ts";
import { event, webhookAt } from "./support/webhooks.ts";

const REFUSED = { code: "failed", reason: "its address is in a private network" };
const DELIVERED = { code: "delivered" };

/** Addresses that are not public, by what they are for. */
const NOT_PUBLIC = {
  "this network": ["0.0.0.0", "0.1.2.3", "::"],
  "this machine": ["127.0.0.1", "127.255.255.254", "::1"],
  "private networks": [
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.0.1",
    "fc00::1",
    "fdff::1",
    "fec0::1",
  ],
  "shared networks": ["100.64.0.1", "100.127.255.254"],
  "the local link": ["169.254.0.1", "fe80::1", "febf::1"],
  "the metadata of clouds": [
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
  ],
  "an IPv4 address in an IPv6 address": [
    "::ffff:7f00:1",
    "::ffff:a9fe:a9fe",
    "::ffff:808:808",
    "::ffff:0:7f00:1",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::1",
    "2001:0:7f00:1::1",
  ],
  "documents and tests": ["192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  "many receivers": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
  "special uses": [
    "192.0.0.1",
    "192.88.99.1",
    "240.0.0.1",
    "100::1",
    "100:0:0:1::1",
    "2001:2::1",
    "5f00::1",
    "4000::1",
  ],
};

/** Records of a name that has this address. */
const recordsOf = (address: string) => (address.includes(":") ? { AAAA: [address] } : { A: [address] });

/** As if every address of every network were on this machine: each connection goes to 127.0.0.1 instead. */
const bringHome = (): readonly string[] => {
  const connected: string[] = [];
  const connect = Socket.prototype.connect;
  // The types of the overloads say nothing about the options that `https` passes.
  const redirected = function (this: Socket, ...[options, ...others]: unknown[]): Socket {
    const { lookup } = options as { lookup: (...of: unknown[]) => void };
    const home = (name: string, how: unknown, done: (error: unknown, addresses: unknown) => void) =>
      lookup(name, how, (error: unknown, found: readonly { readonly address: string }[]) => {
        connected.push(...(error ? [] : found.map(({ address }) => address)));
        done(error, [{ address: "127.0.0.1", family: 4 }]);
      });
    return Reflect.apply(connect, this, [{ ...Object(options), lookup: home }, ...others]);
  };
  const spy = vi.spyOn(Socket.prototype, "connect").mockImplementation(redirected);
  onTestFinished(() => spy.mockRestore());
  return connected;
};

const startServer = () => startRespondingServer("HTTP/1.1 200 OK\r\n\r\n");

describe("addresses for", () => {
  test.for(Object.entries(NOT_PUBLIC))("%s are refused", async ([, addresses]) => {
    const server = await startServer();
    const dns = await startDns();
    const sender = await newSender({ dns: dns.address, allowPrivateNetworks: false });
    const connected = bringHome();
    for (const address of addresses) {
      dns.zone[NAME] = recordsOf(address);
      const delivery = await sender.send(webhookAt(`https://${NAME}:${server.port}/`), event);
      expect(delivery, address).toEqual(REFUSED);
    }
    expect(connected).toEqual([]);
    expect(server.connections().all).toBe(0);
  });
});

test.for([
  "8.8.8.8",
  "1.1.1.1",
  "100.63.255.255",
  "100.128.0.1",
  "172.32.0.1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
])("the public address %s is not refused", async (address) => {
  const server = await startServer();
  const dns = await startDns({ [NAME]: recordsOf(address) });
  const connected = bringHome();
  const settings = { dns: dns.address, allowPrivateNetworks: false };
  expect(await sentTo(server.port, settings)).toEqual(DELIVERED);
  expect(connected).toEqual([address]);
  // The address that was checked is connected to: the name is not looked up a second time.
  expect(dns.questions.toSorted()).toEqual([`A ${NAME}`, `AAAA ${NAME}`]);
});

test.for([
  { A: ["8.8.8.8", "127.0.0.1"] },
  { A: ["8.8.8.8"], AAAA: ["::1"] },
  { A: ["8.8.8.8"], AAAA: ["2606:4700:4700::1111", "4000::1"] },
])("a name with a public address and another is refused: %j", async (records) => {
  const server = await startServer();
  const dns = await startDns({ [NAME]: records });
  const connected = bringHome();
  const settings = { dns: dns.address, allowPrivateNetworks: false };
  expect(await sentTo(server.port, settings)).toEqual(REFUSED);
  expect(connected).toEqual([]);
});

test("an address is checked each time", async () => {
  const server = await startServer();
  const dns = await startDns({ [NAME]: { A: ["8.8.8.8"] } });
  const sender = await newSender({ dns: dns.address, allowPrivateNetworks: false });
  const send = () => sender.send(webhookAt(`https://${NAME}:${server.port}/`), event);
  const connected = bringHome();
  expect(await send()).toEqual(DELIVERED);
  dns.zone[NAME] = { A: ["127.0.0.1"] };
  expect(await send()).toEqual(REFUSED);
  expect(connected).toEqual(["8.8.8.8"]);
});

test("private networks can be allowed", async () => {
  const server = await startServer();
  expect(await sentTo(server.port, { allowPrivateNetworks: false })).toEqual(REFUSED);
  expect(await sentTo(server.port, { allowPrivateNetworks: true })).toEqual(DELIVERED);
  expect(server.connections().all).toBe(1);
});

test.for(["127.0.0.1", "0.0.0.0", "169.254.169.254", "[::1]", "[::ffff:7f00:1]", "[::]"])(
  "%s in a URL is refused as well, although no webhook can have it",
  async (host) => {
    const server = await startServer();
    const sender = await newSender({ allowPrivateNetworks: false });
    const webhook = { ...webhookAt(`https://${NAME}/`), url: `https://${host}:${server.port}/` };
    // No `WebhookUrl` is on an IP address.
    expect(await sender.send(webhook as ReturnType<typeof webhookAt>, event)).toEqual(REFUSED);
    expect(server.connections().all).toBe(0);
  },
);
