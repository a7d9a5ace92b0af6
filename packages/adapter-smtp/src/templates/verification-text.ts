import type { VerificationWords } from "./verification-words.ts";

export const verificationText = (
  words: VerificationWords,
  { link, hours }: { readonly link: string; readonly hours: number },
): string => `\
${words.request}

${words.openLink}

${link}

${words.lifetime({ hours })}

${words.ignored}

${words.neverAgain}
`;
