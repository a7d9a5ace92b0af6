import { CLIENT_KINDS, MAX_API_KEYS, type Scope } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch, expectOutcome } from "../../expect.ts";
import { expectApiKeys } from "./agreement.ts";
import { type Command, command } from "./command.ts";
import { accountOf, at, countIn, idsAt, type Model, refusal } from "./model.ts";

const HOUR = 60 * 60 * 1000;

/** What else a key is created with: the recipients by their index in the model, and after how long it expires, in milliseconds. */
export type KeySettings = {
  readonly scopes: readonly Scope[];
  readonly picks?: readonly number[];
  readonly expiresAfter?: number;
};

export const createApiKey = (owner: number, { scopes, picks, expiresAfter }: KeySettings): Command =>
  command(
    `account ${owner} creates an API key: ${JSON.stringify({ scopes, picks, expiresAfter })}`,
    async (model, { service, ports }) => {
      const account = accountOf(model, owner);
      const now = ports.clock.now();
      const recipientIds = picks && idsAt(model, picks);
      const expiresAt = expiresAfter === undefined ? undefined : now + expiresAfter;
      const created = await service.createApiKey({ account, name: "key", scopes, recipientIds, expiresAt });
      const refused = recipientIds === undefined ? null : refusal(model, account, recipientIds);
      if (refused !== null) {
        expectMatch(created, refused);
        return;
      }
      expectOutcome(created, [countIn(account, model.apiKeys) >= MAX_API_KEYS && "too_many_api_keys"]);
      if (created.isErr()) return;
      const { apiKey, secret } = created.value;
      expectEqual(apiKey, {
        id: apiKey.id,
        account,
        hash: apiKey.hash,
        name: "key",
        scopes,
        aliasDomain: null,
        recipientIds: recipientIds === undefined ? null : [...new Set(recipientIds)],
        expiresAt: expiresAt ?? null,
        createdAt: now,
        lastUse: null,
      });
      model.apiKeys.push({ ...apiKey, secret });
      await expectApiKeys(model, service);
    },
  );

/** A program uses API key `n`, once what is cached about it has expired. */
export const useApiKey = (n: number): Command =>
  command(`API key ${n} is used`, async (model, { service, ports }) => {
    const own = at(model.apiKeys, n);
    const client = at(CLIENT_KINDS, n) ?? "program";
    ports.clock.advance(10_000);
    const now = ports.clock.now();
    for (const secret of model.revoked) {
      const revoked = await service.authenticateApiKey({ secret, client });
      expectMatch(revoked, { error: { code: "api_key_invalid", reason: "unknown" } });
    }
    if (own === undefined) return;
    const authenticated = await service.authenticateApiKey({ secret: own.secret, client });
    if (own.expiresAt !== null && own.expiresAt <= now) {
      expectMatch(authenticated, { error: { code: "api_key_invalid", reason: "expired" } });
      return;
    }
    const { secret: _, ...apiKey } = own;
    expectEqual(valueOf(authenticated), apiKey);
    const hour = now - (now % HOUR);
    if (own.lastUse === null || own.lastUse.at < hour) own.lastUse = { at: hour, by: client };
    await expectApiKeys(model, service);
  });

/** Deletes an API key of any account, which only its own account can do. */
export const deleteApiKey = (owner: number, n: number): Command =>
  command(`account ${owner} deletes API key ${n}`, async (model, { service }) => {
    const account = accountOf(model, owner);
    const apiKey = at(model.apiKeys, n);
    valueOf(await service.deleteApiKey({ account, apiKeyId: apiKey?.id ?? "a".repeat(26) }));
    if (apiKey?.account === account) revoke(model, apiKey);
    await expectApiKeys(model, service);
  });

/** Removes the key: its secret leads nowhere from then on. */
export const revoke = (model: Model, apiKey: Model["apiKeys"][number]): void => {
  model.apiKeys.splice(model.apiKeys.indexOf(apiKey), 1);
  model.revoked.push(apiKey.secret);
};
