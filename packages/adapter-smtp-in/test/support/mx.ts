import {
  err,
  ok,
  parseAccountId,
  parseAliasId,
  parseCopyId,
  parseEmailAddress,
  parseMessageId,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type {
  AdmittedRecipient,
  ArrivedMail,
  MailBody,
  MailPlane,
  ReceivedBody,
  RecipientRefusal,
  ReportMessage,
  Spool,
} from "@postern/mail";
import { onTestFinished } from "vitest";
import {
  type SmtpIn,
  type SmtpInEvent,
  type SmtpInLimits,
  type SmtpInSettings,
  smtpInWithin,
} from "../../src/smtp-in.ts";

export const messageId = valueOf(parseMessageId("a".repeat(26)));
export const copyId = valueOf(parseCopyId("b".repeat(26)));

/** Ample, so that no test depends on how fast a machine is. */
const LIMITS: SmtpInLimits = {
  connections: 200,
  connectionsPerAddress: 20,
  busyConnectionsPerAddress: 20,
  refusedRecipients: 10,
  recipients: 100,
  silenceMs: 60_000,
  busySilenceMs: 60_000,
  messageMs: 120_000,
};

export const textOf = async (body: MailBody): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
};

/** Receives bodies, and knows how many of them it still has. */
const bodies = (): Pick<Spool, "receive"> & { readonly left: () => number } => {
  let left = 0;
  return {
    left: () => left,
    receive: async (chunks) => {
      const parts: Uint8Array[] = [];
      left += 1;
      try {
        for await (const chunk of chunks) parts.push(chunk);
      } catch {
        left -= 1;
        return err({ code: "unavailable" });
      }
      let gone = false;
      const octets = Buffer.concat(parts);
      const body: ReceivedBody = {
        size: octets.length,
        read: async function* () {
          for (let at = 0; at < octets.length; at += 65_536) yield octets.subarray(at, at + 65_536);
        },
        discard: async () => {
          if (!gone) left -= 1;
          gone = true;
        },
      };
      return ok(body);
    },
  };
};

type Arrived = Omit<ArrivedMail, "body"> & { readonly body: string };

const NAMES: Readonly<Record<string, RecipientRefusal["code"]>> = {
  "unknown@alias.example": "recipient_not_found",
  "inactive@alias.example": "recipient_inactive",
  "full@alias.example": "account_full",
};

const admission = (address: string): AdmittedRecipient | RecipientRefusal => {
  if (address.startsWith("b-")) {
    return { kind: "report", copy: copyId, elsewhere: null, address: valueOf(parseEmailAddress(address)) };
  }
  if (address.startsWith("discard@")) return { kind: "discard" };
  const refusal = NAMES[address];
  if (refusal !== undefined) return { code: refusal };
  if (address === "postmaster") {
    return { kind: "postmaster", address: valueOf(parseEmailAddress("postmaster@alias.example")) };
  }
  if (!/@(alias|xn--bcher-kva)\.example$/.test(address)) return { code: "not_an_alias_domain" };
  const email = valueOf(parseEmailAddress(address));
  return {
    kind: "alias",
    alias: { account: valueOf(parseAccountId("tenant-1")), id: valueOf(parseAliasId("alias-1")), email },
    tag: null,
  };
};

export type Mx = {
  readonly server: SmtpIn;
  readonly arrived: readonly Arrived[];
  readonly reports: readonly ReportMessage[];
  /** The addresses that the plane was asked to admit. */
  readonly asked: readonly string[];
  readonly events: readonly SmtpInEvent[];
  /** How many bodies the spool has that were not discarded. */
  readonly bodiesLeft: () => number;
};

/** A server on loopback that stops with the test. Its plane knows the aliases of alias.example, but not `unknown@`. */
export const startMx = async (
  plane: Partial<MailPlane> = {},
  limits: Partial<SmtpInLimits> = {},
  settings: Partial<SmtpInSettings> = {},
): Promise<Mx> => {
  const arrived: Arrived[] = [];
  const reports: ReportMessage[] = [];
  const asked: string[] = [];
  const events: SmtpInEvent[] = [];
  const spool = bodies();
  const server = valueOf(
    await smtpInWithin(
      { ...LIMITS, ...limits },
      {
        plane: {
          beginTransaction: () => ({ id: messageId, startedAt: 0 }),
          admitRecipient: async (address) => {
            asked.push(address);
            const admitted = admission(address);
            return "code" in admitted ? err(admitted) : ok(admitted);
          },
          admitAnswer: async () => err({ code: "not_a_report" }),
          receiveMessage: async (mail) => {
            arrived.push({ ...mail, body: await textOf(mail.body) });
            return ok(messageId);
          },
          recordReport: (report) => async () => {
            reports.push(report);
            return ok("bounced");
          },
          ...plane,
        },
        spool,
        name: "mx.alias.example",
        host: "127.0.0.1",
        port: 0,
        tls: null,
        maxMessageSize: 1_000_000,
        // Nothing answers there: checks end with temperror, at once.
        dns: "127.0.0.1:1",
        messagesPerMinute: 0,
        onEvent: (event) => events.push(event),
        ...settings,
      },
    ),
  );
  onTestFinished(() => server.close(0));
  return { server, arrived, reports, asked, events, bodiesLeft: spool.left };
};
