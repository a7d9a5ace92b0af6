import { ok } from "neverthrow";
import type { Clock } from "../ports/clock.ts";
import type { Concealment } from "../ports/concealment.ts";
import type { Ids } from "../ports/ids.ts";
import type { LinkClaims, Secrets } from "../ports/secrets.ts";
import type { VerificationMail } from "../recipient/verification-mail.ts";
import { parseAliasId, parseRecipientId } from "../values/identifiers.ts";
import { parseLedgerKey } from "../values/ledger-key.ts";
import { valueOf } from "./value-of.ts";

export type SentMail = Parameters<VerificationMail["send"]>[0];

/** Every port except the store, made predictable for tests. */
export type TestPorts = {
  /** Stands still until `advance` moves it forward, by a number of milliseconds. `pause` does not wait. */
  readonly clock: Clock & { advance(milliseconds: number): void };
  readonly ids: Ids;
  /** Only the ports that sealed a token, or concealed a text, can open it. */
  readonly secrets: Secrets & Concealment;
  readonly verificationMail: VerificationMail;
  /** Every message handed over, oldest first. */
  readonly outbox: readonly SentMail[];
};

/** The FNV-1a hash of the text's UTF-16 code units, in 64 bits: 16 hexadecimal digits. */
const fnv1a = (text: string): string => {
  let hash = 0xcbf29ce484222325n;
  for (const unit of text.split("")) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(unit.charCodeAt(0))) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
};

/**
 * Predictable ports. The clock starts at `now` (epoch milliseconds); ids and nonces count up from 1, so that a failing
 * test shows the same values every time.
 *
 * @example
 * ```ts
 * const ports = testPorts();
 * const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...ports });
 * ports.outbox; // the verification messages handed over
 * ```
 */
export const testPorts = (now = 1_700_000_000_000): TestPorts => {
  let time = now;
  let serial = 0;
  let drawn = 0;
  const next = (prefix: string) => {
    serial += 1;
    return `${prefix}-${String(serial).padStart(6, "0")}`;
  };
  const sealed = new Map<string, LinkClaims>();
  const concealed = new Map<string, string>();
  const outbox: SentMail[] = [];
  return {
    clock: {
      now: () => time,
      pause: async () => {},
      advance: (milliseconds) => {
        time += milliseconds;
      },
    },
    ids: {
      alias: () => valueOf(parseAliasId(next("alias"))),
      recipient: () => valueOf(parseRecipientId(next("recipient"))),
    },
    secrets: {
      // The linear congruential generator of Numerical Recipes: the same numbers in every run.
      random: (below) => {
        drawn = (drawn * 1_664_525 + 1_013_904_223) % 2 ** 32;
        return Math.floor((drawn / 2 ** 32) * below);
      },
      nonce: () => next("nonce"),
      hash: (text) => valueOf(parseLedgerKey(fnv1a(text))),
      seal: (claims) => {
        const token = next("token");
        sealed.set(token, claims);
        return token;
      },
      open: (token) => sealed.get(token) ?? null,
      conceal: (text, context) => {
        const hidden = fnv1a(JSON.stringify([context, text]));
        concealed.set(JSON.stringify([context, hidden]), text);
        return hidden;
      },
      reveal: (hidden, context) => concealed.get(JSON.stringify([context, hidden])) ?? null,
    },
    verificationMail: {
      send: async (message) => {
        outbox.push(message);
        return ok();
      },
    },
    outbox,
  };
};
