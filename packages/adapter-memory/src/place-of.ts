/** A map key for something that belongs to an account. */
export const placeOf = ({ account, id }: { readonly account: string; readonly id: string }): string =>
  JSON.stringify([account, id]);
