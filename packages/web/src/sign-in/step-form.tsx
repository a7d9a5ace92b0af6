import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";

/** The form of a step of signing in, and what was wrong. One request at a time. */
export const StepForm = ({
  title,
  text,
  submit,
  run,
  children,
  refusal,
}: {
  readonly title: string;
  readonly text?: string | null;
  readonly submit: string;
  readonly run: () => Promise<void>;
  readonly children: ComponentChildren;
  readonly refusal: string | null;
}) => {
  const [isBusy, setBusy] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${title} – Postern`;
    ref.current?.querySelector("input")?.focus();
  }, [title]);
  return (
    <div ref={ref}>
      <Form
        label={title}
        onSubmit={async () => {
          if (isBusy) return;
          setBusy(true);
          await run();
          setBusy(false);
        }}
      >
        {text && <p>{text}</p>}
        {children}
        {refusal !== null && <Notice look="bad">{refusal}</Notice>}
        <Button look="main" busy={isBusy}>
          {submit}
        </Button>
      </Form>
    </div>
  );
};
