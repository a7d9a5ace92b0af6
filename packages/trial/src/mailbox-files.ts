import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import PostalMime, { type Address, type Email } from "postal-mime";

/** A mailbox that has got mail. */
export type Mailbox = {
  readonly address: string;
  readonly folder: string;
  /** The numbers of its messages, newest first. There is at least one. */
  readonly messages: readonly [string, ...string[]];
};

export type Message = { readonly arrivedAt: Date; readonly email: Email };

/** The name of a mailbox's folder. An address can contain characters that file names cannot, such as `/`. */
const nameOf = (address: string): string => encodeURIComponent(address.toLowerCase()).replaceAll("%40", "@");

/** Null if it is no such name: somebody else has put the folder there. */
const addressOf = (name: string): string | null => {
  try {
    const address = decodeURIComponent(name);
    return nameOf(address) === name ? address : null;
  } catch {
    return null;
  }
};

const nextNumber = (folder: string): number =>
  Math.max(0, ...readdirSync(folder).map((name) => Number.parseInt(name, 10) || 0)) + 1;

export const addressText = ({ name, address = "" }: Address): string =>
  name ? `${name} <${address}>` : address;

const readable = ({ from, to = [], subject = "", text = "" }: Email): string =>
  `From: ${from === undefined ? "" : addressText(from)}
To: ${to.map(addressText).join(", ")}
Subject: ${subject}

${text.trimEnd()}
`;

/**
 * Stores a message in a mailbox, and returns its `.eml` file. Nothing else runs while it works, so no other message gets the same number.
 * The `.txt` file appears last, and is complete.
 */
export const storeMessage = (directory: string, address: string, octets: Buffer, email: Email): string => {
  const folder = join(directory, nameOf(address));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${nextNumber(folder)}`);
  writeFileSync(`${path}.eml`, octets);
  writeFileSync(`${path}.part`, readable(email));
  renameSync(`${path}.part`, `${path}.txt`);
  return `${path}.eml`;
};

const messageNumbers = async (folder: string): Promise<readonly string[]> => {
  const names = await readdir(folder);
  const numbers = names.flatMap((name) => /^(\d+)\.txt$/.exec(name)?.[1] ?? []);
  return numbers.toSorted((one, other) => Number(other) - Number(one));
};

/** All mailboxes, in no order. */
export const readMailboxes = async (directory: string): Promise<readonly Mailbox[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const mailboxes = await Promise.all(
    entries.map(async (entry): Promise<readonly Mailbox[]> => {
      const address = addressOf(entry.name);
      if (address === null || !entry.isDirectory()) return [];
      const folder = join(directory, entry.name);
      const [newest, ...older] = await messageNumbers(folder);
      return newest === undefined ? [] : [{ address, folder, messages: [newest, ...older] }];
    }),
  );
  return mailboxes.flat();
};

const fileOf = ({ folder }: Mailbox, number: string): string => join(folder, `${number}.eml`);

/** When a message arrived. */
export const arrivalOf = async (mailbox: Mailbox, number: string): Promise<Date> =>
  (await stat(fileOf(mailbox, number))).mtime;

/** A message as it arrived. */
export const readOctets = (mailbox: Mailbox, number: string): Promise<Buffer> =>
  readFile(fileOf(mailbox, number));

export const readMessage = async (mailbox: Mailbox, number: string): Promise<Message> => ({
  arrivedAt: await arrivalOf(mailbox, number),
  email: await PostalMime.parse(await readOctets(mailbox, number)),
});
