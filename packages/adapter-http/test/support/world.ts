import {
  AccountId,
  AliasDomains,
  AliasId,
  addRecipient,
  createAlias,
  deleteAlias,
  deleteRecipient,
  EmailAddress,
  getAlias,
  getRecipient,
  type LinkClaims,
  listAliases,
  listRecipients,
  Recipient,
  RecipientId,
  reassignRecipient,
  replaceRecipients,
  resendVerification,
  restoreAlias,
  type Store,
  updateAlias,
  updateRecipient,
  verifyRecipient,
} from "@postern/core";
import { newStore } from "@postern/test-support/new-store";
import type { FastifyBaseLogger, InjectOptions } from "fastify";
import { err, ok } from "neverthrow";
import { createApi, idTokenAuthorizer, type Observer, type RateLimit } from "../../src/index.ts";
import { assertDocumented } from "./conformance.ts";
import { AUDIENCE, type Issuer } from "./issuer.ts";

export type Call = {
  /** Whose token to send; null sends none. */
  readonly as?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown;
};

/** The whole API over a store of the kind under test, core's real use cases and the real authorizer. */
export const openWorld = async (
  issuer: Issuer,
  options: {
    store?: Store;
    logger?: FastifyBaseLogger;
    corsOrigins?: string[];
    rateLimit?: RateLimit;
    trustedProxies?: string[];
    observer?: Observer;
  } = {},
) => {
  const { store = await newStore(), ...rest } = options;
  let time = 1_700_000_000_000;
  let made = 0;
  let drawn = 0;
  let mailWorks = true;
  const links: string[] = [];
  const sealed = new Map<string, LinkClaims>();
  const number = () => String(++made).padStart(6, "0");

  const clock = { now: () => ++time, pause: async () => {} };
  const ids = {
    alias: () => AliasId.parse(`alias-${number()}`),
    recipient: () => RecipientId.parse(`recipient-${number()}`),
  };
  const secrets = {
    // A walk over all remainders, so that names made one after the other differ.
    random: (below: number) => {
      drawn += 7;
      return drawn % below;
    },
    nonce: () => `nonce-${number()}`,
    seal: (claims: LinkClaims) => {
      const token = `link-${number()}`;
      sealed.set(token, claims);
      return token;
    },
    open: (token: string) => sealed.get(token) ?? null,
  };
  const verificationMail = {
    send: async ({ token }: { token: string }) => {
      links.push(token);
      return mailWorks ? ok() : err({ code: "unavailable" } as const);
    },
  };
  const aliasDomains = AliasDomains.parse(["alias.example", "other-alias.example"]);
  const ports = { ...store, clock, ids, secrets, verificationMail, aliasDomains };

  const api = createApi({
    useCases: {
      replaceRecipients: replaceRecipients(ports),
      createAlias: createAlias(ports),
      getAlias: getAlias(ports),
      listAliases: listAliases(ports),
      updateAlias: updateAlias(ports),
      deleteAlias: deleteAlias(ports),
      restoreAlias: restoreAlias(ports),
      addRecipient: addRecipient(ports),
      verifyRecipient: verifyRecipient(ports),
      getRecipient: getRecipient(ports),
      listRecipients: listRecipients(ports),
      updateRecipient: updateRecipient(ports),
      deleteRecipient: deleteRecipient(ports),
      resendVerification: resendVerification(ports),
      reassignRecipient: reassignRecipient(ports),
    },
    health: () => store.ping(),
    authorizer: idTokenAuthorizer({ issuer: issuer.name, audience: AUDIENCE, jwksUri: issuer.jwksUri }),
    ...rest,
  });

  /** Calls the API, and fails unless the OpenAPI document describes the answer. */
  const call = async (method: NonNullable<InjectOptions["method"]>, url: string, request: Call = {}) => {
    const { as = "alice", headers = {}, body } = request;
    const answer = await api.inject({
      method,
      url,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${await issuer.token({ sub: as })}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    assertDocumented(method, url, answer);
    const json = answer.body !== "" && /json/.test(String(answer.headers["content-type"]));
    return { status: answer.statusCode, headers: answer.headers, body: json ? answer.json() : answer.body };
  };

  const account = (name: string) => AccountId.parse(name);

  /** A recipient in the store, verified and active unless told otherwise. Answers its id. */
  const recipient = async (
    name: string,
    {
      owner = "alice",
      verified = true,
      active = true,
    }: { owner?: string; verified?: boolean; active?: boolean } = {},
  ): Promise<string> => {
    const identity = {
      id: ids.recipient(),
      account: account(owner),
      email: EmailAddress.parse(`${name}@mail.example`),
      nonce: secrets.nonce(),
    };
    const added = Recipient.add(identity, clock.now());
    const created = await store.recipients.create(added);
    created._unsafeUnwrap();
    const wanted = verified ? Recipient.verify(added, clock.now()) : added;
    if (wanted !== added) (await store.recipients.save(added, wanted))._unsafeUnwrap();
    if (!active) {
      const inactive = Recipient.deactivate(wanted, clock.now())._unsafeUnwrap();
      (await store.recipients.save(wanted, inactive))._unsafeUnwrap();
    }
    return identity.id;
  };

  /** An alias made through the API. Answers its JSON. */
  const alias = async (name: string, recipientIds: readonly string[], as = "alice") => {
    const body = { alias_email: `${name}@alias.example`, recipient_ids: recipientIds };
    const created = await call("POST", "/aliases", { as, body });
    if (created.status !== 201) throw new Error(`Not created: ${created.status}`);
    return created.body;
  };

  /** All that the store holds for these accounts. */
  const contents = async (...accounts: string[]) => {
    const page = { limit: 100, after: null };
    return Promise.all(
      accounts.map(async (name) => ({
        aliases: (await store.aliases.list(account(name), page, { deleted: false }))._unsafeUnwrap(),
        deleted: (await store.aliases.list(account(name), page, { deleted: true }))._unsafeUnwrap(),
        recipients: (await store.recipients.list(account(name), page))._unsafeUnwrap(),
      })),
    );
  };

  return {
    api,
    store,
    links,
    call,
    recipient,
    alias,
    contents,
    mailWorks: (works: boolean) => {
      mailWorks = works;
    },
    /** Moves the clock on, in milliseconds. It goes on by one whenever it is looked at. */
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
  };
};
export type World = Awaited<ReturnType<typeof openWorld>>;
