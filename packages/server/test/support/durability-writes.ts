import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

/** An alias in a response: what writes change, what identifies it, and all other fields. */
export const Alias = z.looseObject({
  alias_id: z.string(),
  alias_email: z.string(),
  description: z.string(),
  active: z.boolean(),
  destination_emails: z.array(z.string()),
  datetime_created: z.number(),
  datetime_deleted: z.number().nullable(),
});
export type Alias = z.output<typeof Alias>;

export type Recipient = { readonly id: string; readonly email: string };

/** A change to an alias. */
export type Write =
  | { readonly kind: "create"; readonly email: string; readonly recipients: readonly Recipient[] }
  | { readonly kind: "replace"; readonly id: string; readonly recipients: readonly Recipient[] }
  | { readonly kind: "patch"; readonly id: string; readonly description: string; readonly active: boolean }
  | { readonly kind: "delete"; readonly id: string }
  | { readonly kind: "restore"; readonly id: string };

const ids = (recipients: readonly Recipient[]) => recipients.map(({ id }) => id);
const emails = (recipients: readonly Recipient[]) => recipients.map(({ email }) => email);

/** The request for a write. */
export const requestOf = (write: Write): { method: string; path: string; body?: object } => {
  switch (write.kind) {
    case "create":
      return {
        method: "POST",
        path: "/aliases",
        body: { alias_email: write.email, recipient_ids: ids(write.recipients) },
      };
    case "replace":
      return {
        method: "PUT",
        path: `/aliases/${write.id}/recipients`,
        body: { recipient_ids: ids(write.recipients) },
      };
    case "patch":
      return {
        method: "PATCH",
        path: `/aliases/${write.id}`,
        body: { description: write.description, active: write.active },
      };
    case "delete":
      return { method: "DELETE", path: `/aliases/${write.id}` };
    case "restore":
      return { method: "POST", path: `/aliases/${write.id}/restore` };
  }
};

/** Everything that a write can set. */
const settingsOf = ({ description, active, destination_emails, datetime_deleted }: Alias) => ({
  description,
  active,
  destinations: destination_emails,
  deleted: datetime_deleted !== null,
});
type Settings = ReturnType<typeof settingsOf>;

/** The settings after the write; unchanged if it is rejected. */
const after = (settings: Settings, write: Write): Settings => {
  switch (write.kind) {
    case "create":
      return { description: "", active: true, destinations: emails(write.recipients), deleted: false };
    case "replace":
      return settings.deleted ? settings : { ...settings, destinations: emails(write.recipients) };
    case "patch":
      return settings.deleted
        ? settings
        : { ...settings, description: write.description, active: write.active };
    case "delete":
      return { ...settings, deleted: true };
    case "restore":
      return { ...settings, deleted: false };
  }
};

/** Whether this write can have been the last one to change the alias. */
export const isResultOf = (write: Write, alias: Alias): boolean => {
  const settings = settingsOf(alias);
  // Of successful writes, only a deletion leaves an alias deleted.
  return (
    settings.deleted === (write.kind === "delete") && isDeepStrictEqual(after(settings, write), settings)
  );
};

const leads = (from: Settings, writes: readonly Write[], to: Settings): boolean =>
  isDeepStrictEqual(from, to) ||
  writes.some((write, i) => leads(after(from, write), writes.toSpliced(i, 1), to));

/** Whether some of the writes, each applied completely and once, in any order, lead from one alias to the other. */
export const canBecome = (from: Alias, writes: readonly Write[], to: Alias): boolean =>
  leads(settingsOf(from), writes, settingsOf(to));
