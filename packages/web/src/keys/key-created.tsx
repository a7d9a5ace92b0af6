import type { Schemas } from "@postern/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Select } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { words } from "../words/words.ts";
import { PROGRAMS, type Program, programsFor } from "./programs.ts";

/** Something to paste into a program. */
const Paste = ({
  name,
  text,
  copy,
}: {
  readonly name: string;
  readonly text: string;
  readonly copy: string;
}) => (
  <dl class="paste">
    <dt>{name}</dt>
    <dd class="facts">
      <code class="secret" dir="ltr">
        {text}
      </code>
      <Copy text={text} label={copy} />
    </dd>
  </dl>
);

/** The only place and time at which the secret of a key is shown. */
export const KeyCreated = ({
  created,
  address,
  domain,
  onClose,
}: {
  readonly created: Schemas["ApiKeyCreated"];
  /** Where programs use keys. */
  readonly address: string;
  /** Where aliases are unless the key says otherwise. */
  readonly domain: string;
  readonly onClose: () => void;
}) => {
  const programs = programsFor(created);
  const [program, setProgram] = useState<Program>(programs[0] ?? "other");
  const [isLeaving, setLeaving] = useState(false);
  const values = { address, domain: created.alias_domain ?? domain };
  const ref = useRef<HTMLDivElement>(null);
  // What had the focus may be gone. This is what is to be read first.
  useEffect(() => ref.current?.focus(), [isLeaving]);
  return (
    // Escape, or a click on the wrong button, would lose the secret.
    <Dialog title={words.keys.created} onClose={() => setLeaving(!isLeaving)}>
      <div ref={ref} tabIndex={-1}>
        {isLeaving ? (
          <Notice look="bad">{words.keys.leaving}</Notice>
        ) : (
          <p>
            <strong>{words.keys.once}</strong> {words.keys.onceText}
          </p>
        )}
      </div>
      {isLeaving ? (
        <footer>
          <Button onClick={() => setLeaving(false)}>{words.keys.stay}</Button>
          <Button look="danger" onClick={onClose}>
            {words.keys.leave}
          </Button>
        </footer>
      ) : (
        <>
          <Paste name={words.keys.key} text={created.secret} copy={words.keys.copyKey} />
          {programs.length > 1 && (
            <Select
              label={words.keys.program}
              value={program}
              onInput={(value) => setProgram(programs.find((each) => each === value) ?? "other")}
              options={programs.map((each) => [each, words.keys.programs[each]])}
            />
          )}
          <p>{words.keys.programTexts[program]}</p>
          {PROGRAMS[program].asks.map((asked) => (
            <Paste
              key={asked}
              name={words.keys.values[asked]}
              text={values[asked]}
              copy={words.keys.copyValue[asked]}
            />
          ))}
          <footer>
            <Button look="main" onClick={onClose}>
              {words.keys.stored}
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
};
