import { ClientError, type Schemas } from "@postern/client";
import { useQuery } from "@tanstack/preact-query";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { dateTime, list, number } from "../format.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Choice, Field, TextArea } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { wordFor, words } from "../words/words.ts";
import { reloadAlias } from "./stored-alias.ts";

type AcceptFrom = Schemas["AcceptFrom"];

const ACCEPT_FROM: readonly AcceptFrom[] = ["everybody", "written_to", "listed"];

/** As many senders as a rule can list. */
const MOST = 100;

/** As many messages as an alias can have left, and the last time at which it can end. */
const MOST_MESSAGES = 1_000_000;
const LATEST = "9999-12-31T23:59";

/** The rules as they are typed. */
type Typed = {
  /** A newer API can have further values, which are left as they are. */
  readonly acceptFrom: string;
  /** One on each line. */
  readonly senders: string;
  /** As in the field: local time, such as `2026-12-31T23:59`; empty for never. */
  readonly until: string;
  readonly messages: string;
};

const NO_RULES: Typed = { acceptFrom: "everybody", senders: "", until: "", messages: "" };

const sendersIn = (text: string): readonly string[] =>
  text
    .split(/[\s,;]+/)
    .map((each) => each.trim())
    .filter((each) => each !== "");

const localTime = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const typedOf = ({ accept_from, senders, active_until, messages_left }: Schemas["AliasRules"]): Typed => ({
  acceptFrom: accept_from,
  senders: senders.join("\n"),
  until: active_until === null ? "" : localTime(active_until),
  messages: messages_left === null ? "" : `${messages_left}`,
});

/** As the API stores it: in lower case, and in ASCII. */
const asStored = (sender: string): string => {
  const at = sender.lastIndexOf("@") + 1;
  const domain = `http://${sender.slice(at)}`;
  return (
    sender.slice(0, at) + (URL.canParse(domain) ? new URL(domain).hostname : sender.slice(at))
  ).toLowerCase();
};

/** Whether an author is a listed sender: an address, or a domain with its subdomains. */
const isListed = (email: string, senders: readonly string[]): boolean =>
  senders
    .map(asStored)
    .some((sender) =>
      sender.includes("@")
        ? sender === email.toLowerCase()
        : `.${email.slice(email.lastIndexOf("@") + 1)}`.endsWith(`.${sender}`),
    );

/** So many of those who wrote last are looked at. */
const LAST = 10;

type Author = NonNullable<Schemas["Message"]["contact"]>;

const isWrittenTo = async (
  aliasId: string,
  { contact_id }: Author,
  signal: AbortSignal,
): Promise<boolean> => {
  // Contacts that were written to are kept for good.
  if (contact_id === null) return false;
  try {
    const { data } = await api.getContact(aliasId, contact_id, { signal });
    return data.datetime_added !== null || data.datetime_last_sent !== null;
  } catch (error) {
    if (error instanceof ClientError && error.code === "contact_not_found") return false;
    throw error;
  }
};

/** Those whose mail the alias forwarded last, and whether they were written to, so that no rule refuses their mail. */
const readAuthors = async (aliasId: string, signal: AbortSignal) => {
  const { data } = await api.listMessages(aliasId, { limit: 100 }, { signal });
  const authors = new Map<string, Author>();
  for (const { contact, blocked } of data.messages)
    if (contact !== null && blocked === null) authors.set(contact.email.toLowerCase(), contact);
  return Promise.all(
    [...authors.values()].slice(0, LAST).map(async (author) => ({
      email: author.email,
      isKnown: await isWrittenTo(aliasId, author, signal),
    })),
  );
};

/** Says whose mail is going to be refused, as far as they wrote lately. */
const Consequence = ({ aliasId, typed }: { readonly aliasId: string; readonly typed: Typed }) => {
  const { data } = useQuery({
    queryKey: ["authors", aliasId],
    queryFn: ({ signal }) => readAuthors(aliasId, signal),
  });
  const senders = typed.acceptFrom === "listed" ? sendersIn(typed.senders) : [];
  const refused = data?.filter(({ email, isKnown }) => !isKnown && !isListed(email, senders));
  return (
    <Notice look="info">
      <p>{words.rules.refuses}</p>
      {refused !== undefined && refused.length > 0 && (
        <p>{words.rules.refusesThese(refused.map(({ email }) => email))}</p>
      )}
      {refused?.length === 0 && data?.length !== 0 && <p>{words.rules.refusesNone}</p>}
    </Notice>
  );
};

