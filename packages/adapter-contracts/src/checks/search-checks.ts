import { type Alias, compareIds } from "@postern/core";
import { AliasFilter } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import { changed, deleted, newAccount, saveAlias, storeAlias, storeRecipient } from "../samples.ts";
import { aliasesOf, walk } from "../walk.ts";

/** Some begin with others, and some are equal only once they are normalized. */
const WORDS = [
  "shop",
  "Shopping",
  "SHOPS",
  "news",
  "№1",
  "no1",
  "Straße",
  "strasse",
  "ﬁne",
  "fi",
  "漢字",
  "a",
  "1",
];

const description = fc
  .array(fc.constantFrom(...WORDS), { maxLength: 4 })
  .chain((words) => fc.constantFrom(" ", " - ", "_").map((separator) => words.join(separator)));

/** The beginning of a word or, if there are several, each of them whole. */
const text = fc.oneof(
  fc
    .tuple(fc.constantFrom(...WORDS), fc.integer({ min: 1, max: 8 }))
    .map(([word, length]) => [...word].slice(0, length).join("")),
  fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 3 }).map((words) => words.join(" ")),
);

type Step = {
  readonly change: "create" | "describe" | "move" | "delete or restore" | "erase";
  /** Which alias is changed, as an index modulo their number. */
  readonly which: number;
  readonly description: string;
  readonly website: string;
  /** What to search for after the change: a text, or the beginning of what the alias had before. */
  readonly sought: { readonly text: string } | "address" | "description" | "website";
  readonly active: boolean | undefined;
  readonly limit: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  change: fc.constantFrom("create", "describe", "move", "delete or restore", "delete or restore", "erase"),
  which: fc.nat({ max: 3 }),
  description,
  website: fc.constantFrom("", "", "shop.example", "news.shop.example"),
  sought: fc.oneof(fc.record({ text }), fc.constantFrom("address", "description", "website")),
  active: fc.constantFrom(undefined, true),
  limit: fc.integer({ min: 1, max: 5 }),
});

const textOf = (sought: Step["sought"], alias: Alias | undefined): string => {
  if (typeof sought === "object") return sought.text;
  const [word] = alias?.description.split(" ") ?? [];
  if (sought === "website" && alias !== undefined && alias.website !== "") return alias.website;
  return (sought === "description" && word) || (alias?.email ?? "alias-").slice(0, 14);
};

const newestFirst = (aliases: readonly Alias[]): readonly Alias[] =>
  [...aliases].sort((a, b) => compareIds(b.id, a.id));

export const searchChecks: readonly Check[] = [
  check("after every change, a search finds exactly the aliases that match then", async (store) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const accounts = [newAccount(), newAccount()];
        const recipients = await Promise.all(accounts.map((account) => storeRecipient(store, account)));
        let all: readonly Alias[] = [];
        const replace = (before: Alias, after: readonly Alias[]) => {
          all = all.flatMap((alias) => (alias === before ? after : [alias]));
        };
        for (const { change, which, description, website, sought, active, limit } of steps) {
          const alias = all[which % all.length];
          const recipient = recipients[which % recipients.length];
          if (alias === undefined || change === "create") {
            if (recipient === undefined) throw new Error("there is a recipient for each account");
            all = [...all, await storeAlias(store, recipient.account, [recipient], { description, website })];
          } else if (change === "erase") {
            valueOf(await store.aliases.erase(alias));
            replace(alias, []);
          } else {
            const restored = changed(alias, { deletedAt: null });
            const switched = alias.deletedAt === null ? deleted(alias) : restored;
            const changes = { describe: { description }, move: { website } } as const;
            const after = change === "delete or restore" ? switched : changed(alias, changes[change]);
            replace(alias, [await saveAlias(store, alias, after)]);
          }
          const q = textOf(sought, alias);
          for (const account of accounts) {
            for (const filter of [
              { deleted: false, active, q },
              { deleted: true, active, q },
            ]) {
              const matching = all.filter(
                (each) => each.account === account && AliasFilter.matches(each, filter),
              );
              expectEqual(await walk(aliasesOf(store, account, filter), limit), newestFirst(matching));
            }
          }
        }
      }),
      runs(30),
    );
  }),
];
