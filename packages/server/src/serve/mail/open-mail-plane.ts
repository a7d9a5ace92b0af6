import { resolve } from "node:path";
import { dkimSigner, smtpRelay } from "@postern/adapter-smtp";
import { type SmtpIn, type SmtpInEvent, smtpIn } from "@postern/adapter-smtp-in";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { err, ok, type Result, type VerificationMail } from "@postern/core";
import {
  COPIES_AT_ONCE,
  type MailSigner,
  queuedVerificationMail,
  type Spool,
  verificationWriter,
} from "@postern/mail";
import { nodePorts } from "@postern/node";
import type { Configuration } from "../../configuration/configuration.ts";
import type { MailPlaneConfiguration } from "../../configuration/mail-plane.ts";
import { ENV } from "../../configuration/names.ts";
import { readDkimKey } from "../../mail-identity/dkim-key.ts";
import { readTlsFiles } from "../../mail-identity/tls-files.ts";
import { causeText } from "../../system/cause-text.ts";
import { inTime } from "../../system/in-time.ts";
import type { LogLines } from "../observability/log.ts";
import type { MailMeasurements } from "../observability/mail-metrics.ts";
import { sampler } from "../observability/sampler.ts";
import { ownSenderDomain, type PlaneSettings, planeOf } from "./plane-of.ts";
import type { MailStore } from "./store-calls.ts";

/** The part of the configuration that concerns mail. */
export type MailSettings = PlaneSettings &
  Pick<Configuration, "publicUrl" | "dns" | "accessLog"> & { readonly mailPlane: MailPlaneConfiguration };

/** Mail cannot be received. Each reason is a sentence for the operator, without a period. */
export type CannotOpenMail = { readonly code: "cannot_open_mail"; readonly reasons: readonly string[] };

/** The server cannot listen for mail. `reason` is the system's code. */
export type CannotReceive = { readonly code: "cannot_receive"; readonly reason: string };

/** The part of the server that receives and forwards mail. */
export type OpenedMailPlane = {
  /** Starts to receive and to forward. Resolves to the port that it listens on. */
  start(): Promise<Result<number, CannotReceive>>;
  /** Reads the certificate and its key again. If they are wrong, the previous ones stay, and the log says why. */
  reload(): void;
  /**
   * Stops receiving, finishes the work under way, and closes the spool, within about `graceMs` milliseconds. Unfinished
   * work is not lost: it is done again. Idempotent.
   */
  stop(graceMs: number): Promise<void>;
  /** What is in the spool. */
  readonly size: Spool["size"];
  /** Verification mail that leaves through the spool. */
  readonly verificationMail: VerificationMail;
};

/**
 * Opens the spool, reads the signing key and tries it, and reads the certificate. Contacts no other machine: the relay may be down.
 *
 * @returns what is to be started, or everything that is wrong, with nothing left open
 */
export type OpenMailPlane = (
  settings: MailSettings,
  ports: { readonly store: MailStore; readonly logger: LogLines; readonly metrics: MailMeasurements },
) => Promise<Result<OpenedMailPlane, CannotOpenMail>>;

/** Signs a one-line message, so that a problem with the key shows up now and not with the first message. */
const trySigner = async (
  signer: MailSigner,
  [domain]: Configuration["aliasDomains"],
): Promise<string | null> => {
  const body = {
    size: 2,
    read: async function* () {
      yield Buffer.from("\r\n");
    },
  };
  const signed = await signer.sign({ domain, header: "From: <>\r\n", body, authentication: null });
  return signed.isOk() ? null : `${ENV.dkimKey} does not sign (${causeText(signed.error.cause)})`;
};

const openSigner = async (
  mail: MailPlaneConfiguration,
  domains: Configuration["aliasDomains"],
): Promise<Result<MailSigner, string>> => {
  const key = readDkimKey(mail.dkimKey);
  if (key.isErr()) return err(`${ENV.dkimKey}: ${mail.dkimKey} ${key.error}`);
  const signer = dkimSigner({
    key: key.value.pem,
    selector: mail.dkimSelector,
    arc: mail.arc ? { server: mail.name } : null,
  });
  const problem = await trySigner(signer, domains);
  return problem === null ? ok(signer) : err(problem);
};

