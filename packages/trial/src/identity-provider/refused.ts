/** Why a request is refused: the name of Cognito's exception, and what it says. */
export type Refused = { readonly refused: string; readonly message: string };

export const refused = (name: string, message: string): Refused => ({ refused: name, message });

/** Of a wrong password and of an unknown user, so that nobody learns who exists. */
export const INCORRECT = refused("NotAuthorizedException", "Incorrect username or password.");

export const isRefused = (result: object): result is Refused => "refused" in result;
