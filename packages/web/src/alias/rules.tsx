import type { Schemas } from "@postern/client";
import { api } from "../api/api.ts";
import { useRead } from "../api/read.ts";
import { dateTime, number } from "../format.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field, TextArea } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { wordFor, words } from "../words/words.ts";
import { etagOf, reloadAlias } from "./stored-alias.ts";

type AcceptFrom = Schemas["AcceptFrom"];

const ACCEPT_FROM: readonly AcceptFrom[] = ["everybody", "written_to", "listed"];

/** As many senders as a rule can list. */
const MOST = 100;

/** So many people are named of those whose mail would be refused. */
const NAMED = 5;

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

/** Whether an author is a listed sender: an address, or a domain with its subdomains. */
const isListed = (email: string, senders: readonly string[]): boolean =>
  senders.some((sender) => {
    const [author, listed] = [email.toLowerCase(), sender.toLowerCase()];
    return (
      author === listed ||
      author.endsWith(`@${listed}`) ||
      (!listed.includes("@") && author.endsWith(`.${listed}`))
    );
  });

/** Says whose mail the rules would refuse, of those who have written lately. */
const Consequence = ({ aliasId, typed }: { readonly aliasId: string; readonly typed: Typed }) => {
  const { data } = useRead(["contacts", aliasId, "latest"], (signal) =>
    api.listContacts(aliasId, { limit: 100 }, { signal }),
  );
  const { acceptFrom } = typed;
  if ((acceptFrom !== "written_to" && acceptFrom !== "listed") || data === undefined) return null;
  const senders = sendersIn(typed.senders);
  const refused = data.data.contacts
    .filter(({ datetime_last_received }) => datetime_last_received !== null)
    .filter(
      ({ datetime_added, datetime_last_sent }) => datetime_added === null && datetime_last_sent === null,
    )
    .filter(({ email }) => acceptFrom === "written_to" || !isListed(email, senders))
    .map(({ email }) => email);
  return (
    <Notice look="info">
      {refused.length === 0
        ? words.rules.wouldRefuseNobody
        : words.rules.wouldRefuse(refused.slice(0, NAMED), Math.max(0, refused.length - NAMED))}
    </Notice>
  );
};

/** Why an alias has ended by itself; null if it has not. */
const endOf = ({ active }: Schemas["Alias"], rules: Schemas["AliasRules"]): string | null => {
  if (active) return null;
  if (rules.messages_left === 0) return words.rules.endedMessages;
  if (rules.active_until !== null && rules.active_until <= Date.now()) return words.rules.endedUntil;
  return null;
};

const RulesForm = ({
  alias,
  rules,
}: {
  readonly alias: Schemas["Alias"];
  readonly rules: Schemas["AliasRules"];
}) => {
  const id = alias.alias_id;
  const stored = typedOf(rules);
  const edit = useEdit({
    name: `rules ${id}`,
    stored,
    save: async ({ acceptFrom, senders, until, messages }: Typed) => {
      const changed = {
        ...(acceptFrom !== stored.acceptFrom && {
          accept_from: ACCEPT_FROM.find((each) => each === acceptFrom),
        }),
        senders: sendersIn(senders),
        // What was not touched keeps its seconds.
        ...(until !== stored.until && { active_until: until === "" ? null : new Date(until).getTime() }),
        ...(messages !== stored.messages && { messages_left: messages === "" ? null : Number(messages) }),
      };
      await api.updateAliasRules(id, changed, { ifMatch: etagOf(id) });
      await reloadAlias(id);
    },
    reload: () => reloadAlias(id),
  });
  const typed = edit.value;
  const change = (part: Partial<Typed>) => edit.change({ ...typed, ...part });
  const isTooMany = sendersIn(typed.senders).length > MOST;
  const option = (each: AcceptFrom) =>
    [each, words.rules[each][0] ?? "", words.rules[each][1] ?? ""] as const;
  return (
    <Form label={words.rules.title} onSubmit={() => !isTooMany && edit.save()}>
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
      {typed.acceptFrom === "listed" && (
        <TextArea
          label={words.rules.senders}
          hint={words.rules.sendersHint(MOST)}
          error={isTooMany ? words.rules.tooMany(MOST) : null}
          rows={5}
          value={typed.senders}
          onInput={(senders) => change({ senders })}
        />
      )}
      <Consequence aliasId={id} typed={typed} />
      <Field
        label={words.rules.until}
        hint={words.rules.untilHint}
        type="datetime-local"
        value={typed.until}
        onInput={(until) => change({ until })}
      />
      <Field
        label={words.rules.messages}
        hint={words.rules.messagesHint}
        type="number"
        inputMode="numeric"
        min={0}
        value={typed.messages}
        onInput={(messages) => change({ messages })}
      />
      {edit.isConflicting && (
        <Notice look="info" action={{ name: words.alias.takeTheirs, run: edit.cancel }}>
          <p>{words.alias.changedMeanwhile}</p>
          <Shown rules={rules} />
        </Notice>
      )}
      {edit.isSaved && <Notice look="good">{words.common.saved}</Notice>}
      <ProblemNotice error={edit.error} />
      <div class="actions">
        <Button look="main" busy={edit.isBusy}>
          {words.common.save}
        </Button>
        {edit.isOpen && <Button onClick={edit.cancel}>{words.common.cancel}</Button>}
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
  const end = endOf(alias, data.data);
  return (
    <>
      {end !== null && (
        <Notice look="info">
          <p>
            <strong>{words.rules.ended}</strong> {end}
          </p>
        </Notice>
      )}
      {alias.datetime_deleted === null ? (
        <RulesForm alias={alias} rules={data.data} />
      ) : (
        <Shown rules={data.data} />
      )}
    </>
  );
};
