import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { Router } from "cognito-local/lib/server/Router.js";
import { createServer } from "cognito-local/lib/server/server.js";
import { DateClock } from "cognito-local/lib/services/clock.js";
import { CognitoServiceFactoryImpl } from "cognito-local/lib/services/cognitoService.js";
import { StormDBDataStoreFactory } from "cognito-local/lib/services/dataStore/stormDb.js";
import { JwtTokenGenerator } from "cognito-local/lib/services/tokenGenerator.js";
import { UserPoolServiceFactoryImpl } from "cognito-local/lib/services/userPoolService.js";
import { pino } from "pino";
import { freePort } from "./free-port.ts";

const POOL = "us-east-1_PosternTr";

export type IdentityProvider = {
  readonly url: string;
  readonly issuer: string;
  readonly client: string;
  readonly user: { readonly email: string; readonly password: string };
};

/**
 * A stand-in for an identity provider: cognito-local with one pool, one public app client and one user. Its signing key is
 * published in its npm package, so its tokens prove nothing. It runs until the process ends.
 */
export const startIdentityProvider = async (directory: string): Promise<IdentityProvider> => {
  const client = "5posterntrial0demo0client0";
  const user = { email: "demo@postern.example", password: "Demo-password-1" };
  const port = await freePort(9229);
  const url = `http://127.0.0.1:${port}`;

  const logger = pino({ level: "silent" });
  const context = { logger };
  const clock = new DateClock();
  const stores = new StormDBDataStoreFactory(directory);
  const poolDefaults = { UsernameAttributes: ["email"] };
  const cognito = await new CognitoServiceFactoryImpl(
    directory,
    stores,
    new UserPoolServiceFactoryImpl(clock, stores),
  ).create(context, poolDefaults);

  await cognito.createUserPool(context, { Id: POOL });
  const pool = await cognito.getUserPool(context, POOL);
  const now = clock.get();
  await pool.saveAppClient(context, {
    UserPoolId: POOL,
    ClientId: client,
    ClientName: "Postern trial",
    ExplicitAuthFlows: ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    CreationDate: now,
    LastModifiedDate: now,
  });
  // The same in every trial, so that the user still owns the stored data.
  const sub = "5ac1a5e5-0000-4000-8000-000000000000";
  await pool.saveUser(context, {
    Username: sub,
    Password: user.password,
    Attributes: [
      { Name: "sub", Value: sub },
      { Name: "email", Value: user.email },
      { Name: "email_verified", Value: "true" },
    ],
    Enabled: true,
    UserStatus: "CONFIRMED",
    RefreshTokens: [],
    UserCreateDate: now,
    UserLastModifiedDate: now,
  });

  // The pool calls no Lambda functions and sends no messages.
  const triggers = { enabled: () => false };
  const services = {
    clock,
    cognito,
    triggers,
    tokenGenerator: new JwtTokenGenerator(clock, triggers, { IssuerDomain: url }),
    config: { UserPoolDefaults: poolDefaults },
    messages: { deliver: async () => {} },
    otp: () => "000000",
  };
  const { application } = createServer(Router(services), logger, {}, services);
  const server = createHttpServer(application).listen(port, "127.0.0.1");
  await once(server, "listening");

  return { url, issuer: `${url}/${POOL}`, client, user };
};
