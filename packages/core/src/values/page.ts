import * as z from "zod";

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 50;

/** Which page of a list a caller wants. */
export type PageQuery = {
  /** The maximum number of items on the page: 1 to 100; defaults to 50. */
  readonly limit?: number | undefined;
  /** `next` of the previous page; the first page by default. */
  readonly after?: string | null | undefined;
};

/** The fields of a `PageQuery`, for a list in which `position` is a place. */
export const pageAfter = <Position extends z.ZodType>(position: Position) => ({
  limit: z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  after: position.nullable().default(null),
});

/** `limit` (1 to 100) items after `after`, in descending order of `compareIds`: newest first. */
export type PageRequest<Id> = { readonly limit: number; readonly after: Id | null };

/** `next` is where the following page starts; null on the last page. */
export type Page<T, Id> = { readonly items: readonly T[]; readonly next: Id | null };