/** Counts and logs what happens in SMTP sessions. Events contain no addresses. */
const sessionLog = (metrics: MailMeasurements, logger: LogLines, accessLog: boolean) => {
  const isSample = sampler();
  return (event: SmtpInEvent): void => {
    switch (event.type) {
      case "reply": {
        const { step, code, status, message, cause } = event;
        const reply = `${code} ${status}`;
        metrics.replied(step, reply);
        if (message !== null) {
          if (accessLog) logger.info({ message }, "message accepted");
          return;
        }
        if (code === 250) return;
        const level = cause === null ? "info" : "error";
        const summarize = (further: number) =>
          logger[level]({ step, reply, further }, "mail refused; further refusals in the same second");
        if (isSample(`${step} ${reply}`, summarize)) {
          logger[level]({ step, reply, ...(cause !== null && { cause: causeText(cause) }) }, "mail refused");
        }
        return;
      }
      case "report":
        metrics.reportRead(event.result);
        return;
      case "broken":
        logger.debug({ reason: event.reason }, "an SMTP session was interrupted");
    }
  };
};

/** Nothing catches this, so it ends the process. Without its spool, the server would only refuse mail. */
const onEnded = (error: unknown): never => {
  throw error;
};

export const openMailPlane: OpenMailPlane = async (settings, { store, logger, metrics }) => {
  const { mailPlane: mail, aliasDomains, mailFrom, publicUrl, service, language, dns, accessLog } = settings;
  const [signer, opened] = await Promise.all([
    openSigner(mail, aliasDomains),
    sqliteSpool({ path: resolve(mail.spoolPath), limit: mail.spoolLimit, onEnded }),
  ]);
  const tls = mail.tls === undefined ? ok(null) : readTlsFiles(mail.tls);
  if (signer.isErr() || opened.isErr() || tls.isErr()) {
    if (opened.isOk()) await opened.value.close();
    const reasons = [
      ...(signer.isErr() ? [signer.error] : []),
      ...(opened.isErr() ? [`${ENV.spoolPath}: ${opened.error.message}`] : []),
      ...(tls.isErr() ? [`${ENV.mxTlsKey} and ${ENV.mxTlsCert}: ${tls.error}`] : []),
    ];
    return err({ code: "cannot_open_mail", reasons });
  }

  const smtp = smtpRelay({
    url: mail.relayUrl,
    name: mail.name,
    connections: COPIES_AT_ONCE,
    deliveryNotices: mail.deliveryNotices,
  });
  const plane = planeOf(
    settings,
    { store, spool: opened.value, signer: signer.value, relay: smtp, copiesAtOnce: smtp.connections },
    { metrics, logger },
  );
  const domain = ownSenderDomain(settings) ?? aliasDomains[0];
  const writer = verificationWriter({ from: mailFrom, publicUrl, service, language });
  let receiving: SmtpIn | undefined;

  /** Finishes the work under way. Mail received in the meantime is on disk, and is sent after the next start. */
  const finish = async (graceMs: number): Promise<void> => {
    await Promise.all([receiving?.close(graceMs), plane.stop()]);
    // What arrived while the connections were closed.
    if (receiving !== undefined) await Promise.all([plane.countOutcomes(), plane.logMessages()]);
  };
  const stop = async (graceMs: number): Promise<void> => {
    await inTime(finish(graceMs), graceMs);
    smtp.close();
    await opened.value.close();
  };
  let stopped: Promise<void> | undefined;

  return ok({
    start: async () => {
      const listening = await smtpIn({
        plane,
        spool: plane.spool,
        name: mail.name,
        host: mail.host,
        port: mail.port,
        tls: tls.value?.pair ?? null,
        maxMessageSize: mail.maxSize,
        dns: dns ?? null,
        messagesPerMinute: mail.messagesPerMinute,
        onEvent: sessionLog(metrics, logger, accessLog),
      });
      if (listening.isErr()) return err({ code: "cannot_receive", reason: listening.error.cause.reason });
      receiving = listening.value;
      plane.run();
      return ok(receiving.port);
    },
    reload: () => {
      if (mail.tls === undefined) return;
      const read = readTlsFiles(mail.tls);
      if (read.isErr()) {
        return logger.error({ reason: read.error }, "certificate not reloaded; keeping the previous one");
      }
      receiving?.setTls(read.value.pair);
      logger.info({}, "certificate reloaded");
    },
    stop: (graceMs) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
    size: plane.spool.size,
    verificationMail: queuedVerificationMail({ spool: plane.spool, writer, ...nodePorts(settings), domain }),
  });
};
