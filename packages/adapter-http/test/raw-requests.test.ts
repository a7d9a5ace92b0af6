import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();

let world: World;

beforeEach(async () => {
  issuer().behave("well");
  world = await openWorld(issuer(), { corsOrigins: ["https://app.example"] });
});

afterEach(() => world.api.close());

describe("over a socket", () => {
  /** What the server sends in response to these bytes until it closes the connection. */
  const exchange = async (bytes: string): Promise<string> => {
    const { port } = new URL(await world.api.listen({ host: "127.0.0.1", port: 0 }));
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
        if (/\r\n\r\n.*\}$/s.test(received)) socket.end();
      });
      socket.on("close", () => resolve(received));
      socket.on("error", reject);
    });
  };

  test("a 401 does not wait for the body", async () => {
    const received = await exchange(
      "POST /aliases HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
    );
    expect(received).toMatch(/^HTTP\/1\.1 401 /);
    expect(received).toMatch(/\{"message":"Unauthorized"\}$/);
  });

  test("two Authorization headers are 401, in any order", async () => {
    const good = `Authorization: Bearer ${await issuer().token()}\r\n`;
    const once = await exchange(`GET /aliases HTTP/1.1\r\nHost: x\r\n${good}\r\n`);
    expect(once).toMatch(/^HTTP\/1\.1 200 /);
    await world.api.close();
    for (const pair of [`${good}authorization: x\r\n`, `authorization: x\r\n${good}`, good + good]) {
      world = await openWorld(issuer());
      expect(await exchange(`GET /aliases HTTP/1.1\r\nHost: x\r\n${pair}\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
      await world.api.close();
    }
  });

  test.each([
    ["two Hosts", "HTTP/1.1", "Host: x\r\nHost: x\r\n"],
    ["two Hosts that differ", "HTTP/1.1", "Host: x\r\nhost: y\r\n"],
    ["two Hosts in HTTP/1.0", "HTTP/1.0", "Host: x\r\nHost: y\r\n"],
    ["no Host", "HTTP/1.1", ""],
    ["a Host with a space", "HTTP/1.1", "Host: x y\r\n"],
    ["a Host with a path", "HTTP/1.1", "Host: x/y\r\n"],
    ["two Hosts in one line", "HTTP/1.1", "Host: x, y\r\n"],
    ["a Host with a name for a port", "HTTP/1.1", "Host: x:http\r\n"],
  ])("%s is 400, with or without a token", async (_, version, hosts) => {
    const token = `Authorization: Bearer ${await issuer().token()}\r\n`;
    for (const authorization of [token, ""]) {
      world = await openWorld(issuer());
      const received = await exchange(
        `POST /recipients ${version}\r\n${hosts}${authorization}Content-Type: application/json\r\n` +
          `Content-Length: 36\r\n\r\n{"recipient_email":"a@mail.example"}`,
      );
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      expect(received).toMatch(/^connection: close\r$/im);
      expect(JSON.parse(received.slice(received.indexOf("{")))).toMatchObject({
        code: "invalid_request",
        errors: [{ parameter: "Host" }],
      });
      expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
      await world.api.close();
    }
  });

  test.each([
    ["a name and a port", "HTTP/1.1", "Host: api.example:8080\r\n"],
    ["an IPv6 address", "HTTP/1.1", "Host: [::1]:8080\r\n"],
    ["an empty one", "HTTP/1.1", "Host:\r\n"],
    ["none, in HTTP/1.0", "HTTP/1.0", ""],
  ])("accepts this Host: %s", async (_, version, host) => {
    expect(await exchange(`GET /health ${version}\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ["input that is not HTTP", "hello\r\n\r\n", 400, "invalid_request"],
    [
      "headers too large",
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
  ])("%s also leads to a problem document", async (_, bytes, status, code) => {
    const received = await exchange(bytes);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(/content-type: application\/problem\+json/);
    expect(JSON.parse(received.slice(received.indexOf("{")))).toMatchObject({ status, code });
  });
});
