import { err, ok, type Page, type PageRequest, type Result, type Unavailable } from "@postern/core";

const PAGE_SIZE = 100;

/** Every item of every page; ends after the first failure. */
export async function* walk<T, Id>(
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
