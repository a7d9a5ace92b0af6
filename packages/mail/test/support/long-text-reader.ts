import { parentPort } from "node:worker_threads";
import { newMessageId } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { readReport } from "../../src/delivery-reports/delivery-report.ts";
import { reportParts } from "../../src/delivery-reports/report-parts.ts";
import { parseAddressList } from "../../src/header/address-list.ts";
import { HeaderFields } from "../../src/header/header-fields.ts";
import { parseInternetDate } from "../../src/header/internet-date.ts";
import { noticeAddress } from "../../src/notices/failure-notice.ts";
import { isCalendarAnswer } from "../../src/receiving/calendar-answer.ts";
import { isAutomatic } from "../../src/receiving/reply-admission.ts";
import { exchangedIds, exchangedMessageId } from "../../src/rewriting/concealed-ids.ts";
import { forwardedHeader } from "../../src/rewriting/forwarded-header.ts";
import { ownMailboxes } from "../../src/rewriting/own-mailboxes.ts";
import { replyHeader } from "../../src/rewriting/reply-header.ts";
import { ALIAS, AUTHENTIC, FORWARD, RECIPIENT, receivedMessage, SPOOL } from "./mail.ts";

/* The thread of long-texts.test.ts. */

const { secrets } = testPorts();

const readers = {
  date: parseInternetDate,
  "message id": (text: string) => exchangedMessageId(text, ALIAS.email, secrets),
  "ids of a thread": (text: string) => exchangedIds(text, ALIAS.email, secrets),
  "whether a program wrote it": (field: string) => isAutomatic(HeaderFields.split(field), "me@home.example"),
  "whether it answers an invitation": (header: string, body: string) =>
    isCalendarAnswer(header, HeaderFields.split(header), body),
  addresses: (text: string) => parseAddressList(text).length,
  fields: (header: string) => HeaderFields.split(header).map(HeaderFields.value).join("").length,
  "forwarded header": (header: string) =>
    forwardedHeader(receivedMessage({ header }), FORWARD, {
      serverName: "mx.alias.example",
      spool: SPOOL,
      secrets,
    }).length,
  "reply's header": (header: string) => {
    const sender = { alias: ALIAS.email, own: ownMailboxes([RECIPIENT]), contacts: new Map() };
    return replyHeader({ id: newMessageId(secrets.random), createdAt: 0, header }, sender, secrets).length;
  },
  "who is told": (header: string) => {
    const authentication = { ...AUTHENTIC, spf: "none" } as const;
    return noticeAddress({ returnPath: "bob@sender.example", header, authentication }, "verified");
  },
  "kind of a report": (header: string, status?: string) => {
    const parts = status === undefined ? [] : [{ type: "message/delivery-status", content: status }];
    return readReport({ returnPath: "", header, parts }, () => false).kind;
  },
  "parts of a report": (header: string, body: string) => reportParts(header, body).length,
};

export type Readers = typeof readers;

parentPort?.on("message", ([name, ...texts]: [keyof Readers, string, string]) =>
  parentPort?.postMessage(readers[name](...texts)),
);
