/** The body of a message in the spool: everything after the blank line, in octets, with CRLF at the end of each line. */
export type MailBody = {
  readonly size: number;
  /** The octets from the beginning, in chunks of at most 64 KiB. Can be read repeatedly, even concurrently. Throws if the body is gone. */
  read(): AsyncIterable<Uint8Array>;
};
