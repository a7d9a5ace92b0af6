import { afterAll, beforeAll, expect } from "vitest";
import { useIssuer } from "./use-issuer.ts";
import { exchange } from "./wire.ts";
import { openWorld, type World } from "./world.ts";

export type Bytes = string | Buffer;

export const join = (...pieces: readonly Bytes[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

export const JSON_TYPE = "Content-Type: application/json\r\n";

/** A body with which `POST /recipients` succeeds. */
export const GOOD = '{"recipient_email":"new@mail.example"}';

/**
 * A listening server for all tests of a file, and functions that make requests to it as bytes. Alice has one alias, with
 * one recipient. All of it exists only within hooks and tests.
 *
 * @param prepare called before the server listens
 */
export const useServer = (prepare: (world: World) => void = () => {}) => {
  const issuer = useIssuer();
  let world: World;
  let port: number;
  let token: string;
  let aliasId: string;
  let recipientId: string;
  beforeAll(async () => {
    world = await openWorld(issuer());
    recipientId = await world.recipient("first");
    aliasId = (await world.alias("shop", [recipientId])).alias_id;
    token = await issuer().token();
    prepare(world);
    port = Number(new URL(await world.api.listen({ host: "127.0.0.1", port: 0 })).port);
  });
  afterAll(() => world.api.close());

  const send = (bytes: Bytes | readonly Bytes[], options: Parameters<typeof exchange>[2] = {}) =>
    exchange(port, bytes, options);

  const auth = (): string => `Authorization: Bearer ${token}\r\n`;

  const request = (line: string, headers = "", body: Bytes = ""): Buffer =>
    join(`${line} HTTP/1.1\r\nHost: x\r\n${auth()}${headers}\r\n`, body);

  const withBody = (body: Bytes, headers = JSON_TYPE, line = "POST /recipients"): Buffer =>
    request(line, `${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`, body);

  return {
    aliasId: () => aliasId,
    recipientId: () => recipientId,
    /** Sends bytes as they are, at once or in pieces. */
    send,
    /** Alice's token as a header. */
    auth,
    /** A complete, authenticated request with these additional headers and this body. */
    request,
    /** The same with a body, JSON by default, and its length. */
    withBody,
    /** Sends something, and checks that nothing has changed and that the server still responds. */
    unchanged: async <T>(sending: () => Promise<T>): Promise<T> => {
      const before = await world.contents("alice", "bob");
      const result = await sending();
      expect(await world.contents("alice", "bob")).toEqual(before);
      const { responses } = await send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
      expect(responses).toMatchObject([{ statusCode: 200 }]);
      return result;
    },
  };
};
