import { useEffect, useState } from "preact/hooks";

/** The seconds until a time, counted down. */
export const useSecondsLeft = (until: number): number => {
  const [now, setNow] = useState(Date.now);
  const isOver = now >= until;
  useEffect(() => {
    setNow(Date.now());
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [until, isOver]);
  return Math.max(0, Math.ceil((until - now) / 1_000));
};
