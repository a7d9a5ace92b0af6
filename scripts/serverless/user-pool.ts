import { kept, type Resource, type Resources, ref, sub, type Value } from "./cloudformation.ts";

/** A public client, which servers know by its id when the stack is gone. */
const client = (properties: { readonly [name: string]: Value }): Resource =>
  kept({
    Type: "AWS::Cognito::UserPoolClient",
    Properties: {
      UserPoolId: ref("UserPool"),
      GenerateSecret: false,
      PreventUserExistenceErrors: "ENABLED",
      EnableTokenRevocation: true,
      // Signing out revokes no ID token.
      IdTokenValidity: 60,
      TokenValidityUnits: { IdToken: "minutes" },
      SupportedIdentityProviders: ["COGNITO"],
      ...properties,
    },
  });

/** Sign-in by SRP, which does not show the password even to Cognito, and at the hosted page, by code with PKCE. */
const onHostedPage = (...callbacks: readonly Value[]): { readonly [name: string]: Value } => ({
  ExplicitAuthFlows: ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
  AllowedOAuthFlowsUserPoolClient: true,
  AllowedOAuthFlows: ["code"],
  AllowedOAuthScopes: ["openid"],
  CallbackURLs: callbacks,
});

/** Where the command line listens for the code (docs/cli.md). */
const LOOPBACK_PORTS = [8976, 8977, 8978];

export const CLIENTS = ["BrowserClient", "CommandLineClient", "ScriptClient"] as const;

/** In what `sub` takes. */
const ISSUER_ORIGIN = "https://cognito-idp.${AWS::Region}.amazonaws.com";
export const ISSUER = `${ISSUER_ORIGIN}/\${UserPool}`;

/** The origins that the browser app calls to sign somebody in. */
export const SIGN_IN_ORIGINS = [
  ISSUER_ORIGIN,
  "https://${UserPoolDomain}.auth.${AWS::Region}.amazoncognito.com",
];

export const userPool: Resources = {
  UserPool: kept({
    Type: "AWS::Cognito::UserPool",
    Properties: {
      UserPoolName: ref("Name"),
      UsernameAttributes: ["email"],
      AutoVerifiedAttributes: ["email"],
      UsernameConfiguration: { CaseSensitive: false },
      // Otherwise anybody could have aliases.
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      Policies: { PasswordPolicy: { MinimumLength: 12 } },
      MfaConfiguration: "OPTIONAL",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: "verified_email", Priority: 1 }] },
      DeletionProtection: "ACTIVE",
    },
  }),
  UserPoolDomain: {
    Type: "AWS::Cognito::UserPoolDomain",
    Properties: { UserPoolId: ref("UserPool"), Domain: sub("${Name}-${AWS::AccountId}") },
  },
  BrowserClient: client({
    ClientName: "browser",
    ...onHostedPage(sub("https://${WebDomain}/signed-in")),
  }),
  CommandLineClient: client({
    ClientName: "command line",
    ...onHostedPage(...LOOPBACK_PORTS.map((port) => `http://localhost:${port}/callback`)),
  }),
  ScriptClient: client({
    ClientName: "scripts",
    ExplicitAuthFlows: ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
  }),
};
