import * as z from "zod";
import { withGuard } from "./with-guard.ts";

const isCount = (input: unknown): input is number =>
  typeof input === "number" && Number.isSafeInteger(input) && input >= 0;

export const count = withGuard(z.int().nonnegative(), isCount);

/** Epoch milliseconds. */
export const timestamp = withGuard(z.int().nonnegative(), isCount);

export const version = withGuard(z.int().positive(), (input): input is number => isCount(input) && input > 0);
