import {
  type AccountLimits,
  err,
  NO_LIMITS,
  ok,
  type Postern,
  parseAccountId,
  parseEmailAddress,
  postern,
  Recipient,
  type Store,
  type VerificationMail,
  type WebhookSending,
} from "@postern/core";
import { type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import type { Language, Service } from "@postern/core/words";
import { newStore } from "@postern/test-support/new-store";
import type { InjectOptions } from "fastify";
import { onTestFinished } from "vitest";
import {
  createApi,
  idTokenAuthorizer,
  type Logger,
  type Observer,
  type RateLimit,
  type RequiredClaim,
} from "../../src/index.ts";
import { assertDocumented } from "./conformance.ts";
import { documented } from "./documented.ts";
import { AUDIENCE, type Issuer } from "./issuer.ts";

export type Call = {
  /** Whose token to send; null sends none. */
  readonly as?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
};

/** The year 2050. Stores delete expired entries by their own clock, which must not be ahead of this one. */
const LONG_AHEAD = Date.UTC(2050);

/** Whether mail can be sent; or it waits, or the recipient's server refuses it. */
type MailMode = boolean | "queues" | "refuses";

/** The test ports, with a clock that advances by a millisecond whenever it is read and mail that can fail. */
export const worldPorts = (
  shared: Partial<Pick<TestPorts, "clock" | "secrets">> = {},
  mode: MailMode = true,
) => {
  const { clock, ids, secrets } = { ...testPorts(LONG_AHEAD), ...shared };
  const links: string[] = [];
  let works = mode;
  const mail: VerificationMail = {
    get queues() {
      return works === "queues";
    },
    send: async (message) => {
      links.push(message.token);
      if (works === "refuses") return err({ code: "mail_refused", permanent: true });
      return works ? ok() : err({ code: "not_sent" });
    },
  };
  return {
    ports: {
      ids,
      secrets,
      clock: {
        ...clock,
        now: () => {
          clock.advance(1);
          return clock.now();
        },
      },
      verificationMail: mail,
    },
    /** The tokens of all links made, oldest first, whether or not their message could be sent. */
    links,
    mailWorks: (now: boolean) => {
      works = now;
    },
    /** Advances the clock, in milliseconds. */
    advance: clock.advance,
  };
};

type WorldOptions = {
  store?: Store;
  /** The limits of an account; omitted ones do not apply. */
  limits?: Partial<AccountLimits>;
  /** Without it there are no webhook events. */
  webhookSending?: WebhookSending;
  logger?: Logger;
  basePath?: string;
  corsOrigins?: string[];
  publicDocument?: boolean;
  home?: boolean;
  rateLimit?: RateLimit;
  trustedProxies?: string[];
  service?: Service;
  logo?: Uint8Array;
  language?: Language;
  observer?: Observer;
  requiredClaim?: RequiredClaim;
  /** Null: programs cannot use keys. */
  keysUrl?: string | null;
  /** How mail works at first; by default it can be sent. */
  mail?: MailMode;
};

/** The kind of API Gateway that requests go through: `rest`, `http-1.0` or `http-2.0`; undefined if they do not. */
export const GATEWAY = process.env["POSTERN_GATEWAY"];

/** Whether the function is the built one, in a process of its own, in worlds whose options are all among `VARIABLES`. */
const BUILT = process.env["POSTERN_FUNCTION"] === "built";

/** The options that variables of a function can express. */
const VARIABLES = new Set(["limits", "keysUrl", "corsOrigins", "service", "logo", "language"]);

type Settings = {
  readonly aliasDomains: readonly string[];
  readonly limits: AccountLimits;
  readonly keysUrl: string | undefined;
};

/** Starts the built function, and opens what it shares with the test's process; null if the function is not to be the built one. */
const openBuilt = async (issuer: Issuer, settings: Settings, options: WorldOptions) => {
  if (!BUILT) return null;
  const isBuilt = Object.keys(options).every((name) => VARIABLES.has(name));
  onTestFinished(({ task }) => {
    task.meta.builtWorlds = [...(task.meta.builtWorlds ?? []), isBuilt];
  });
  if (!isBuilt) return null;
  const { openFunctionWorld } = await import(
    // Behind a comment, whole-files.ts does not see it: by day, no change of the server makes this suite's long tests run whole.
    "../../../server/test/support/function-world.ts"
  );
  const { name } = issuer;
  return openFunctionWorld({ ...options, ...settings, issuer: name, audience: AUDIENCE, start: LONG_AHEAD });
};

type Sent = {
  readonly method: NonNullable<InjectOptions["method"]>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
};

/** The way through the gateway to a function: the built one, if it has a world, or else these operations. Null without a gateway. */
const gatewayTo = async (
  built: Awaited<ReturnType<typeof openBuilt>>,
  service: Postern,
  issuer: Issuer,
  options: object,
) => {
  if (GATEWAY === undefined) return null;
  const { functionHere, gatewayNamed } = await import(
    "../../../adapter-lambda/test/support/local-gateway.ts"
  );
  const pool = { issuer: issuer.name, audience: AUDIENCE, jwksUri: issuer.jwksUri };
  const invoke = built?.invoke ?? functionHere(pool, { ...options, postern: service });
  const send = gatewayNamed(GATEWAY, pool, invoke);
  return async ({ method, url, headers, payload }: Sent) => {
    const [path = "", query = ""] = url.split("?");
    const body = payload === undefined ? null : Buffer.from(payload);
    const response = await send({ method, path, query, headers: Object.entries(headers), body });
    return { ...response, body: response.body.toString() };
  };
};

/** The whole API on a store of the kind under test, with core's real operations and the real authorizer. */
export const openWorld = async (issuer: Issuer, options: WorldOptions = {}) => {
  const { store: given, limits, webhookSending, requiredClaim, mail, ...others } = options;
  const { keysUrl = "https://keys.test", ...rest } = others;
  const settings = {
    aliasDomains: ["alias.example", "other-alias.example"],
    limits: { ...NO_LIMITS, ...limits },
    keysUrl: keysUrl ?? undefined,
  };
  const built = await openBuilt(issuer, settings, options);
  const store = built?.store ?? given ?? (await newStore());
  const { ports, advance, ...own } = worldPorts(built?.ports, mail);
  const { links, mailWorks } = built ?? own;
  const service = postern({
    ...settings,
    store,
    webhookSending,
    // DynamoDB Local can need longer on a busy machine.
    timeoutMs: built !== null || process.env["POSTERN_STORE"] === "dynamodb" ? 60_000 : undefined,
    ...ports,
  });
  const api = documented(
    createApi({
      postern: service,
      authorizer: idTokenAuthorizer({
        issuer: issuer.name,
        audience: AUDIENCE,
        jwksUri: issuer.jwksUri,
        requiredClaim,
      }),
      ...rest,
    }),
    rest.basePath,
  );

  const directly = async (sent: Sent) => {
    const { statusCode, headers, body } = await api.inject(sent);
    return { statusCode, headers, body, isOurs: true };
  };
  const send = (await gatewayTo(built, service, issuer, { requiredClaim, ...rest })) ?? directly;

  const token = (sub: string) => issuer.token({ sub, ...built?.tokenTimes() });

  /** Calls the API, and fails unless the OpenAPI document describes the response. */
  const call = async (method: NonNullable<InjectOptions["method"]>, url: string, request: Call = {}) => {
    const { as = "alice", headers = {}, body } = request;
    const sent = {
      method,
      url,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${await token(as)}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const response = await send(sent);
    if (response.isOurs) assertDocumented(method, url, response);
    const json = response.body !== "" && /json/.test(String(response.headers["content-type"]));
    return {
      status: response.statusCode,
      headers: response.headers,
      body: json ? JSON.parse(response.body) : response.body,
    };
  };

  const account = (name: string) => valueOf(parseAccountId(name));

  /** A recipient in the store, verified and active by default. Returns its id. */
  const recipient = async (
    name: string,
    {
      owner = "alice",
      verified = true,
      active = true,
    }: { owner?: string; verified?: boolean; active?: boolean } = {},
  ): Promise<string> => {
    const identity = {
      id: ports.ids.recipient(),
      account: account(owner),
      email: valueOf(parseEmailAddress(`${name}@mail.example`)),
      nonce: ports.secrets.nonce(),
    };
    const added = Recipient.add(identity, ports.clock.now());
    valueOf(await store.recipients.create(added, NO_LIMITS));
    const wanted = verified ? Recipient.verify(added, ports.clock.now()) : added;
    if (wanted !== added) valueOf(await store.recipients.save(added, wanted));
    if (!active) {
      const inactive = valueOf(Recipient.deactivate(wanted, ports.clock.now()));
      valueOf(await store.recipients.save(wanted, inactive));
    }
    return identity.id;
  };

  /** An alias created through the API. Returns its JSON. */
  const alias = async (name: string, recipientIds: readonly string[], as = "alice") => {
    const body = { alias_email: `${name}@alias.example`, recipient_ids: recipientIds };
    const created = await call("POST", "/aliases", { as, body });
    if (created.status !== 201) throw new Error(`Not created: ${created.status}`);
    return created.body;
  };

  /** Everything that the store contains for these accounts. */
  const contents = async (...accounts: string[]) => {
    const page = { limit: 100, after: null };
    return Promise.all(
      accounts.map(async (name) => ({
        aliases: valueOf(await store.aliases.list(account(name), page, { deleted: false })),
        deleted: valueOf(await store.aliases.list(account(name), page, { deleted: true })),
        recipients: valueOf(await store.recipients.list(account(name), page)),
      })),
    );
  };

  const { seal } = ports.secrets;
  return { api, service, store, links, seal, call, recipient, alias, contents, mailWorks, advance };
};
export type World = Awaited<ReturnType<typeof openWorld>>;
