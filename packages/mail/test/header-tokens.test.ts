import { expect, test } from "vitest";
import { headerTokens } from "../src/header/header-tokens.ts";

/** Each token as its kind and its text. */
const tokens = (value: string) => Array.from(headerTokens(value), ({ kind, text }) => `${kind} ${text}`);

test.each<[string, string, readonly string[]]>([
  ["nothing", "", []],
  [
    "a mailbox",
    "Bob <b@x.y>",
    ["word Bob", "space  ", "special <", "word b", "special @", "word x.y", "special >"],
  ],
  ["a run of white space", "a \t\r\n b", ["word a", "space  ", "word b"]],
  ["all specials", "<>@,;:", ["special <", "special >", "special @", "special ,", "special ;", "special :"]],
  ["a quoted string", '"a, \\"b\\\\"c', ['quoted a, "b\\', "word c"]],
  ["an empty quoted string", '""', ["quoted "]],
  ["a comment with a comment in it", "(a (b) \\) c)d", ["comment a (b) ) c", "word d"]],
  ["unmatched delimiters", 'a)b"c(d', ["word a", "word b", "word c", "word d"]],
  ["a quoted string after a comment that does not end", '(a "b"', ["word a", "space  ", "quoted b"]],
  ["quotes that end with a backslash", '"a\\', ["word a\\"]],
  ["a comment that ends with a backslash", "(a\\", ["word a\\"]],
  ["a backslash outside of quotes", "a\\b", ["word a\\b"]],
  ["an encoded word with specials", "=?utf-8?Q?a,_b?=,", ["word =?utf-8?Q?a,_b?=", "special ,"]],
  ["an encoded word in the other encoding", "=?utf-8?b?YQ==?=", ["word =?utf-8?b?YQ==?="]],
  ["a domain literal", "a@[IPv6:::1]", ["word a", "special @", "word [IPv6:::1]"]],
  ["brackets without a literal", "[a b]", ["word a", "space  ", "word b]"]],
])("%s", (_, value, expected) => {
  expect(tokens(value)).toEqual(expected);
});