/** Why an alias accepts no mail any more although nobody has switched it off: the limits that it has reached. */
const endsOf = (
  { active, datetime_deleted }: Schemas["Alias"],
  { active_until, messages_left }: Schemas["AliasRules"],
): readonly string[] => {
  if (datetime_deleted !== null) return [];
  const isOver = active_until !== null && active_until <= Date.now();
  // It is switched off when the next message comes.
  if (active) return isOver ? [words.rules.endedOn] : [];
  return [
    ...(isOver ? [words.rules.endedUntil] : []),
    ...(messages_left === 0 ? [words.rules.endedMessages] : []),
  ];
};

/** Those of these senders that the API found to be none. */
const refusedOf = (error: ClientError | null, senders: readonly string[]): readonly string[] => {
  const problem = error?.problem;
  if (problem?.code !== "invalid_request") return [];
  const pointers = new Set(problem.errors.map(({ pointer }) => pointer));
  return senders.filter((_, index) => pointers.has(`/senders/${index}`));
};

const RulesForm = ({
  alias,
  rules,
  etag,
}: {
  readonly alias: Schemas["Alias"];
  readonly rules: Schemas["AliasRules"];
  readonly etag: string;
}) => {
  const id = alias.alias_id;
  const stored = typedOf(rules);
  const sent = useRef<readonly string[]>([]);
  const edit = useEdit({
    name: `rules ${id}`,
    stored,
    save: async ({ acceptFrom, senders, until, messages }: Typed) => {
      sent.current = sendersIn(senders);
      const changed = {
        ...(acceptFrom !== stored.acceptFrom && {
          accept_from: ACCEPT_FROM.find((each) => each === acceptFrom),
        }),
        ...(senders !== stored.senders && { senders: sent.current }),
        // What was not touched keeps its seconds.
        ...(until !== stored.until && { active_until: until === "" ? null : new Date(until).getTime() }),
        ...(messages !== stored.messages && { messages_left: messages === "" ? null : Number(messages) }),
      };
      await api.updateAliasRules(id, changed, { ifMatch: etag });
      await reloadAlias(id);
    },
    reload: () => reloadAlias(id),
  });
  const typed = edit.value;
  const change = (part: Partial<Typed>) => edit.change({ ...typed, ...part });
  const senders = sendersIn(typed.senders);
  const refused = refusedOf(edit.error, sent.current);
  const wrong = list(refused.filter((each) => senders.includes(each)));
  useEffect(() => {
    if (wrong !== "") announce(words.rules.notSenders(wrong));
  }, [wrong]);
  const flaws = {
    senders:
      senders.length > MOST ? words.rules.tooMany(MOST) : wrong === "" ? null : words.rules.notSenders(wrong),
    until:
      typed.until !== stored.until && new Date(typed.until).getTime() <= Date.now()
        ? words.rules.untilPast
        : null,
  };
  const flaw = flaws.senders ?? flaws.until;
  /** For buttons that go when they have been pressed: the focus goes to where the form begins. */
  const leaving = (run: () => void) => () => {
    document.activeElement?.closest("form")?.querySelector<HTMLElement>("input:checked")?.focus();
    run();
  };
  const option = (each: AcceptFrom) =>
    [each, words.rules[each][0] ?? "", words.rules[each][1] ?? ""] as const;
  return (
    <Form
      label={words.rules.title}
      onSubmit={() => {
        if (flaw === null) edit.save();
        else announce(flaw);
      }}
    >
      <Choice
        label={words.rules.acceptFrom}
        value={typed.acceptFrom}
        onInput={(acceptFrom) => change({ acceptFrom })}
        options={[
          ...ACCEPT_FROM.map(option),
          ...(ACCEPT_FROM.some((each) => each === typed.acceptFrom)
            ? []
            : [[typed.acceptFrom, typed.acceptFrom] as const]),
        ]}
      />
      {(typed.acceptFrom === "listed" || flaws.senders !== null) && (
        <TextArea
          label={words.rules.senders}
          hint={words.rules.sendersHint(MOST)}
          error={flaws.senders}
          rows={5}
          value={typed.senders}
          onInput={(senders) => change({ senders })}
        />
      )}
      {edit.isOpen && (typed.acceptFrom === "written_to" || typed.acceptFrom === "listed") && (
        <Consequence aliasId={id} typed={typed} />
      )}
      <Field
        label={words.rules.until}
        hint={words.rules.untilHint}
        error={flaws.until}
        type="datetime-local"
        max={LATEST}
        value={typed.until}
        onInput={(until) => change({ until })}
      />
      <Field
        label={words.rules.messages}
        hint={words.rules.messagesHint}
        type="number"
        inputMode="numeric"
        min={typed.messages === stored.messages ? 0 : 1}
        max={MOST_MESSAGES}
        value={typed.messages}
        onInput={(messages) => change({ messages })}
      />
      {edit.isConflicting && (
        <Notice look="info" action={{ name: words.alias.takeTheirs, run: leaving(edit.cancel) }}>
          <p>{words.alias.changedMeanwhile}</p>
          <Shown rules={rules} />
        </Notice>
      )}
      {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
      {refused.length === 0 && <ProblemNotice error={edit.error} />}
      <div class="actions">
        <Button look="main" busy={edit.isBusy}>
          {words.common.save}
        </Button>
        {edit.isOpen && <Button onClick={leaving(edit.cancel)}>{words.common.cancel}</Button>}
        {JSON.stringify(typed) !== JSON.stringify(NO_RULES) && (
          <Button onClick={leaving(() => edit.change(NO_RULES))}>{words.rules.reset}</Button>
        )}
      </div>
    </Form>
  );
};

/** The rules in words. */
const Shown = ({ rules }: { readonly rules: Schemas["AliasRules"] }) => {
  const names: Readonly<Record<AcceptFrom, string>> = {
    everybody: words.rules.everybody[0] ?? "",
    written_to: words.rules.written_to[0] ?? "",
    listed: words.rules.listed[0] ?? "",
  };
  return (
    <dl class="stack">
      <div>
        <dt>{words.rules.acceptFrom}</dt>
        <dd>{wordFor(names, rules.accept_from)}</dd>
        {rules.senders.map((sender) => (
          <dd key={sender}>
            <bdi>{sender}</bdi>
          </dd>
        ))}
      </div>
      {rules.active_until !== null && (
        <div>
          <dt>{words.rules.until}</dt>
          <dd>{dateTime(rules.active_until)}</dd>
        </div>
      )}
      {rules.messages_left !== null && (
        <div>
          <dt>{words.rules.messages}</dt>
          <dd>{number(rules.messages_left)}</dd>
        </div>
      )}
    </dl>
  );
};

/** Whose mail an alias accepts, and when it ends. */
export const Rules = ({ alias }: { readonly alias: Schemas["Alias"] }) => {
  const id = alias.alias_id;
  const { data, error, refetch } = useRead(["alias", id, "part", "rules"], (signal) =>
    api.getAliasRules(id, { signal }),
  );
  if (data === undefined) {
    return error === null ? (
      <p class="quiet loading">{words.common.loading}</p>
    ) : (
      <ProblemNotice error={error} onRetry={() => void refetch()} />
    );
  }
  const ends = endsOf(alias, data.data);
  return (
    <>
      {ends.length > 0 && (
        <Notice look="info">
          <p>
            <strong>{words.rules.ended}</strong> {ends.join(" ")}
          </p>
        </Notice>
      )}
      {alias.datetime_deleted === null ? (
        <RulesForm alias={alias} rules={data.data} etag={data.etag} />
      ) : (
        <Shown rules={data.data} />
      )}
    </>
  );
};
