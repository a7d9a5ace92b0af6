import { useEffect, useState } from "preact/hooks";
import { words } from "../words/words.ts";
import { announce } from "./announcer.tsx";
import { Icon } from "./icons.tsx";

/** How long the button says that it has copied, in milliseconds. */
const SAID = 2_000;

/** Copies a text. Without a label, the button says which: the text can be an address, but no secret. */
export const Copy = ({ text, label }: { readonly text: string; readonly label?: string }) => {
  const [done, setDone] = useState<boolean | null>(null);
  useEffect(() => {
    if (done === null) return;
    const timer = setTimeout(() => setDone(null), SAID);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    // Browsers have no clipboard on pages without HTTPS.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setDone(copied ?? false);
    announce(copied ? words.common.copied : words.common.notCopied);
  };
  return (
    <button
      type="button"
      class={label === undefined ? "icon-button" : "button"}
      aria-label={label ?? words.common.copyOf(text)}
      title={done === false ? words.common.notCopied : (label ?? words.common.copy)}
      onClick={() => void copy()}
    >
      <Icon name={done === null ? "copy" : done ? "done" : "warning"} />
      {label}
    </button>
  );
};
