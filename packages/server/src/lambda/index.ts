import { functions } from "./functions.ts";

/* The program that runs on AWS Lambda, with a handler for each function. */

export const { api, events, inbound, outcomes } = functions(process.env);
