/** A `fetch` that records each request: its address, and all that is sent. */
export const recorded = () => {
  const requests: { readonly url: string; readonly body: string }[] = [];
  const send: typeof fetch = (url, request) => {
    requests.push({ url: String(url), body: String(request?.body ?? "") });
    return fetch(url, request);
  };
  return { requests, fetch: send };
};
