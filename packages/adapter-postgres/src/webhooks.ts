import { type Conflict, err, MAX_WEBHOOKS, ok, type TooManyWebhooks } from "@postern/core";
import type { Webhooks } from "@postern/core/store";
import { CONTENDED, unavailable } from "./cause.ts";
import { assignments, namesOf, placeholders, valuesOf } from "./columns.ts";
import { addingCreation, creationValues, repeatRefusal } from "./creations.ts";
import type { Database, Refusal } from "./database.ts";
import { remainingTime } from "./remaining-time.ts";
import { query, statement } from "./statement.ts";
import { settingColumns, WEBHOOK, webhookColumns, webhookOf } from "./webhook-row.ts";

const names = namesOf(webhookColumns);

/** Takes the first slot that is free. If none is, nothing is inserted. */
const INSERT = `INSERT INTO webhooks (${names.join(", ")}, slot)
  SELECT ${placeholders(names.length).join(", ")}, s.slot FROM generate_series(1, ${MAX_WEBHOOKS}) AS s (slot)
  WHERE NOT EXISTS (SELECT FROM webhooks AS w WHERE w.account = $1 AND w.slot = s.slot)
  ORDER BY s.slot LIMIT 1 RETURNING 1`;

const CREATE = statement("create_webhook", INSERT);
const CREATE_ONCE = statement(
  "create_webhook_once",
  `WITH created AS (${INSERT}), ${addingCreation(names.length + 1)} SELECT FROM created`,
);

const LIST = statement("list_webhooks", `SELECT ${WEBHOOK} AS webhook FROM webhooks AS w WHERE account = $1`);

const SAVE = statement(
  "save_webhook",
  `UPDATE webhooks SET ${assignments(namesOf(settingColumns), 4)}
  WHERE account = $1 AND id = $2 AND version = $3 RETURNING 1`,
);

const REMOVE = statement("remove_webhook", "DELETE FROM webhooks WHERE account = $1 AND id = $2");

const CONFLICT: Conflict = { code: "conflict" };
const TOO_MANY: TooManyWebhooks = { code: "too_many_webhooks", limit: MAX_WEBHOOKS };

/** Somebody else has taken the slot just after the statement began. */
const SLOT_TAKEN = { code: "slot_taken" } as const;

const creationRefusal = (refusal: Refusal) => {
  const { violated } = refusal;
  if (violated === "webhooks_slot") return SLOT_TAKEN;
  return violated === null || violated === "webhooks_pkey" ? CONFLICT : repeatRefusal(refusal);
};

/** How many attempts to make while others take a slot and free another one. */
const MAX_ATTEMPTS = 8;

export const postgresWebhooks = ({ run }: Database): Webhooks => ({
  create: async (webhook, creation, timeLeft) => {
    const left = remainingTime(timeLeft);
    const values = valuesOf(webhookColumns, webhook);
    const creating =
      creation === undefined
        ? query(CREATE, ...values)
        : query(CREATE_ONCE, ...values, ...creationValues(creation));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const created = await run(
        left(),
        creating,
        ({ length }) => (length > 0 ? ok() : err(TOO_MANY)),
        creationRefusal,
      );
      if (created.isOk()) return ok();
      if (created.error.code !== "slot_taken") return err(created.error);
    }
    return err(unavailable(CONTENDED));
  },

  list: (account, timeLeft) =>
    run(timeLeft, query(LIST, account), (rows) => ok(rows.map(({ webhook }) => webhookOf(webhook)))),

  save: ({ account, id, version }, after, timeLeft) =>
    run(
      timeLeft,
      query(SAVE, account, id, version, ...valuesOf(settingColumns, after)),
      ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
      ({ violated }) => (violated === null ? CONFLICT : null),
    ),

  remove: (account, id, timeLeft) => run(timeLeft, query(REMOVE, account, id), () => ok()),
});
