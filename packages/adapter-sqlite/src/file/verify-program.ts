/**
 * The program of a process that looks for damage in the file named by its first argument, with the check of SQLite that the second one
 * names: SQLite's checks block the process and cannot be interrupted. It is text rather than a module, so that it also works when all
 * modules are bundled into one file. It prints `ok`, what is damaged, `index` if a store's search index does not match its aliases, or the
 * result code of a failure, but never content of the file.
 *
 * It opens the file for writing, although it only reads: only then does SQLite remove the files next to it. After each of its long reads, it
 * writes the log to the file, as `writeLog` does.
 */
export const VERIFY_PROGRAM = `
const { DatabaseSync } = require("node:sqlite");
try {
  const db = new DatabaseSync(process.argv[1], { timeout: 1000 });
  const get = (sql) => {
    try {
      return db.prepare(sql).get();
    } finally {
      try { db.exec("PRAGMA wal_checkpoint(PASSIVE)"); } catch {}
    }
  };
  const [found] = Object.values(get("PRAGMA " + process.argv[2] + "(1)"));
  const dangling = found === "ok" ? get("PRAGMA foreign_key_check") : undefined;
  const searched = found === "ok" && get("SELECT 1 FROM sqlite_schema WHERE name = 'alias_words'");
  const indexed = !searched || dangling || get(\`
    SELECT
      (SELECT count(*) FROM alias_words) = (SELECT total(json_array_length(words)) FROM aliases)
      AND NOT EXISTS (
        SELECT 1 FROM alias_words AS w LEFT JOIN aliases AS a ON a.account = w.account AND a.id = w.alias_id
        WHERE instr(a.words, '"' || w.word || '"') IS NOT TRUE
      ) AS complete\`).complete;
  db.close();
  if (found !== "ok") console.log("damaged " + found.replaceAll("\\n", " "));
  else if (dangling) console.log("damaged a row of " + dangling.table + " references a missing row of " + dangling.parent);
  else if (!indexed) console.log("index");
  else console.log("ok");
} catch (error) {
  console.log("code " + error.errcode);
}`;
