/**
 * Whether less than `length` has passed since `start`. False before `start`: a clock that was set back must not make something wait until
 * it has caught up.
 */
export const isWithin = (start: number, length: number, now: number): boolean =>
  start <= now && now < start + length;
