/** The page on which a recipient confirms (`GET /recipients/verify`), of the API reached at `publicUrl`. */
export const verificationPage = (publicUrl: string): URL => {
  const page = URL.parse(`${publicUrl.replace(/\/+$/, "")}/recipients/verify`);
  if (page === null) throw new TypeError("The public URL must look like https://postern.example");
  return page;
};

export const withToken = (page: URL, token: string): string => {
  const link = new URL(page);
  link.searchParams.set("token", token);
  return link.href;
};
