import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * For two parts that take each other's place, such as a text and the form that changes it. When the control with the focus goes, the first
 * control of the other part gets the focus, unless something else has it by then.
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
