import * as z from "zod";

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 50;

export const pageLimit = z.int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE);

/** `limit` (1 to 100) items after `after`, in descending order of `compareIds`: newest first. */
export type PageRequest<Id> = { readonly limit: number; readonly after: Id | null };

/** `next` is where the following page starts; null on the last page. */
export type Page<T, Id> = { readonly items: readonly T[]; readonly next: Id | null };
