import type { Words } from "@postern/core/words";
import type { Slots } from "./verification-html.ts";

export const verificationText = (
  words: Words["message"],
  { service: { name, url }, link, hours }: Slots,
): string => `\
${words.request(name)}

${words.openLink}

${link}

${words.lifetime(hours)}

${words.ignored}

${words.neverAgain}
${url === undefined ? "" : `\n${name}\n${url}\n`}`;
