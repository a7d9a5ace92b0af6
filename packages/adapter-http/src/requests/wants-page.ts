/** Whether the client is a browser that shows what it gets, judging by its `Accept` header. */
export const wantsPage = (accept = ""): boolean =>
  /\btext\/html\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
