import type { Result } from "neverthrow";
import * as z from "zod";
import type { Secrets } from "../ports.ts";
import type { Brand } from "../values/brand.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import type { CopyId } from "./copy.ts";
import type { MessageId } from "./message.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 26;

const ID_PATTERN = `[a-z2-7]{${LENGTH}}`;
const IS_ID = new RegExp(`^${ID_PATTERN}$`);

const id = <Id extends Brand<string, string>>() =>
  z
    .string()
    .regex(IS_ID, `must be ${LENGTH} characters of a-z and 2-7`)
    .transform((text) => text as Id);

export const messageId = id<MessageId>();
export const copyId = id<CopyId>();

/** Parses a message id: 26 characters of `a-z2-7`. */
export const parseMessageId = (input: unknown): Result<MessageId, InvalidRequest> => parse(messageId, input);

/** Parses a copy id: 26 characters of `a-z2-7`. */
export const parseCopyId = (input: unknown): Result<CopyId, InvalidRequest> => parse(copyId, input);

const draw = (random: Secrets["random"]): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join("");

// Safe because both draw from the alphabet of ids.
export const newMessageId = (random: Secrets["random"]): MessageId => draw(random) as MessageId;
export const newCopyId = (random: Secrets["random"]): CopyId => draw(random) as CopyId;
