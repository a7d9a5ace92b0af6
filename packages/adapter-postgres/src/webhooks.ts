import { type Conflict, err, MAX_WEBHOOKS, ok, type TooManyWebhooks } from "@postern/core";
import type { Webhooks } from "@postern/core/store";
import { assignments, namesOf, placeholders, valuesOf } from "./columns.ts";
import { addingCreation, creationValues, repeatRefusal } from "./creations.ts";
import type { Database, Refusal } from "./database.ts";
import { query, statement } from "./statement.ts";
import { settingColumns, WEBHOOK, webhookColumns, webhookOf } from "./webhook-row.ts";

const names = namesOf(webhookColumns);

/** A trigger gives it a slot, or one too many. */
const INSERT = `INSERT INTO webhooks (${names.join(", ")}) VALUES (${placeholders(names.length).join(", ")}) RETURNING 1`;

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

const creationRefusal = (refusal: Refusal) => {
  const { violated } = refusal;
  if (violated === "webhooks_slot_check") return TOO_MANY;
  return violated === null || violated === "webhooks_pkey" ? CONFLICT : repeatRefusal(refusal);
};

export const postgresWebhooks = ({ run }: Database): Webhooks => ({
  create: (webhook, creation, timeLeft) => {
    const values = valuesOf(webhookColumns, webhook);
    const creating =
      creation === undefined
        ? query(CREATE, ...values)
        : query(CREATE_ONCE, ...values, ...creationValues(creation));
    return run(timeLeft, creating, () => ok(), creationRefusal);
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
