import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * For a part that gives way to another, such as what is stored to a form that changes it. What had the focus goes with it, so the first
 * control of the other gets it. Whoever has gone elsewhere meanwhile stays there.
 *
 * @param isOther which of the two is shown
 * @returns for the element around both
 */
export const useKeptFocus = <T extends HTMLElement>(isOther: boolean) => {
  const around = useRef<T>(null);
  const before = useRef(isOther);
  useLayoutEffect(() => {
    if (before.current === isOther) return;
    before.current = isOther;
    const first = around.current?.querySelector("input, textarea, button");
    if (document.activeElement === document.body && first instanceof HTMLElement) first.focus();
  }, [isOther]);
  return around;
};
