/** The verification page (`GET /recipients/verify`) of the API at `publicUrl`. */
export const verificationPage = (publicUrl: string): URL => {
  const page = URL.parse(`${publicUrl.replace(/\/+$/, "")}/recipients/verify`);
  if (page === null) throw new TypeError("publicUrl must look like https://postern.example.com");
  return page;
};

export const withToken = (page: URL, token: string): string => {
  const link = new URL(page);
  link.searchParams.set("token", token);
  return link.href;
};
