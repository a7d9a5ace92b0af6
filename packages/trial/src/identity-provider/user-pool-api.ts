import * as z from "zod";
import type { People } from "./people.ts";
import { isRefused, type Refused, refused } from "./refused.ts";
import type { AppClient, Flow } from "./registered.ts";
import type { Outcome, SignIn } from "./sign-in.ts";
import { missing, type SrpSignIn } from "./srp-sign-in.ts";
import type { Issued, Tokens } from "./tokens.ts";

type Result = object | Refused;

/** Answers a request of Cognito's user pools API. The result is the body of the response. */
export type UserPoolApi = (operation: string, body: unknown) => Promise<Result>;

type Operation = (body: unknown) => Promise<Result>;

/** An operation whose request has this form. */
const operation =
  <Request>(form: z.ZodType<Request>, run: (request: Request) => Result | Promise<Result>): Operation =>
  async (body) => {
    const { success, data, error } = form.safeParse(body);
    return success ? run(data) : missing(error.issues[0]?.path.join(".") ?? "");
  };

const Parameters = z.record(z.string(), z.string()).default({});

const NOT_ENABLED: Readonly<Record<Flow, string>> = {
  USER_SRP_AUTH: "USER_SRP_AUTH is not enabled for the client.",
  USER_PASSWORD_AUTH: "USER_PASSWORD_AUTH flow not enabled for this client",
  REFRESH_TOKEN_AUTH: "Auth flow not enabled for this client",
};

const FLOWS: ReadonlyMap<string, Flow> = new Map([
  ["USER_SRP_AUTH", "USER_SRP_AUTH"],
  ["USER_PASSWORD_AUTH", "USER_PASSWORD_AUTH"],
  ["REFRESH_TOKEN_AUTH", "REFRESH_TOKEN_AUTH"],
  ["REFRESH_TOKEN", "REFRESH_TOKEN_AUTH"],
]);

const signedIn = ({ idToken, accessToken, expiresIn, refreshToken }: Issued): object => ({
  AuthenticationResult: {
    AccessToken: accessToken,
    ExpiresIn: expiresIn,
    IdToken: idToken,
    ...(refreshToken !== undefined && { RefreshToken: refreshToken }),
    TokenType: "Bearer",
  },
  ChallengeParameters: {},
});

/** What is said of an address: `d***@p***`. */
const masked = (email: string): string => email.replace(/^(.?)[^@]*@?(.?).*$/s, "$1***@$2***");

