import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Readers } from "./support/long-text-reader.ts";
import { HEADER, multipart, nested, part } from "./support/multipart.ts";

/*
 * Anybody can send texts like these. Reading one takes a number of steps in proportion to its length, and so a fraction of a second. If
 * the number grew with the square of the length, it would take minutes, and the test would run out of time. Another thread reads them,
 * because only that can be stopped then.
 */

const timesOf = (fragment: string) => Math.floor((384 * 1024) / fragment.length);
/** Ends with something else, because it also takes long to find that a long run is not at the end. */
const filled = (fragment: string) => `${fragment.repeat(timesOf(fragment))}.`;

// Many times as long as reading one takes on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let thread: Worker | null = null;
afterAll(() => thread?.terminate());

const read = async <Name extends keyof Readers>(
  signal: AbortSignal,
  name: Name,
  ...texts: Parameters<Readers[Name]>
): Promise<ReturnType<Readers[Name]>> => {
  thread ??= new Worker(new URL("./support/long-text-reader.ts", import.meta.url));
  const reading = thread;
  const stop = () => {
    thread = null;
    reading.terminate();
  };
  signal.addEventListener("abort", stop);
  reading.postMessage([name, ...texts]);
  const [answer] = await once(reading, "message", { signal });
  signal.removeEventListener("abort", stop);
  return answer;
};

test.for(["(", ")", " ", "1 ", "Tue,", '"'])("a date of %j", async (fragment, { signal }) => {
  expect(await read(signal, "date", filled(fragment))).toBeNull();
});

test.for(["<", ">", "<a", "<a>", "a", "(", "()", " "])("message ids of %j", async (fragment, { signal }) => {
  const text = filled(fragment);
  expect(await read(signal, "message id", text)).toBeNull();
  expect((await read(signal, "ids of a thread", text)).split(" ")).toHaveLength(fragment === "<a>" ? 50 : 1);
});

test.for([";", "; ", " ", "smime-type=", "; smime-type"])(
  "a content type of %j",
  async (fragment, { signal }) => {
    const field = `Content-Type: application/pkcs7-mime${filled(fragment)}\r\n`;
    expect(await read(signal, "whether a program wrote it", field)).toBe(false);
  },
);

test.for([";", "; ", " ", "method=", "; method", "METHOD:", "METHOD:REPLY\t", "\r\n"])(
  "a calendar of %j",
  async (fragment, { signal }) => {
    const text = filled(fragment);
    const header = `Content-Type: text/calendar${text.replaceAll("\r\n", "\r\n ")}\r\n`;
    expect(await read(signal, "whether it answers an invitation", header, "")).toBe(false);
    const body = `${text}x`;
    expect(
      await read(signal, "whether it answers an invitation", "Content-Type: text/calendar\r\n", body),
    ).toBe(false);
  },
);

test("the domain of an author", async ({ signal }) => {
  expect(await read(signal, "who is told", `From: @${filled("a")}@\r\n`)).toBeNull();
});

test.for(["(", '"', "<", "@", ",", "\\", " ", "=?utf-8?q?", "[", "a", ":", '\\"', '"\\'])(
  "an address list of %j",
  async (fragment, { signal }) => {
    expect(await read(signal, "addresses", filled(fragment))).toBeLessThanOrEqual(1);
  },
);

test.for([" ", "\t", "\r", "\n", ":", "a"])("a field of %j", async (fragment, { signal }) => {
  expect(await read(signal, "fields", `A: x${filled(fragment)}\r\n`)).toBeGreaterThan(0);
});

test.for([
  ...[":", "a: b\r\n", "From: <a@b>,\r\n", "a\r\n ", "Received: x\r\n"],
  ...["To: <a@b>,\r\n", "To: a@b.example\r\n", "Content-A: b\r\n", "References: <a>\r\n"],
  ...["List-Unsubscribe: <", "List-Unsubscribe: <mailto:a@b.example>, ", "List-Help: mailto:a@b\r\n "],
])("a header of %j", async (fragment, { signal }) => {
  expect(await read(signal, "forwarded header", filled(fragment))).toBeGreaterThan(0);
  expect(await read(signal, "reply's header", filled(fragment))).toBeGreaterThan(0);
});

test.for([
  ...["s", "s.", "secret", "secret ", "secret+", "secret at ", "secret@home", "secret( at )"],
  ...["+", "-", ".", "a.", "\xc3\xbc.", "\xef\xb7\xba", "=?utf-8?q?secret=40?= "],
])("a Subject and a Cc of a reply of %j", async (fragment, { signal }) => {
  const header = `Subject: ${filled(fragment)}\r\nCc: ${filled(`"${fragment.repeat(100)}" <x@x.example>,`)}\r\n`;
  expect(await read(signal, "reply's header", header)).toBeGreaterThan(0);
});

test.for(["deliver", "fail", "fail ", "mail ", "auto", "=?utf-8?q?"])(
  "a From and a Subject of %j",
  async (fragment, { signal }) => {
    const header = `From: mailer-daemon ${filled(fragment)}\r\nSubject: ${filled(fragment)}\r\n`;
    expect(await read(signal, "kind of a report", header)).toBe("nothing");
  },
);

test.for(["Action: delayed\r\n\r\n", "Action: delayed\r\n", " \r\n", "\n", ":", "Status: "])(
  "a delivery status of %j",
  async (fragment, { signal }) => {
    expect(await read(signal, "kind of a report", "", filled(fragment))).toBe("nothing");
  },
);

describe("the parts of a report", () => {
  test.for([
    "--b\r\n",
    "--b--\r\n",
    "--",
    "\r\n",
    "\n",
    " ",
    "a: b\r\n",
    "=",
    "=\r\n",
    "<a href=",
    "<",
    "&",
    "(",
    '"',
    "Final-Recipient: rfc822; a@b.example\r\nAction: delayed\r\n\r\n",
  ])("of %j", async (fragment, { signal }) => {
    const text = filled(fragment);
    const folded = text.replaceAll("\r\n", "\r\n ");
    const delimiters = fragment === "--b\r\n" ? timesOf(fragment) : 0;
    for (const [body, parts] of [
      [text, delimiters],
      [part("text/html", text, "quoted-printable"), 1 + delimiters],
      [part("text/plain", text, "base64"), 1 + delimiters],
      [`--b\r\nContent-Type: ${folded}`, 1],
      [`--b\r\nContent-Type: text/plain; a="${folded}\r\n\r\n`, 1],
      [`--b\r\nContent-Transfer-Encoding: ${folded}\r\n\r\n`, 1],
    ] as const) {
      expect(await read(signal, "parts of a report", HEADER, body)).toBe(parts);
    }
    const boundary = `b${text.replaceAll(/[\r\n"]/g, "")}b`;
    const header = multipart(boundary, "multipart/mixed");
    expect(await read(signal, "parts of a report", header, `--${boundary}`)).toBe(1);
  });

  test("with parts that are nested as deeply as they are read", async ({ signal }) => {
    const innermost = "--b15\r\n\r\n\r\n";
    const [header, body] = [multipart("b0", "multipart/mixed"), nested(15) + filled(innermost)];
    expect(await read(signal, "parts of a report", header, body)).toBe(1 + timesOf(innermost));
  });
});
