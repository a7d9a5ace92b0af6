import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createApi, createKeysApi, webhookEventJson } from "../packages/adapter-http/src/index.ts";
import { memoryStore } from "../packages/adapter-memory/src/index.ts";
import {
  type AccountId,
  err,
  eventSending,
  type LoggedMessage,
  NO_LIMITS,
  ok,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  postern,
  type WebhookEvent,
  type WebhookSending,
} from "../packages/core/src/index.ts";
import { RESEND_RETENTION } from "../packages/core/src/store/index.ts";
import { testBody, testMessage, testPorts, valueOf } from "../packages/core/src/testing/index.ts";

/*
 * docs/api.md shows each request as a `curl` command in an `sh` block, followed by its response in an `http` block. Running
 * the examples sends all requests, in order, to one API with predictable ports, and rewrites the responses. For an object
 * that ends with `…`, only the fields already shown are written. `<!-- 60 seconds later -->` advances the clock, and
 * `<!-- mail for alias-000010 -->` logs a message. `<!-- event -->` sends the pending events to the webhooks; the `json` block
 * that follows is the body of the last event. `$KEY` is the secret of the last key that was created.
 */
const STEP =
  /^```sh\n(?<command>curl .*?)\n```\n\n```http\n(?<shown>.*?)```$|^<!-- (?<seconds>\d+) seconds later -->$|^<!-- mail for (?<alias>\S+) -->$|^<!-- event -->\n\n```json\n(?<told>.*?)```$/gms;

const SHOWN_HEADERS = ["allow", "etag", "location", "retry-after", "www-authenticate"];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `actual`, without the fields that `shown` leaves out. */
const elided = (shown: unknown, actual: unknown): unknown => {
  if (Array.isArray(actual)) {
    return actual.map((item, i) => elided(Array.isArray(shown) ? (shown[i] ?? shown[0]) : undefined, item));
  }
  if (!isObject(actual) || !isObject(shown)) return actual;
  const fields = Object.entries(actual).map(([name, value]) => [name, elided(shown[name], value)] as const);
  if (!("…" in shown)) return Object.fromEntries(fields);
  return Object.fromEntries([...fields.filter(([name]) => name in shown), ["…", 0]]);
};

const parseShown = (shown: string): unknown => {
  try {
    return JSON.parse(shown.replaceAll(/^(\s*)…$/gm, '$1"…": 0'));
  } catch {
    return undefined;
  }
};

/** JSON as the document shows it. */
const elidedJson = (shown: string, actual: string): string =>
  JSON.stringify(elided(parseShown(shown), JSON.parse(actual)), null, 2).replaceAll('"…": 0', "…");

/** What `curl --include` printed, as the document shows it. */
const responseBlock = (printed: string, shown: string): string => {
  const [head = "", body = ""] = printed.split(/\r\n\r\n(.*)/s);
  const [status = "", ...headers] = head.split("\r\n");
  const shownHeaders = headers.filter((line) =>
    SHOWN_HEADERS.includes(line.slice(0, line.indexOf(":")).toLowerCase()),
  );
  const lines = [status, ...shownHeaders];
  if (body === "") return `${lines.join("\n")}\n`;
  const [, shownBody = ""] = shown.split(/\n\n(.*)/s);
  return `${[...lines, "", elidedJson(shownBody, body)].join("\n")}\n`;
};

/** A message that one of two recipients has received. */
const someMail = (account: AccountId, alias: string, at: number): LoggedMessage => {
  const place = { account, id: valueOf(parseAliasId(alias)) };
  const to = (address: string) => valueOf(parseEmailAddress(address));
  return testMessage(place, {
    at,
    contact: to("support@shop.example"),
    copies: [
      { to: to("me@home.example"), state: "sent", at: at + 500, reason: null },
      { to: to("me@work.example"), state: "bounced", at: at + 600, reason: "mailbox_full" },
    ],
    keptBody: testBody(at + 600 + RESEND_RETENTION),
  });
};

/** The document with the responses that the API sends, and the routes that the examples use (`GET /aliases/{alias_id}`). */
export const withResponses = async (
  document: string,
): Promise<{ readonly document: string; readonly routes: ReadonlySet<string> }> => {
  const ports = testPorts();
  const account = valueOf(parseAccountId("ada"));
  const routes = new Set<string>();
  const store = memoryStore();
  const told: WebhookEvent[] = [];
  const webhookSending: WebhookSending = {
    send: async (_webhook, event) => {
      told.push(event);
      return { code: "delivered" };
    },
  };
  const sending = eventSending({ store, webhookSending, ...ports });
  const keysUrl = "https://keys.example.com";
  const service = postern({ store, aliasDomains: ["alias.example"], webhookSending, keysUrl, ...ports });
  const keysApi = createKeysApi({ postern: service });
  const api = createApi({
    postern: service,
    authorizer: {
      authorize: async ({ authorization }) =>
        authorization === "Bearer token" ? ok(account) : err({ code: "unauthorized" }),
    },
    rateLimit: { perMinute: 1200, creationsPerMinute: 60 },
    observer: ({ method, route }) => {
      routes.add(`${method} ${route}`);
      return { within: (handle) => handle(), answered: () => {} };
    },
  });
  const address = await api.listen({ host: "127.0.0.1", port: 0 });
  const env = {
    ...process.env,
    POSTERN: `${address}/v1`,
    AUTH: "Authorization: Bearer token",
    KEYS: `${await keysApi.listen({ host: "127.0.0.1", port: 0 })}/v1`,
    KEY: "",
  };
  try {
    let written = "";
    let end = 0;
    for (const { 0: step, index, groups = {} } of document.matchAll(STEP)) {
      const { command, shown = "", seconds, alias, told: shownEvent } = groups;
      ports.clock.advance(1000 * Number(seconds ?? 1));
      if (alias !== undefined)
        valueOf(await store.messageLog.save(someMail(account, alias, ports.clock.now()), NO_LIMITS));
      if (shownEvent !== undefined) {
        valueOf(await sending.beginTurns());
        await sending.turnsEnded();
        const event = told.at(-1);
        if (event === undefined) throw new Error("No webhook has been told of anything");
        written += document.slice(end, index);
        written += `<!-- event -->\n\n\`\`\`json\n${elidedJson(shownEvent, webhookEventJson(event))}\n\`\`\``;
        end = index + step.length;
      }
      if (command === undefined) continue;
      const { stdout } = await promisify(execFile)("sh", ["-c", `set -e; ${command} --silent`], { env });
      const [, key = env.KEY] = /"secret":"(pk_\w+)"/.exec(stdout) ?? [];
      env.KEY = key;
      written += document.slice(end, index);
      written += `\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`http\n${responseBlock(stdout, shown)}\`\`\``;
      end = index + step.length;
    }
    return { document: written + document.slice(end), routes };
  } finally {
    await api.close();
    await keysApi.close();
  }
};
