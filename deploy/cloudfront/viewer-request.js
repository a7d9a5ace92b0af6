/* Gives the page of the browser app to every path that cannot be a file. In the JavaScript of CloudFront's runtime 2.0. */

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it, by its name.
function handler(event) {
  const request = event.request;
  if (!request.uri.startsWith("/assets/") && !/\.\w+$/.test(request.uri)) request.uri = "/index.html";
  return request;
}
