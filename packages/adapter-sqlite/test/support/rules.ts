import { DatabaseSync } from "node:sqlite";

/** Each query finds the rows that break a rule, without relying on the schema. */
const VIOLATIONS = {
  "`attached` is how many aliases a recipient is attached to": `
    SELECT 1 FROM recipients AS r WHERE attached <>
      (SELECT count(*) FROM destinations AS d WHERE d.account = r.account AND d.recipient_id = r.id)`,
  "a live alias has recipients": `
    SELECT 1 FROM aliases AS a WHERE deleted_at IS NULL AND NOT EXISTS
      (SELECT 1 FROM destinations AS d WHERE d.account = a.account AND d.alias_id = a.id)`,
  "a deleted alias has no recipients attached": `
    SELECT 1 FROM aliases AS a JOIN destinations AS d ON d.account = a.account AND d.alias_id = a.id
    WHERE a.deleted_at IS NOT NULL`,
  "a deleted alias remembers its destinations": `
    SELECT 1 FROM aliases WHERE deleted_at IS NOT NULL AND json_array_length(remembered) IS NOT TRUE`,
  "an attached recipient belongs to the account and is verified and active": `
    SELECT 1 FROM destinations AS d LEFT JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
    WHERE r.id IS NULL OR r.verified_at IS NULL OR r.active <> 1`,
  "destinations are numbered without a gap": `
    SELECT 1 FROM destinations GROUP BY account, alias_id
    HAVING min(position) <> 0 OR max(position) <> count(*) - 1 OR count(DISTINCT recipient_id) <> count(*)`,
  "an alias address is unique": "SELECT 1 FROM aliases GROUP BY lower(email) HAVING count(*) > 1",
  "a recipient address is unique in its account":
    "SELECT 1 FROM recipients GROUP BY account, lower(email) HAVING count(*) > 1",
  "a retired address has no alias":
    "SELECT 1 FROM retired_addresses AS t JOIN aliases AS a ON lower(a.email) = lower(t.address)",
  "each indexed word is one of its alias's": `
    SELECT 1 FROM alias_words AS w LEFT JOIN aliases AS a ON a.account = w.account AND a.id = w.alias_id
    WHERE a.words IS NULL OR w.word NOT IN (SELECT value FROM json_each(a.words))`,
  "each word of an alias is indexed": `
    SELECT 1 FROM aliases AS a, json_each(a.words) AS j WHERE NOT EXISTS
      (SELECT 1 FROM alias_words AS w WHERE w.account = a.account AND w.word = j.value AND w.alias_id = a.id)`,
  "a webhook that something is announced to is due": `
    SELECT 1 FROM announcements AS a LEFT JOIN webhook_turns AS t ON t.account = a.account AND t.webhook = a.webhook
    WHERE t.due_at IS NULL`,
  "foreign keys are satisfied": "SELECT 1 FROM pragma_foreign_key_check",
  "the file is intact": "SELECT 1 FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
};

/** The rules that a store's file breaks. */
export const brokenRules = (path: string): readonly string[] => {
  using db = new DatabaseSync(path);
  return Object.entries(VIOLATIONS).flatMap(([rule, sql]) =>
    db.prepare(sql).get() === undefined ? [] : [rule],
  );
};
