/** The groups of operations, in the order of the document. */
export const TAGS = {
  Aliases: "Addresses that forward mail to recipients",
  Recipients: "The mailboxes that aliases forward to",
  Contacts: "Those with whom an alias has exchanged mail",
  Messages: "What became of each message to and from an alias",
  "Blocked senders": "Whose mail no alias of the account accepts",
  Webhooks: "Who is told about changes, and how",
  Keys: "The keys of programs, and what a program may do with one",
  Service: "The service itself",
} as const;

export type Tag = keyof typeof TAGS;
