import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

/** What writes change of an alias, and what tells one alias from another; whatever else the API answers is kept too. */
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

/** A write of an alias. */
export type Write =
  | { readonly kind: "create"; readonly email: string; readonly recipients: readonly Recipient[] }
  | { readonly kind: "replace"; readonly id: string; readonly recipients: readonly Recipient[] }
  | { readonly kind: "patch"; readonly id: string; readonly description: string; readonly active: boolean }
  | { readonly kind: "delete"; readonly id: string }
  | { readonly kind: "restore"; readonly id: string };

const ids = (recipients: readonly Recipient[]) => recipients.map(({ id }) => id);
const emails = (recipients: readonly Recipient[]) => recipients.map(({ email }) => email);

/** The request that asks for it. */
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

/** All that a write can set, and so all that has to be as one of them set it. */
const settingsOf = ({ description, active, destination_emails, datetime_deleted }: Alias) => ({
  description,
  active,
  destinations: destination_emails,
  deleted: datetime_deleted !== null,
});
type Settings = ReturnType<typeof settingsOf>;

/** What the write leaves of these settings; just these where it is refused. */
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

/** Whether the alias may be what just this write, as the last one, made it. */
export const isResultOf = (write: Write, alias: Alias): boolean => {
  const settings = settingsOf(alias);
  // Of writes answered 2xx only a deletion leaves an alias deleted.
  return (
    settings.deleted === (write.kind === "delete") && isDeepStrictEqual(after(settings, write), settings)
  );
};

const leads = (from: Settings, writes: readonly Write[], to: Settings): boolean =>
  isDeepStrictEqual(from, to) ||
  writes.some((write, i) => leads(after(from, write), writes.toSpliced(i, 1), to));

/** Whether some of the writes, each made whole and once, in whatever order, lead from the one to the other. */
export const canBecome = (from: Alias, writes: readonly Write[], to: Alias): boolean =>
  leads(settingsOf(from), writes, settingsOf(to));