export const userPoolApi = ({
  clients,
  people,
  signIn,
  srpSignIn,
  tokens,
  onResetCode,
}: {
  readonly clients: readonly AppClient[];
  readonly people: People;
  readonly signIn: SignIn;
  readonly srpSignIn: SrpSignIn;
  readonly tokens: Tokens;
  readonly onResetCode: (email: string, code: string) => void;
}): UserPoolApi => {
  /** An operation of the client that the request names. */
  const clientOperation = <Request extends { readonly ClientId: string }>(
    form: z.ZodType<Request>,
    run: (client: AppClient, request: Request) => Result | Promise<Result>,
  ): Operation =>
    operation(form, (request) => {
      const client = clients.find(({ id }) => id === request.ClientId);
      return client === undefined
        ? refused("ResourceNotFoundException", `User pool client ${request.ClientId} does not exist.`)
        : run(client, request);
    });

  const respond = async (client: AppClient, outcome: Outcome): Promise<Result> => {
    if (isRefused(outcome)) return outcome;
    const { challenge, member } = outcome;
    if (challenge === "none") return signedIn(await tokens.issue(client, member));
    const attributes = JSON.stringify({ email_verified: "true", email: member.email });
    return {
      ChallengeName: challenge,
      ChallengeParameters: {
        USER_ID_FOR_SRP: member.sub,
        ...(challenge === "NEW_PASSWORD_REQUIRED" && {
          requiredAttributes: "[]",
          userAttributes: attributes,
        }),
      },
      Session: outcome.session,
    };
  };

  const renew = async (client: AppClient, refreshToken: string): Promise<Result> => {
    const renewed = await tokens.renew(client, refreshToken);
    return isRefused(renewed) ? renewed : signedIn(renewed);
  };

  const operations: ReadonlyMap<string, Operation> = new Map([
    [
      "InitiateAuth",
      clientOperation(
        z.object({ ClientId: z.string(), AuthFlow: z.string(), AuthParameters: Parameters }),
        (client, { AuthFlow, AuthParameters }) => {
          const flow = FLOWS.get(AuthFlow);
          if (flow === undefined) {
            return refused("InvalidParameterException", "Initiate Auth method not supported.");
          }
          if (!client.flows.includes(flow)) return refused("InvalidParameterException", NOT_ENABLED[flow]);
          const { USERNAME, PASSWORD, REFRESH_TOKEN } = AuthParameters;
          switch (flow) {
            case "USER_SRP_AUTH":
              return srpSignIn.begin(client, AuthParameters);
            case "USER_PASSWORD_AUTH":
              if (USERNAME === undefined) return missing("USERNAME");
              if (PASSWORD === undefined) return missing("PASSWORD");
              return respond(client, signIn.withPassword(client, USERNAME, PASSWORD));
            case "REFRESH_TOKEN_AUTH":
              return REFRESH_TOKEN === undefined ? missing("REFRESH_TOKEN") : renew(client, REFRESH_TOKEN);
          }
        },
      ),
    ],
    [
      "RespondToAuthChallenge",
      clientOperation(
        z.object({
          ClientId: z.string(),
          ChallengeName: z.string(),
          Session: z.string().optional(),
          ChallengeResponses: Parameters,
        }),
        (client, { ChallengeName, Session, ChallengeResponses }) => {
          if (ChallengeName === "PASSWORD_VERIFIER") {
            return respond(client, srpSignIn.end(client, ChallengeResponses));
          }
          if (ChallengeName !== "NEW_PASSWORD_REQUIRED" && ChallengeName !== "SOFTWARE_TOKEN_MFA") {
            return refused("InvalidParameterException", `Unknown challenge ${ChallengeName}`);
          }
          const name = ChallengeName === "NEW_PASSWORD_REQUIRED" ? "NEW_PASSWORD" : "SOFTWARE_TOKEN_MFA_CODE";
          const { USERNAME, [name]: answer } = ChallengeResponses;
          if (Session === undefined) return missing("Session");
          if (USERNAME === undefined) return missing("USERNAME");
          if (answer === undefined) return missing(name);
          return respond(client, signIn.answer(client, ChallengeName, Session, USERNAME, answer));
        },
      ),
    ],
    [
      "GetTokensFromRefreshToken",
      clientOperation(
        z.object({ ClientId: z.string(), RefreshToken: z.string() }),
        (client, { RefreshToken }) => renew(client, RefreshToken),
      ),
    ],
    [
      "RevokeToken",
      clientOperation(
        z.object({ ClientId: z.string(), Token: z.string() }),
        (client, { Token }) => tokens.revoke(client, Token) ?? {},
      ),
    ],
    [
      "GlobalSignOut",
      operation(z.object({ AccessToken: z.string() }), async ({ AccessToken }) => {
        const owner = await tokens.owner(AccessToken);
        if (isRefused(owner)) return owner;
        tokens.revokeAll(owner.member.sub);
        return {};
      }),
    ],
    [
      "GetUser",
      operation(z.object({ AccessToken: z.string() }), async ({ AccessToken }) => {
        const owner = await tokens.owner(AccessToken);
        if (isRefused(owner)) return owner;
        const { sub, email, authenticator } = owner.member;
        const attributes = { email, email_verified: "true", sub };
        return {
          UserAttributes: Object.entries(attributes).map(([Name, Value]) => ({ Name, Value })),
          ...(authenticator !== undefined && { UserMFASettingList: ["SOFTWARE_TOKEN_MFA"] }),
          Username: sub,
        };
      }),
    ],
    [
      "ForgotPassword",
      clientOperation(z.object({ ClientId: z.string(), Username: z.string() }), (_, { Username }) => {
        const member = people.find(Username);
        if (member?.mustChoosePassword) {
          return refused("NotAuthorizedException", "User password cannot be reset in the current state.");
        }
        if (member !== undefined) onResetCode(member.email, people.newResetCode(member));
        const Destination = masked(member?.email ?? Username);
        return { CodeDeliveryDetails: { AttributeName: "email", DeliveryMedium: "EMAIL", Destination } };
      }),
    ],
    [
      "ConfirmForgotPassword",
      clientOperation(
        z.object({
          ClientId: z.string(),
          Username: z.string(),
          ConfirmationCode: z.string(),
          Password: z.string(),
        }),
        (_, { Username, ConfirmationCode, Password }) =>
          people.useResetCode(Username, ConfirmationCode, Password) ?? {},
      ),
    ],
  ]);

  return async (name, body) =>
    operations.get(name)?.(body) ?? refused("UnknownOperationException", `Unknown operation ${name}`);
};
