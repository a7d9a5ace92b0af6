/** Ways to sign in without the hosted page. */
export type Flow = "USER_SRP_AUTH" | "USER_PASSWORD_AUTH" | "REFRESH_TOKEN_AUTH";

/** An app that people sign in with. All are public: none has a secret. */
export type AppClient = {
  readonly id: string;
  readonly flows: readonly Flow[];
  /** Where the hosted page may send people back to, to the letter. Without any, the client cannot use the page. */
  readonly callbacks: readonly string[];
  /**
   * Whether each refresh token is replaced when it is used. Such a client has no `REFRESH_TOKEN_AUTH`: it calls
   * `GetTokensFromRefreshToken`.
   */
  readonly rotates: boolean;
};

export type AppClients = Readonly<Record<"browser" | "commandLine" | "scripts", AppClient>>;

/** @param origins where the browser app is served */
export const appClients = (origins: readonly string[]): AppClients => ({
  browser: {
    id: "5posterntrial0browser0app0",
    flows: ["USER_SRP_AUTH"],
    callbacks: origins.flatMap((origin) => [`${origin}/signed-in`, `${origin}/`, origin]),
    rotates: true,
  },
  commandLine: {
    id: "5posterntrial0command0line",
    flows: ["USER_SRP_AUTH", "REFRESH_TOKEN_AUTH"],
    callbacks: [8976, 8977, 8978].map((port) => `http://localhost:${port}/callback`),
    rotates: false,
  },
  scripts: {
    id: "5posterntrial0scripts00000",
    flows: ["USER_PASSWORD_AUTH", "REFRESH_TOKEN_AUTH"],
    callbacks: [],
    rotates: false,
  },
});

export type Person = {
  /** The name in the pool, and the account. The same in every trial, so that people still own the stored data. */
  readonly sub: string;
  readonly email: string;
  readonly password: string;
  /** An administrator chose the password: whoever signs in with it must choose another one. */
  readonly mustChoosePassword?: boolean;
  /** The secret of an authenticator app, in base32: its code is asked for after the password. */
  readonly authenticator?: string;
};

export const PEOPLE = {
  ready: {
    sub: "5ac1a5e5-0000-4000-8000-000000000000",
    email: "demo@postern.example",
    password: "Demo-password-1",
  },
  newcomer: {
    sub: "5ac1a5e5-0000-4000-8000-000000000001",
    email: "new@postern.example",
    password: "Temporary-password-1",
    mustChoosePassword: true,
  },
  careful: {
    sub: "5ac1a5e5-0000-4000-8000-000000000002",
    email: "careful@postern.example",
    password: "Careful-password-1",
    authenticator: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  },
} as const satisfies Readonly<Record<string, Person>>;
