/*
 * The parts of oidc-provider and better-auth that the tests use. The first has no declarations of its own; those of the second are not
 * correct with `exactOptionalPropertyTypes`.
 */

declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}

declare module "better-auth" {
  type Auth = {
    readonly api: {
      adminCreateOAuthClient(request: { headers: Headers; body: object }): Promise<{ client_id: string }>;
    };
  };
  export const betterAuth: (options: object) => Auth;
}

declare module "better-auth/adapters/memory" {
  export const memoryAdapter: (tables: Record<string, object[]>) => object;
}

declare module "better-auth/db" {
  export const getAuthTables: (options: object) => Record<string, object>;
}

declare module "better-auth/node" {
  import type { RequestListener } from "node:http";
  import type { Auth } from "better-auth";

  export const toNodeHandler: (auth: Auth) => RequestListener;
}

declare module "better-auth/plugins" {
  export const jwt: (options: object) => object;
}

declare module "@better-auth/oauth-provider" {
  export const oauthProvider: (options: {
    readonly [setting: string]: unknown;
    readonly customIdTokenClaims: (about: { readonly user: { readonly name: string } }) => object;
  }) => object;
}
