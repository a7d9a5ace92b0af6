import type { ClientError, Schemas } from "@postern/client";
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
import { Reading } from "../ui/reading.tsx";
import { useEdit } from "../ui/use-edit.ts";
import { words } from "../words/words.ts";
import { Consequence } from "./consequence.tsx";
import { sendersIn } from "./senders.ts";
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

const localTime = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const typedOf = ({ accept_from, senders, active_until, messages_left }: Schemas["AliasRules"]): Typed => ({
  acceptFrom: accept_from,
  senders: senders.join("\n"),
  until: active_until === null ? "" : localTime(active_until),
  messages: messages_left === null ? "" : `${messages_left}`,
});

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
          ...ACCEPT_FROM.map((each) => [each, ...words.rules.accepts[each]] as const),
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
        <Consequence aliasId={id} senders={typed.acceptFrom === "listed" ? senders : []} />
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
  const accepted = ACCEPT_FROM.find((each) => each === rules.accept_from);
  return (
    <dl class="stack">
      <div>
        <dt>{words.rules.acceptFrom}</dt>
        <dd>{accepted === undefined ? rules.accept_from : words.rules.accepts[accepted][0]}</dd>
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
  const read = useRead(["alias", id, "part", "rules"], (signal) => api.getAliasRules(id, { signal }));
  const { data } = read;
  if (data === undefined) return <Reading of={read} />;
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
