import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";

/** What a listener does with a request. */
export type SesAnswer = (response: ServerResponse) => void;

const answer = (status: number, content: unknown, headers: Record<string, string> = {}): SesAnswer => {
  const body = JSON.stringify(content);
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  };
};

/** Answers as SES does: with the name of the error in a header. */
export const refuse = (status: number, name: string, message = "No."): SesAnswer =>
  answer(status, { message }, { "x-amzn-errortype": name });

export const accept: SesAnswer = answer(200, { MessageId: "0102018bcfe56800-example-000000" });

/** Never answers. */
export const hang: SesAnswer = () => {};

/** Closes the connection instead of answering. */
export const cut: SesAnswer = ({ socket }) => socket?.destroy();

export const answerText =
  (status: number, body: string): SesAnswer =>
  (response) =>
    response.writeHead(status).end(body);

export type SesMessage = {
  readonly from: string | undefined;
  readonly to: readonly string[];
  /** Who gets the bounces that SES passes on by mail. */
  readonly feedbackTo: string | undefined;
  /** The octets of the message, each as a character. */
  readonly raw: string;
  readonly configurationSet: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
};

const Outbound = z
  .strictObject({
    FromEmailAddress: z.string().optional(),
    FeedbackForwardingEmailAddress: z.string().optional(),
    Destination: z.strictObject({ ToAddresses: z.array(z.string()) }),
    Content: z.strictObject({ Raw: z.strictObject({ Data: z.base64() }) }),
    ConfigurationSetName: z.string().optional(),
    EmailTags: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).default([]),
  })
  .transform(
    (input): SesMessage => ({
      from: input.FromEmailAddress,
      to: input.Destination.ToAddresses,
      feedbackTo: input.FeedbackForwardingEmailAddress,
      raw: Buffer.from(input.Content.Raw.Data, "base64").toString("latin1"),
      configurationSet: input.ConfigurationSetName,
      tags: Object.fromEntries(input.EmailTags.map(({ Name, Value }) => [Name, Value])),
    }),
  );

/** What it says of the account, identities by name, and configuration sets by name. What is not listed does not exist. */
export type SesState = {
  readonly account: object;
  readonly identities: Readonly<Record<string, object>>;
  readonly configurationSets: Readonly<Record<string, object>>;
};

export type FakeSes = {
  /** Such as `http://127.0.0.1:4579`. */
  readonly endpoint: string;
  /** Every message that was sent to it, also those that it refused or did not answer. */
  readonly messages: readonly SesMessage[];
  /** The requests so far that are not messages, such as `GET /v2/email/account`. */
  readonly questions: readonly string[];
  /** How many connections there have been. */
  connections(): number;
  /** From now on, messages get these answers, in order, and then the last of them; `accept` at first. */
  answerWith(...answers: readonly [SesAnswer, ...SesAnswer[]]): void;
  /** From now on, all questions get this answer, instead of what follows from the state. */
  answerQuestionsWith(answer: SesAnswer): void;
  close(): void;
};

const HEALTHY: SesState = {
  account: { EnforcementStatus: "HEALTHY", ProductionAccessEnabled: true, SendingEnabled: true },
  identities: {},
  configurationSets: {},
};

/**
 * A stand-in for SES (API version 2) on loopback, which keeps what is sent with `SendEmail`, and answers what `doctor` asks. It refuses
 * what is not signed, and does not verify signatures.
 */
export const startFakeSes = async (changed: Partial<SesState> = {}): Promise<FakeSes> => {
  const state = { ...HEALTHY, ...changed };
  const messages: SesMessage[] = [];
  const questions: string[] = [];
  let answers: readonly SesAnswer[] = [accept];
  let questioned: SesAnswer | undefined;

  const about = (path: string): SesAnswer => {
    const [, , , kind, name = ""] = path.split("/").map(decodeURIComponent);
    if (kind === "account") return answer(200, state.account);
    const known = kind === "identities" ? state.identities[name] : state.configurationSets[name];
    return known === undefined ? refuse(404, "NotFoundException") : answer(200, known);
  };

  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    if (!/^AWS4-HMAC-SHA256 .*\/ses\/aws4_request/.test(headers.authorization ?? "")) {
      refuse(403, "MissingAuthenticationTokenException")(response);
    } else if (method === "POST" && url === "/v2/email/outbound-emails") {
      messages.push(Outbound.parse(JSON.parse(body)));
      const [next = accept, ...others] = answers;
      if (others.length > 0) answers = others;
      next(response);
    } else {
      questions.push(`${method} ${url}`);
      (questioned ?? about(url))(response);
    }
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");

  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    messages,
    questions,
    connections: () => connections,
    answerWith: (...next) => {
      answers = next;
    },
    answerQuestionsWith: (next) => {
      questioned = next;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
