import type { Success } from "@postern/client";
import { useInfiniteQuery, useQuery } from "@tanstack/preact-query";

/** Something that is read, with its `etag`, and kept for when it is shown again. */
export const useRead = <T, Etag>(
  key: readonly unknown[],
  read: (signal: AbortSignal) => Promise<Success<T, Etag>>,
  options: { readonly refetchInterval?: number | false; readonly enabled?: boolean } = {},
) => useQuery({ queryKey: key, queryFn: ({ signal }) => read(signal), ...options });

/** In milliseconds. */
const INTERVAL = 10_000;

type Paged = { readonly state: { readonly data: { readonly pages: readonly unknown[] } | undefined } };
const isShort = ({ state }: Paged): boolean => (state.data?.pages.length ?? 0) <= 2;

type Page = { readonly next_cursor: string | null };

/** A list that is read page by page. Only the cursor says which page is the last: a page can be short, or empty. */
export const usePages = <T extends Page>(
  key: readonly unknown[],
  read: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<Success<T, null>>,
  /** Whether a page shows something that changes by itself. It is then read again while somebody sees it. */
  changes: (page: T) => boolean = () => false,
) =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) =>
      (await read(pageParam === null ? {} : { cursor: pageParam }, signal)).data,
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }: T) => next_cursor,
    // Reading it again reads all pages again.
    refetchOnWindowFocus: isShort,
    refetchOnMount: isShort,
    refetchInterval: (query) =>
      isShort(query) && (query.state.data?.pages.some(changes) ?? false) && INTERVAL,
  });

export type Pages<T extends Page> = ReturnType<typeof usePages<T>>;
