import * as z from "zod";

/** The settings of a contender: which tokens it accepts, its rate limit, and what it stores. */
export const Setup = z.object({
  issuer: z.string(),
  audience: z.string(),
  /** Requests per minute of an account; 0 for no rate limit, and no headers of one. */
  perMinute: z.number(),
  fixture: z.object({
    accounts: z.number(),
    aliases: z.number(),
    recipients: z.number(),
    attached: z.number(),
  }),
  /** For files. */
  directory: z.string(),
  /** The file of SQLite in that directory, or the table of DynamoDB. */
  database: z.string(),
  dynamoDbEndpoint: z.string(),
  /** Of Postern's server only. */
  store: z.enum(["memory", "sqlite", "dynamodb"]),
  accessLog: z.boolean(),
  metrics: z.boolean(),
});
export type Setup = z.output<typeof Setup>;

/** The setup that `startContender` has put into the arguments of this process. */
export const readSetup = (): Setup => Setup.parse(JSON.parse(process.argv[2] ?? "null"));
