import { INVALID_SPAN_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Cause, PortResult, Result, Store, Unavailable } from "@postern/core";
import { causeText } from "../../system/cause-text.ts";
import { operationsOf } from "../operations-of.ts";
import { type Metrics, noMetrics } from "./metrics.ts";
import { isNoSpan, withinSpan } from "./within-span.ts";

/** Uses the SDK that the operator loads, if any, no matter when. */
const tracer = trace.getTracer("postern");

const CLIENT = { kind: SpanKind.CLIENT };

/** Called every second, mostly to find nothing to do: its spans would outnumber all others. */
const UNTRACED: readonly string[] = ["outbox.begin"];

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

type Call<Input extends readonly unknown[], T, E> = (...input: Input) => PortResult<T, E>;

/** The store, with a span (unless `UNTRACED`) and a measurement for each call. Neither contains data from the request or the result. */
export const measuredStore = (
  store: Store,
  { storeOpened, storeCalled }: Pick<Metrics, "storeOpened" | "storeCalled">,
): Store => {
  const measure = <
    Input extends readonly unknown[],
    T,
    E extends { readonly code: string; readonly cause?: Cause | undefined },
  >(
    operation: string,
    call: Call<Input, T, E>,
  ): Call<Input, T, E> => {
    const name = `store ${operation}`;
    const isTraced = !UNTRACED.includes(operation);
    const observed = async (span: Span, input: Input): Promise<Result<T, E | Unavailable>> => {
      const start = performance.now();
      const result = await withinSpan(span, call, ...input);
      const outcome = result.isOk() ? "ok" : result.error.code;
      span.setAttribute("postern.outcome", outcome);
      if (result.isErr() && result.error.code === "unavailable") {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute("postern.cause", causeText(result.error.cause));
      }
      span.end();
      storeCalled(operation, outcome, performance.now() - start);
      return result;
    };
    return (...input) => {
      const span = isTraced ? tracer.startSpan(name, CLIENT) : NO_SPAN;
      // Nobody would see the measurement: there is neither an SDK nor a metrics port.
      return storeCalled === noMetrics.storeCalled && isNoSpan(span) ? call(...input) : observed(span, input);
    };
  };

  // Bound, because a custom store can be a class that needs `this`.
  const { aliases, recipients, contacts, blockedSenders, messageLog, resends, webhooks, outbox } = store;
  const { handedReports, apiKeys, mailLedger, creations, suspensions } = store;
  const measured: Store = {
    aliases: {
      findWithRecipients: measure("aliases.findWithRecipients", aliases.findWithRecipients.bind(aliases)),
      findByEmail: measure("aliases.findByEmail", aliases.findByEmail.bind(aliases)),
      list: measure("aliases.list", aliases.list.bind(aliases)),
      create: measure("aliases.create", aliases.create.bind(aliases)),
      save: measure("aliases.save", aliases.save.bind(aliases)),
      recordOutcome: measure("aliases.recordOutcome", aliases.recordOutcome.bind(aliases)),
      erase: measure("aliases.erase", aliases.erase.bind(aliases)),
      retireAddress: measure("aliases.retireAddress", aliases.retireAddress.bind(aliases)),
      isRetired: measure("aliases.isRetired", aliases.isRetired.bind(aliases)),
      listRetiredAddresses: measure(
        "aliases.listRetiredAddresses",
        aliases.listRetiredAddresses.bind(aliases),
      ),
    },
    recipients: {
      find: measure("recipients.find", recipients.find.bind(recipients)),
      findAll: measure("recipients.findAll", recipients.findAll.bind(recipients)),
      list: measure("recipients.list", recipients.list.bind(recipients)),
      create: measure("recipients.create", recipients.create.bind(recipients)),
      save: measure("recipients.save", recipients.save.bind(recipients)),
      remove: measure("recipients.remove", recipients.remove.bind(recipients)),
    },
    contacts: {
      record: measure("contacts.record", contacts.record.bind(contacts)),
      meet: measure("contacts.meet", contacts.meet.bind(contacts)),
      find: measure("contacts.find", contacts.find.bind(contacts)),
      findByEmails: measure("contacts.findByEmails", contacts.findByEmails.bind(contacts)),
      list: measure("contacts.list", contacts.list.bind(contacts)),
      listOfAccount: measure("contacts.listOfAccount", contacts.listOfAccount.bind(contacts)),
      save: measure("contacts.save", contacts.save.bind(contacts)),
      create: measure("contacts.create", contacts.create.bind(contacts)),
    },
    blockedSenders: {
      block: measure("blockedSenders.block", blockedSenders.block.bind(blockedSenders)),
      unblock: measure("blockedSenders.unblock", blockedSenders.unblock.bind(blockedSenders)),
      list: measure("blockedSenders.list", blockedSenders.list.bind(blockedSenders)),
    },
    messageLog: {
      save: measure("messageLog.save", messageLog.save.bind(messageLog)),
      find: measure("messageLog.find", messageLog.find.bind(messageLog)),
      list: measure("messageLog.list", messageLog.list.bind(messageLog)),
    },
    resends: {
      request: measure("resends.request", resends.request.bind(resends)),
      list: measure("resends.list", resends.list.bind(resends)),
      finish: measure("resends.finish", resends.finish.bind(resends)),
    },
    handedReports: {
      handOver: measure("handedReports.handOver", handedReports.handOver.bind(handedReports)),
      list: measure("handedReports.list", handedReports.list.bind(handedReports)),
      finish: measure("handedReports.finish", handedReports.finish.bind(handedReports)),
    },
    webhooks: {
      create: measure("webhooks.create", webhooks.create.bind(webhooks)),
      list: measure("webhooks.list", webhooks.list.bind(webhooks)),
      save: measure("webhooks.save", webhooks.save.bind(webhooks)),
      remove: measure("webhooks.remove", webhooks.remove.bind(webhooks)),
    },
    outbox: {
      announce: measure("outbox.announce", outbox.announce.bind(outbox)),
      list: measure("outbox.list", outbox.list.bind(outbox)),
      remove: measure("outbox.remove", outbox.remove.bind(outbox)),
      begin: measure("outbox.begin", outbox.begin.bind(outbox)),
      end: measure("outbox.end", outbox.end.bind(outbox)),
    },
    apiKeys: {
      create: measure("apiKeys.create", apiKeys.create.bind(apiKeys)),
      list: measure("apiKeys.list", apiKeys.list.bind(apiKeys)),
      findByHash: measure("apiKeys.findByHash", apiKeys.findByHash.bind(apiKeys)),
      recordUse: measure("apiKeys.recordUse", apiKeys.recordUse.bind(apiKeys)),
      remove: measure("apiKeys.remove", apiKeys.remove.bind(apiKeys)),
    },
    mailLedger: {
      find: measure("mailLedger.find", mailLedger.find.bind(mailLedger)),
      save: measure("mailLedger.save", mailLedger.save.bind(mailLedger)),
      list: measure("mailLedger.list", mailLedger.list.bind(mailLedger)),
    },
    creations: {
      find: measure("creations.find", creations.find.bind(creations)),
      forget: measure("creations.forget", creations.forget.bind(creations)),
    },
    suspensions: {
      find: measure("suspensions.find", suspensions.find.bind(suspensions)),
      suspend: measure("suspensions.suspend", suspensions.suspend.bind(suspensions)),
      resume: measure("suspensions.resume", suspensions.resume.bind(suspensions)),
    },
    accounts: measure("accounts", store.accounts.bind(store)),
    ping: measure("ping", store.ping.bind(store)),
  };
  storeOpened([...operationsOf(measured).keys()]);
  return measured;
};
