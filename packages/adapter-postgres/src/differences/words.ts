import { searchedWords } from "@postern/core/store";
import { ALIAS, aliasOf } from "../alias-row.ts";
import { readable } from "../row.ts";
import { eachRow, PAGE, repairing, textsOf } from "./check.ts";
import { lockAlias } from "./locks.ts";

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.toSorted().every((word, n) => word === b.toSorted()[n]);

/**
 * Aliases that searches do not find by each word of their descriptions. The words also change with the version of Unicode,
 * which defines what a letter is.
 */
export const words = eachRow(
  `SELECT a.id, ${ALIAS} AS alias, a.words, ARRAY(
    SELECT listed.word FROM unnest(a.words) AS listed (word)
    JOIN alias_words AS w ON w.account = a.account AND w.word = listed.word AND w.alias_id = a.id
  ) AS indexed
  FROM aliases AS a WHERE a.account = $1 AND a.id > $2 ORDER BY a.id LIMIT ${PAGE}`,
  ["id"],
  (row, { database }, account) => {
    const alias = String(row["id"]);
    const stored = readable(aliasOf, row["alias"]);
    if (stored === null) return [];
    const right = searchedWords(stored.description);
    const indexed = textsOf(row["indexed"]);
    if (sameWords(textsOf(row["words"]), right) && sameWords(indexed, right)) return [];
    const repair = repairing(database, async (sql) => {
      await lockAlias(sql, account, alias);
      const [now] = await sql(
        `SELECT ${ALIAS} AS alias FROM aliases AS a WHERE account = $1 AND id = $2`,
        account,
        alias,
      );
      if (now === undefined) return false;
      const wanted = searchedWords(aliasOf(now["alias"]).description);
      // The trigger adds words to the index that are new to the alias, and would fail if they were there already.
      await sql(
        `DELETE FROM alias_words WHERE account = $1 AND alias_id = $2 AND word IN (
          SELECT unnest($3::text[]) EXCEPT SELECT unnest(words) FROM aliases WHERE account = $1 AND id = $2
        )`,
        account,
        alias,
        wanted,
      );
      const saved = await sql(
        "UPDATE aliases SET words = $3 WHERE account = $1 AND id = $2 AND words <> $3::text[] RETURNING 1",
        account,
        alias,
        wanted,
      );
      const added = await sql(
        "INSERT INTO alias_words SELECT $1, unnest($3::text[]), $2 ON CONFLICT DO NOTHING RETURNING 1",
        account,
        alias,
        wanted,
      );
      return saved.length + added.length > 0;
    });
    return [
      {
        kind: "words",
        account,
        alias,
        recipient: null,
        stored: `found by ${indexed.filter((word) => right.includes(word)).length} words of its description`,
        right: `by each of its ${right.length} words`,
        remedy: { by: "repair", repair },
      },
    ];
  },
);
