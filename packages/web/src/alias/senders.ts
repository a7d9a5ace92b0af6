/** The senders in a text that somebody has typed: one on each line, or otherwise apart. */
export const sendersIn = (text: string): readonly string[] =>
  text
    .split(/[\s,;]+/)
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** As the API stores it: in lower case, and in ASCII. */
const asStored = (sender: string): string => {
  const at = sender.lastIndexOf("@") + 1;
  const domain = `http://${sender.slice(at)}`;
  return (
    sender.slice(0, at) + (URL.canParse(domain) ? new URL(domain).hostname : sender.slice(at))
  ).toLowerCase();
};

/** Whether an author is a listed sender: an address, or a domain with its subdomains. */
export const isListed = (email: string, senders: readonly string[]): boolean =>
  senders
    .map(asStored)
    .some((sender) =>
      sender.includes("@")
        ? sender === email.toLowerCase()
        : `.${email.slice(email.lastIndexOf("@") + 1)}`.endsWith(`.${sender}`),
    );
