import type { DatabaseSync } from "node:sqlite";
import type { Alias } from "@postern/core";
import { searchedWords } from "@postern/core/store";
import { inTransaction } from "../file/transaction.ts";
import type { Database } from "./database.ts";

/** The Unicode version of the runtime: a later version knows more letters. */
const UNICODE = process.versions["unicode"] ?? "";

/**
 * The maximum number of different words to index per alias: each can cost a page of the file when it is written.
 * Prose of 500 characters has fewer.
 */
const MAX_WORDS = 64;

/** The only entry for an alias with more words. It equals no word, because words consist of letters and digits. */
export const MANY_WORDS = "*";

const indexedWords = (alias: Parameters<typeof searchedWords>[0]): readonly string[] => {
  const words = searchedWords(alias);
  return words.length <= MAX_WORDS ? words : [MANY_WORDS];
};

/**
 * Defines the SQL functions that write the search index: `search_words` returns the words to index for a description and a website (which
 * early migrations lack), as a JSON array, and `search_unicode` the version of Unicode that they depend on.
 */
export const defineSearchFunctions = (db: DatabaseSync): void => {
  db.function("search_words", { varargs: true }, (description, website = "") =>
    JSON.stringify(indexedWords({ description: String(description), website: String(website) })),
  );
  db.function("search_unicode", () => UNICODE);
};

/** Indexes the words of the alias if they are not indexed yet: in the transaction that creates it, or changes its description or website. */
export const indexWords = ({ sql }: Database, { account, id }: Pick<Alias, "account" | "id">): void => {
  sql(`
    UPDATE aliases SET words = search_words(description, website)
    WHERE account = ? AND id = ? AND words IS NULL`).run(account, id);
};

/** How many aliases one transaction indexes: few enough for a short write-ahead log. */
const BATCH = 10_000;

/**
 * Indexes everything that is not indexed yet: aliases that another program has changed and, if the index was made with
 * another version of Unicode, all whose description or website is not ASCII.
 */
export const completeIndex = (db: DatabaseSync): void => {
  if (db.prepare("SELECT unicode FROM search_index").get()?.["unicode"] !== UNICODE) {
    inTransaction(db, () => {
      db.exec("UPDATE aliases SET words = NULL WHERE description || website GLOB '*[^ -~]*'");
      db.exec("DELETE FROM search_index; INSERT INTO search_index VALUES (search_unicode())");
    });
  }
  const missing = db.prepare("SELECT 1 FROM aliases INDEXED BY aliases_without_words WHERE words IS NULL");
  const batch = db.prepare(`
    UPDATE aliases SET words = search_words(description, website) WHERE (account, id) IN (
      SELECT account, id FROM aliases INDEXED BY aliases_without_words WHERE words IS NULL LIMIT ${BATCH})`);
  while (missing.get() !== undefined) inTransaction(db, () => void batch.run());
};
