import { DatabaseSync } from "node:sqlite";

/** Each finds the rows that break a rule, without trusting what the schema promises. */
const VIOLATIONS = {
  "a recipient is attached to as many aliases as hold it": `
    SELECT 1 FROM recipients AS r WHERE attached <>
      (SELECT count(*) FROM destinations AS d WHERE d.account = r.account AND d.recipient_id = r.id)`,
  "an alias that is not deleted has recipients": `
    SELECT 1 FROM aliases AS a WHERE deleted_at IS NULL AND NOT EXISTS
      (SELECT 1 FROM destinations AS d WHERE d.account = a.account AND d.alias_id = a.id)`,
  "a deleted alias holds nobody": `
    SELECT 1 FROM aliases AS a JOIN destinations AS d ON d.account = a.account AND d.alias_id = a.id
    WHERE a.deleted_at IS NOT NULL`,
  "a deleted alias remembers its recipients": `
    SELECT 1 FROM aliases WHERE deleted_at IS NOT NULL AND json_array_length(remembered) IS NOT TRUE`,
  "a held recipient is of the account, verified and active": `
    SELECT 1 FROM destinations AS d LEFT JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
    WHERE r.id IS NULL OR r.verified_at IS NULL OR r.active <> 1`,
  "destinations are numbered without a gap": `
    SELECT 1 FROM destinations GROUP BY account, alias_id
    HAVING min(position) <> 0 OR max(position) <> count(*) - 1 OR count(DISTINCT recipient_id) <> count(*)`,
  "an alias address is unique": "SELECT 1 FROM aliases GROUP BY lower(email) HAVING count(*) > 1",
  "a recipient address is unique in its account":
    "SELECT 1 FROM recipients GROUP BY account, lower(email) HAVING count(*) > 1",
  "foreign keys lead somewhere": "SELECT 1 FROM pragma_foreign_key_check",
  "the file is whole": "SELECT 1 FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
};

/** What a file of Postern's breaks of the rules; nothing, it is to be hoped. */
export const brokenRules = (path: string): readonly string[] => {
  using db = new DatabaseSync(path);
  return Object.entries(VIOLATIONS).flatMap(([rule, sql]) =>
    db.prepare(sql).get() === undefined ? [] : [rule],
  );
};
