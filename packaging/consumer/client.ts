/* The client of the HTTP API. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ClientError, createClient, parseEvent, type Result, type Schemas, throwing } from "@postern/client";

const rules: Schemas["AliasRules"] = {
  accept_from: "everybody",
  senders: [],
  active_until: null,
  messages_left: null,
};
const asked: (string | undefined)[] = [];
const server = createServer(({ url, headers }, response) => {
  asked.push(`${url} ${headers.authorization}`);
  if (url !== "/v1/aliases/a%2Fb/rules") response.writeHead(404, { "content-type": "text/html" }).end("<p>");
  else
    response.writeHead(200, { "content-type": "application/json", etag: '"1"' }).end(JSON.stringify(rules));
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
const { port } = server.address() as AddressInfo;
const client = createClient({ baseUrl: `http://127.0.0.1:${port}/v1/`, token: async () => "token" });

const read: Result<"getAliasRules"> = await client.getAliasRules("a/b");
deepStrictEqual(read, { ok: true, data: rules, etag: '"1"', requestId: null });
deepStrictEqual(asked, ["/v1/aliases/a%2Fb/rules Bearer token"]);
await rejects(throwing(client).getAlias("alias"), ClientError);
for await (const { ok } of client.allAliases()) deepStrictEqual(ok, false);
deepStrictEqual(parseEvent("{}"), { ok: false, reason: "malformed" });
server.close();
server.closeAllConnections();
