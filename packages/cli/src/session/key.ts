/** Whether the text is the secret of a key, or most of one. It is not to be shown. */
export const isKey = (text: string): boolean => /^pk_[0-9A-Za-z]{20,}$/.test(text);
