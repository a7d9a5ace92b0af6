import { CREATED_AT, type FixtureAlias } from "./fixture.ts";

/** An alias as the API shows it: the 20 fields of the specification, in the order in which Postern writes them. */
export type AliasJson = {
  alias_id: string;
  alias_email: string;
  description: string;
  active: boolean;
  destination_emails: readonly string[];
  emails_sent: number;
  emails_delivered: number;
  emails_bounced: number;
  emails_complaint: number;
  emails_replied: number;
  emails_blocked: number;
  datetime_last_sent: number | null;
  datetime_last_delivered: number | null;
  datetime_last_bounced: number | null;
  datetime_last_complaint: number | null;
  datetime_last_blocked: number | null;
  datetime_last_replied: number | null;
  datetime_created: number;
  datetime_updated: number;
  datetime_deleted: number | null;
};

/** An alias of a fixture before anything happened to it. */
export const aliasJson = ({ id, email, description, recipients }: FixtureAlias): AliasJson => ({
  alias_id: id,
  alias_email: email,
  description,
  active: true,
  destination_emails: recipients.map((recipient) => recipient.email),
  emails_sent: 0,
  emails_delivered: 0,
  emails_bounced: 0,
  emails_complaint: 0,
  emails_replied: 0,
  emails_blocked: 0,
  datetime_last_sent: null,
  datetime_last_delivered: null,
  datetime_last_bounced: null,
  datetime_last_complaint: null,
  datetime_last_blocked: null,
  datetime_last_replied: null,
  datetime_created: CREATED_AT,
  datetime_updated: CREATED_AT,
  datetime_deleted: null,
});
