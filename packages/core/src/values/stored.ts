import * as z from "zod";

/** Epoch milliseconds. */
export const timestamp = z.int().nonnegative();

export const version = z.int().positive();
