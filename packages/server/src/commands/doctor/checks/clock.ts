import { type IssuerCheck, SKEW } from "@postern/adapter-http";
import { type Finding, fine, warning, wrong } from "../check.ts";

export const CLOCK = "clock";

/** In seconds. */
const NOTICEABLE = 5;

const SYNCHRONIZE =
  "Synchronize the clock of this machine (timedatectl set-ntp true, or chrony), and if it is right, that of the issuer";

/** Whether this machine's clock agrees with the issuer's, as closely as tokens require. */
export const clock = ({ clock: difference }: IssuerCheck): Finding => {
  if (difference === null) {
    return warning(
      CLOCK,
      "could not be compared: no response from the issuer gives the time",
      "Compare it yourself: timedatectl",
    );
  }
  const { from, to } = difference;
  const certain = Math.trunc(Math.max(from, 0, -to) / 1000);
  if (certain < NOTICEABLE) {
    return fine(CLOCK, `agrees with the issuer's to within ${Math.ceil(Math.max(-from, to) / 1000)} s`);
  }
  const found = `this machine's clock is ${certain} s ${from > 0 ? "ahead of" : "behind"} the issuer's`;
  if (certain < SKEW) return warning(CLOCK, found, SYNCHRONIZE);
  const consequence = from > 0 ? "tokens expire too early" : "new tokens are refused as not yet valid";
  return wrong(CLOCK, `${found}: ${consequence}`, SYNCHRONIZE);
};
