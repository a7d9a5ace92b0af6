import { err, ok, type Result, type Unavailable } from "@postern/core";
import { type Page, type PageRequest, walkPages } from "@postern/core/store";
import { expect, test } from "vitest";

const FAILURE: Unavailable = { code: "unavailable", cause: { source: "test", reason: "page" } };

type Response = Result<Page<string, number>, Unavailable>;

/** A list with these pages, and the requests made to it. */
const listOf = (...pages: readonly Response[]) => {
  const requests: PageRequest<number>[] = [];
  const list = async (request: PageRequest<number>): Promise<Response> => {
    requests.push(request);
    return pages[requests.length - 1] ?? expect.unreachable("there is no further page");
  };
  return { list, requests };
};

const page = (items: readonly string[], next: number | null): Response => ok({ items, next });

const all = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

test("every item of every page is visited, even after an empty page", async () => {
  const { list, requests } = listOf(page(["a", "b"], 2), page([], 3), page(["c"], 4), page([], null));
  expect(await all(walkPages(list))).toEqual([ok("a"), ok("b"), ok("c")]);
  expect(requests).toEqual([null, 2, 3, 4].map((after) => ({ limit: 100, after })));
});

test("nothing follows a failure", async () => {
  const { list, requests } = listOf(page(["a"], 1), err(FAILURE));
  expect(await all(walkPages(list))).toEqual([ok("a"), err(FAILURE)]);
  expect(requests).toHaveLength(2);
});

test("a page is only read when its first item is needed", async () => {
  const { list, requests } = listOf(page(["a", "b"], 2));
  for await (const item of walkPages(list)) if (item.isOk() && item.value === "b") break;
  expect(requests).toHaveLength(1);
});
