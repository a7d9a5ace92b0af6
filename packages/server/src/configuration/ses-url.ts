/** Amazon SES in a region, and the configuration set to send with, if any. */
export type SesUrl = { readonly region: string; readonly configurationSet: string | undefined };

const SES_URL =
  /^ses:\/\/(?<region>[a-z]{2}(?:-[a-z]+)+-\d{1,2})(?:\?configuration-set=(?<configurationSet>[\w-]{1,64}))?$/;

/** The parts of a URL such as `ses://eu-west-1?configuration-set=postern`; null for any other text. */
export const parseSesUrl = (text: string): SesUrl | null => {
  const { region, configurationSet } = SES_URL.exec(text)?.groups ?? {};
  return region === undefined ? null : { region, configurationSet };
};
