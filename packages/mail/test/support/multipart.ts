/** The type of a message or part that has several parts. */
export const multipart = (boundary: string, type: string) =>
  `Content-Type: ${type}; boundary="${boundary}"\r\n`;

/** A part of `multipart`, between lines with the boundary `b`. */
export const part = (type: string, content: string, encoding = "7bit") =>
  `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n`;

/** Parts nested this many levels deep, starting with the boundary `b0`. */
export const nested = (levels: number) => {
  const opened = Array.from(
    { length: levels },
    (_, n) => `--b${n}\r\n${multipart(`b${n + 1}`, "multipart/mixed")}\r\n`,
  );
  return `${opened.join("")}--b${levels}\r\n\r\ninnermost\r\n`;
};

export const HEADER = multipart("b", "multipart/report; report-type=delivery-status");
