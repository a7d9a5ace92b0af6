import * as z from "zod";
import { aliasJson } from "./alias-json.ts";
import { writeCursor } from "./cursor.ts";
import { accountName, aliasAt, type Fixture, recipientAt } from "./fixture.ts";

/*
 * A request, as the text to send, and what the right response to it looks like. The content of a response is known in
 * advance, except for the time of a change.
 */

export const Exchange = z.object({
  request: z.string(),
  status: z.number(),
  /** The body begins with this, ends with that, and has nothing but digits in between. */
  begins: z.string(),
  ends: z.string(),
});
export type Exchange = z.output<typeof Exchange>;

const requestText = (method: string, path: string, token: string, body = ""): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: bench",
    `Authorization: Bearer ${token}`,
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body,
  ].join("\r\n");

/**
 * Replaces the recipients of the first alias of an account. An even `turn` attaches different recipients than an odd one,
 * so that each of them in turn changes something.
 */
export const swap = (fixture: Fixture, token: string, account: number, turn: number): Exchange => {
  const first = turn % 2 === 0 ? fixture.attached : 0;
  const recipients = Array.from({ length: fixture.attached }, (_, n) => recipientAt(account, first + n));
  const expected = aliasJson({ ...aliasAt(fixture, account, 0), recipients });
  const time = '"datetime_updated":';
  const [begins = "", ends = ""] = JSON.stringify(expected).split(`${time}${expected.datetime_updated}`);
  return {
    request: requestText(
      "PUT",
      `/aliases/${expected.alias_id}/recipients`,
      token,
      JSON.stringify({ recipient_ids: recipients.map(({ id }) => id) }),
    ),
    status: 200,
    begins: begins + time,
    ends,
  };
};

/** The newest aliases of an account, as many as fit on a page. */
export const firstPage = (fixture: Fixture, token: string, account: number): Exchange => {
  const limit = 100;
  const last = Math.max(fixture.aliases - limit, 0);
  const aliases = Array.from({ length: fixture.aliases - last }, (_, n) =>
    aliasJson(aliasAt(fixture, account, fixture.aliases - 1 - n)),
  );
  const next = last === 0 ? null : (aliases.at(-1)?.alias_id ?? null);
  return {
    request: requestText("GET", `/aliases?limit=${limit}`, token),
    status: 200,
    begins: JSON.stringify({ aliases, next_cursor: writeCursor(accountName(account), next) }),
    ends: "",
  };
};
