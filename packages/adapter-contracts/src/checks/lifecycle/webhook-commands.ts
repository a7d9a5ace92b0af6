import { type EventType, MAX_WEBHOOKS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch, expectOutcome } from "../../expect.ts";
import { expectWebhooks } from "./agreement.ts";
import { KEY_REUSED } from "./alias-commands.ts";
import { type Command, command } from "./command.ts";
import { accountOf, at, countIn, createdWith, type Model, rememberCreation } from "./model.ts";

const urlOf = (n: number): string => `https://service-${n}.example/`;

const createLabel = (owner: number, n: number, events: readonly EventType[], key: string | undefined) =>
  `account ${owner} creates a webhook ${n} for ${events}${key === undefined ? "" : `, with the key ${key}`}`;

/** Creates a webhook, perhaps with an idempotency key, which may have been used before. */
export const createWebhook = (
  owner: number,
  n: number,
  events: readonly EventType[],
  idempotencyKey?: string,
): Command =>
  command(createLabel(owner, n, events, idempotencyKey), async (model, { service, ports }) => {
    const account = accountOf(model, owner);
    const now = ports.clock.now();
    const asked = JSON.stringify([urlOf(n), ...events]);
    const earlier = createdWith(model, account, idempotencyKey, now);
    const created = await service.createWebhook({ account, url: urlOf(n), events, idempotencyKey });
    if (earlier !== undefined) {
      const webhook = model.webhooks.find((each) => each.account === account && each.id === earlier.id);
      if (earlier.asked !== asked) expectMatch(created, KEY_REUSED);
      else if (webhook === undefined) expectMatch(created, { error: { code: "webhook_not_found" } });
      else expectMatch(created, { value: webhook });
      return;
    }
    expectOutcome(created, [countIn(account, model.webhooks) >= MAX_WEBHOOKS && "too_many_webhooks"]);
    if (created.isErr()) return;
    const { id, secret } = created.value;
    rememberCreation(model, { account, key: idempotencyKey, asked, id, at: now });
    const state = { events, off: null, createdAt: now, updatedAt: now, version: 1 };
    expectEqual(created.value, { id, account, url: urlOf(n), secret, ...state });
    model.webhooks.push(created.value);
    await expectWebhooks(model, service);
  });

/** Webhook `n` of any account, as a target of the account `owner`; an unknown one if there is none. */
const targetOf = (model: Model, owner: number, n: number) => {
  const account = accountOf(model, owner);
  const webhook = at(model.webhooks, n);
  return {
    target: { account, webhookId: webhook?.id ?? "a".repeat(26) },
    own: webhook?.account === account ? webhook : undefined,
  };
};

type Wanted = { readonly url?: number; readonly events?: readonly EventType[]; readonly active?: boolean };

/** Changes a webhook of any account, which only its own account can do. */
export const updateWebhook = (owner: number, n: number, { url, ...wanted }: Wanted): Command =>
  command(
    `account ${owner} sets ${JSON.stringify({ url, ...wanted })} on webhook ${n}`,
    async (model, { service, ports }) => {
      const { target, own } = targetOf(model, owner, n);
      const change = { ...wanted, ...(url !== undefined && { url: urlOf(url) }) };
      const updated = await service.updateWebhook({ ...target, ...change });
      expectOutcome(updated, [own === undefined && "webhook_not_found"]);
      if (own === undefined || updated.isErr()) return;
      const { active = own.off === null, ...settings } = change;
      const after = { ...own, ...settings, off: active ? null : "owner" };
      const isSame = JSON.stringify(after) === JSON.stringify(own);
      const next = { version: own.version + 1, updatedAt: ports.clock.now() };
      expectEqual(updated.value, isSame ? own : { ...after, ...next });
      model.webhooks.splice(model.webhooks.indexOf(own), 1, updated.value);
      await expectWebhooks(model, service);
    },
  );

/** Deletes a webhook of any account, which only its own account can do. */
export const deleteWebhook = (owner: number, n: number): Command =>
  command(`account ${owner} deletes webhook ${n}`, async (model, { service }) => {
    const { target, own } = targetOf(model, owner, n);
    valueOf(await service.deleteWebhook(target));
    if (own !== undefined) model.webhooks.splice(model.webhooks.indexOf(own), 1);
    expectMatch(await service.getWebhook(target), { error: { code: "webhook_not_found" } });
    await expectWebhooks(model, service);
  });
