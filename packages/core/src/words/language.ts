import type { Result } from "neverthrow";
import * as z from "zod";
import { type InvalidRequest, parse } from "../values/parse.ts";

/** The languages in which there are words for the owners of mailboxes, as BCP 47 tags. */
export const LANGUAGES = ["en", "de"] as const;

export type Language = (typeof LANGUAGES)[number];

/** Used unless another one is chosen. */
export const DEFAULT_LANGUAGE: Language = "en";

const language = z.enum(LANGUAGES);

/** Parses a language: one of `LANGUAGES`. */
export const parseLanguage = (input: unknown): Result<Language, InvalidRequest> => parse(language, input);
