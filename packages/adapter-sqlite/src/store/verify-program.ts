/**
 * The program of a process that looks for damage in the file named by its argument: SQLite's check blocks the process and cannot
 * be interrupted. It is text rather than a module, so that it also works when all modules are bundled into one file. It prints
 * `ok`, what is damaged, `index` if the search index does not match the aliases, or the result code of a failure, but never
 * content of the file.
 *
 * It opens the file for writing, although it only reads: only then does SQLite remove the files next to it.
 */
export const VERIFY_PROGRAM = `
const { DatabaseSync } = require("node:sqlite");
try {
  const db = new DatabaseSync(process.argv[1], { timeout: 1000 });
  const { quick_check: found } = db.prepare("PRAGMA quick_check(1)").get();
  const dangling = found === "ok" ? db.prepare("PRAGMA foreign_key_check").get() : undefined;
  const { user_version: version } = db.prepare("PRAGMA user_version").get();
  const indexed = found !== "ok" || dangling || version < 6 || db.prepare(\`
    SELECT
      (SELECT count(*) FROM alias_words) = (SELECT total(json_array_length(words)) FROM aliases)
      AND NOT EXISTS (
        SELECT 1 FROM alias_words AS w LEFT JOIN aliases AS a ON a.account = w.account AND a.id = w.alias_id
        WHERE instr(a.words, '"' || w.word || '"') IS NOT TRUE
      ) AS complete\`).get().complete;
  db.close();
  if (found !== "ok") console.log("damaged " + found.replaceAll("\\n", " "));
  else if (dangling) console.log("damaged a row of " + dangling.table + " references a missing row of " + dangling.parent);
  else if (!indexed) console.log("index");
  else console.log("ok");
} catch (error) {
  console.log("code " + error.errcode);
}`;
