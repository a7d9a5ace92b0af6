/** A claim that the tokens of everyone who may have an account contain. */
export type RequiredClaim = {
  /** The name of a top-level claim, such as `groups`; not empty. */
  readonly name: string;
  /** The claim is this string, or an array that contains it. Compared exactly, as everywhere in RFC 7519; not empty. */
  readonly value: string;
};

/** @throws TypeError if a part is missing: an empty one would let nobody in, or everybody who has an empty group */
const checkRequired = ({ name, value }: RequiredClaim): void => {
  if (typeof name === "string" && name !== "" && typeof value === "string" && value !== "") return;
  throw new TypeError(
    'requiredClaim must have a name and a value, such as { name: "groups", value: "mail" }',
  );
};

/**
 * Whether somebody with these verified claims may have an account. Everybody may if no claim is required.
 *
 * @throws TypeError if the name or the value of the required claim is empty
 */
export const allowedBy = (required: RequiredClaim | undefined): ((claims: object) => boolean) => {
  if (required === undefined) return () => true;
  checkRequired(required);
  // Only the token's own members count, not those that every object has.
  return (claims) =>
    Object.entries(claims).some(
      ([name, claim]) =>
        name === required.name &&
        (claim === required.value || (Array.isArray(claim) && claim.includes(required.value))),
    );
};
