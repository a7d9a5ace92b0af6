declare const brand: unique symbol;

/** A `T` that was parsed into a `Name`. Only a parse function makes one. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
