/** What an ID token says about its owner. Its signature is not checked: the server does that. Empty if the text is no token. */
export const claimsOf = (idToken: string): { readonly [claim: string]: unknown } => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());
    return typeof claims === "object" && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
};

/** What the owner of the token is called: the first of these claims that it has. */
export const nameIn = (idToken: string): string => {
  const claims = claimsOf(idToken);
  const names = ["email", "preferred_username", "name", "cognito:username", "sub"].map(
    (claim) => claims[claim],
  );
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? "unknown";
};
