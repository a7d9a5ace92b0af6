import { err, type Unavailable } from "@postern/core";

export const ACCOUNT = "account-1";

/** A failing call of a port. */
export const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });
