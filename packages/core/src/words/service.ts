import type { Result } from "neverthrow";
import * as z from "zod";
import { type InvalidRequest, parse } from "../values/parse.ts";

/** The service as the owners of mailboxes know it. */
export type Service = {
  /** Text on one line: at most 64 characters, none of which ends the line or changes the direction of writing, and no `=?`. */
  readonly name: string;
  /** Its website: an `https` or `http` URL of at most 500 characters, without user or password. There is none by default. */
  readonly url?: string | undefined;
};

/** What the service is called unless it has a name of its own. */
export const DEFAULT_SERVICE: Service = { name: "Postern" };

const MAX_NAME_LENGTH = 64;
const MAX_URL_LENGTH = 500;

/** Characters that end a line, are none, or would change the order in which what stands around the name is shown. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;
const SOMETHING_TO_SEE = /[\p{L}\p{N}\p{P}\p{S}]/u;

const name = z
  .string()
  .max(MAX_NAME_LENGTH)
  .refine((text) => !UNFIT.test(text), "must be text on one line, without control characters")
  // In the sender of a message, it would stand for something else (RFC 2047).
  .refine((text) => !text.includes("=?"), "must not contain =?, which mail programs decode")
  .refine((text) => SOMETHING_TO_SEE.test(text), "must contain at least one letter, digit or sign")
  .refine((text) => text.trim() === text, "must not begin or end with a space");

/** The WHATWG URL parser, which every runtime has. */
declare const URL: { parse(text: string): { readonly username: string; readonly password: string } | null };

/** As it is written, so that names in other scripts stay readable. The parser alone would pass over line breaks. */
const isWebsite = (text: string): boolean => {
  if (!/^https?:\/\/[^\s\p{C}]+$/iu.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "";
};

const url = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(isWebsite, "must be a URL that begins with https:// or http://, without user, password or spaces");

const service = z.strictObject({ name, url: url.optional() });

/** Parses the name of a service, as in `Service`. */
export const parseServiceName = (input: unknown): Result<string, InvalidRequest> => parse(name, input);

/** Parses the website of a service, as in `Service`. */
export const parseServiceUrl = (input: unknown): Result<string, InvalidRequest> => parse(url, input);

/** Parses a service. */
export const parseService = (input: unknown): Result<Service, InvalidRequest> => parse(service, input);
