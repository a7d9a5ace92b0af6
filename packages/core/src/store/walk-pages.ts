import { err, ok, type Result } from "neverthrow";
import type { Unavailable } from "../errors.ts";
import type { Page, PageRequest } from "../values/page.ts";

const PAGE_SIZE = 100;

/**
 * Every item of every page of a list, such as `(page) => store.recipients.list(account, page)`. Reads each page when its
 * first item is needed. Ends after the first failure.
 */
export async function* walkPages<T, Id>(
  list: (page: PageRequest<Id>) => Promise<Result<Page<T, Id>, Unavailable>>,
): AsyncGenerator<Result<T, Unavailable>> {
  let after: Id | null = null;
  do {
    const page: Result<Page<T, Id>, Unavailable> = await list({ limit: PAGE_SIZE, after });
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    for (const item of page.value.items) yield ok(item);
    after = page.value.next;
  } while (after !== null);
}
