/** What belongs to an account, as the key of a map. */
export const placeOf = ({ account, id }: { readonly account: string; readonly id: string }): string =>
  JSON.stringify([account, id]);
