import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Icon } from "./icons.tsx";

/** Something to know about the view. A bad one is read out at once. */
export const Notice = ({
  look,
  children,
  action,
}: {
  readonly look: "bad" | "good" | "info";
  readonly children: ComponentChildren;
  readonly action?: { readonly name: string; readonly run: () => void };
}) => (
  <div class={`notice ${look}`} role={look === "bad" ? "alert" : undefined}>
    <Icon name={look === "good" ? "done" : "warning"} />
    <div>{children}</div>
    {action !== undefined && <Button onClick={action.run}>{action.name}</Button>}
  </div>
);
