import {
  type Alias,
  type AliasId,
  type AnyPostern,
  err,
  MAX_PAGE_SIZE,
  ok,
  type Result,
} from "@postern/core";
import type { Page } from "@postern/core/store";
import type { Failure } from "../problems/failure.ts";
import { perform } from "./call.ts";

/** How many aliases these calls list: they number pages, so that each page has to be found from the beginning. */
const MAX_LISTED = 1_000;

/** A store that is searching returns short pages. */
const MAX_PAGES = 50;

type Filter = {
  readonly account: string;
  readonly deleted?: boolean;
  readonly active?: boolean;
  readonly q?: string;
};

/**
 * A page of the account's aliases, newest first, and whether another one follows. Lists the first 1,000. A search text with which nothing can
 * be found, such as one that is too long, finds nothing.
 *
 * @param number 0 for the first page
 */
export const aliasesOnPage = async (
  { listAliases }: AnyPostern,
  filter: Filter,
  number: number,
  size: number,
): Promise<Result<{ readonly aliases: readonly Alias[]; readonly more: boolean }, Failure>> => {
  const [begin, end] = [number * size, (number + 1) * size];
  const found: Alias[] = [];
  let after: AliasId | null = null;
  for (let pages = 0; pages < MAX_PAGES && end <= MAX_LISTED; pages += 1) {
    const page: Result<Page<Alias, AliasId>, Failure> = await perform(listAliases, {
      ...filter,
      limit: Math.min(MAX_PAGE_SIZE, end + 1 - found.length),
      after,
    });
    if (page.isErr()) {
      const { error } = page;
      return error.code === "invalid_request" ? ok({ aliases: [], more: false }) : err(error);
    }
    found.push(...page.value.items);
    after = page.value.next;
    if (after === null || found.length > end) break;
  }
  return ok({ aliases: found.slice(begin, end), more: found.length > end });
};

/** A number in a query; `otherwise` if it is none. */
export const numberIn = (value: unknown, otherwise: number): number =>
  typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : otherwise;
