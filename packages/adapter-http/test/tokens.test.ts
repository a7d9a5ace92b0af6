import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signWith,
} from "node:crypto";
import { memoryStore } from "@postern/adapter-memory";
import { exportJWK, exportSPKI } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CompletedResponse, Observer, TokenRefusal } from "../src/index.ts";
import { AUDIENCE } from "./support/issuer.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { watched } from "./support/watched-store.ts";
import { exchange, type WireResponse } from "./support/wire.ts";
import { openWorld, type World } from "./support/world.ts";

/*
 * All kinds of tokens, sent over a socket to a listening server. The request is always the same: a POST whose body is
 * declared but never sent, so any response shows that the server did not wait for it.
 */

/** A key pair for each other algorithm, and keys that must not be used, as an issuer publishes them. */
const newKeys = () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ed = generateKeyPairSync("ed25519");
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const k256 = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
  const jwk = ({ publicKey }: { readonly publicKey: KeyObject }, kid: string, members: object = {}) => ({
    ...publicKey.export({ format: "jwk" }),
    kid,
    ...members,
  });
  return {
    rsa: rsa.privateKey,
    ec: ec.privateKey,
    ed: ed.privateKey,
    p384: p384.privateKey,
    k256: k256.privateKey,
    published: [
      jwk(ec, "ec", { use: "sig", alg: "ES256" }),
      jwk(ed, "ed", { use: "sig", alg: "EdDSA", key_ops: ["verify"] }),
      jwk(rsa, "shared"),
      jwk(ec, "shared"),
      jwk(ed, "shared"),
      jwk(rsa, "rsa-enc", { use: "enc" }),
      jwk(ec, "ec-enc", { use: "enc", alg: "ECDH-ES" }),
      jwk(ec, "ec-derives", { key_ops: ["deriveBits"] }),
      jwk(ed, "ed-signs", { key_ops: ["sign"] }),
      jwk(rsa, "rsa-pss", { alg: "PS256" }),
      jwk(ec, "ec-named-es384", { alg: "ES384" }),
      jwk(ec, "ec-named-rs256", { alg: "RS256" }),
      jwk(ed, "ed-named-es256", { alg: "ES256" }),
      jwk(p384, "p384", { alg: "ES256" }),
      jwk(p384, "p384-named-p256", { crv: "P-256" }),
      jwk(k256, "k256"),
      jwk(ed, "ed-named-x25519", { crv: "X25519" }),
      { kty: "oct", kid: "oct", k: "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA", alg: "HS256" },
      { kty: "EC", kid: "not-on-the-curve", crv: "P-256", x: jwk(ec, "").x, y: jwk(ec, "").x },
      "not a key",
      null,
    ],
  };
};
const otherKeys = newKeys();
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const strangers = {
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  ed: generateKeyPairSync("ed25519").privateKey,
};

const issuer = useIssuer();
let world: World;
let port: number;
const store = watched(memoryStore());
/** Why each request was refused, as reported to its observer. */
const refusals: CompletedResponse["refusal"][] = [];
beforeAll(async () => {
  const observer: Observer = () => ({
    within: (handle) => handle(),
    answered: ({ refusal }) => void refusals.push(refusal),
  });
  issuer().publish(...otherKeys.published);
  world = await openWorld(issuer(), { store: store.store, observer });
  port = Number(new URL(await world.api.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(() => world.api.close());

const send = async (headerLines: string | Buffer, target = "/v1/recipients"): Promise<WireResponse> => {
  const { responses } = await exchange(port, [
    Buffer.concat([
      Buffer.from(`POST ${target} HTTP/1.1\r\nHost: x\r\nX-Request-Id: the-same\r\n`),
      Buffer.from(headerLines),
      Buffer.from("Content-Type: application/json\r\nContent-Length: 36\r\n\r\n"),
    ]),
  ]);
  const [response] = responses;
  if (response === undefined) throw new Error("There was no response");
  return response;
};

type Json = { readonly [name: string]: unknown };
const base64url = (part: Json | string | Buffer): string =>
  Buffer.from(Buffer.isBuffer(part) || typeof part === "string" ? part : JSON.stringify(part)).toString(
    "base64url",
  );

const HEADER = { alg: "RS256", kid: "key-1", typ: "JWT" };
const claims = (changed: Json = {}): Json => ({ ...issuer().goodClaims(), ...changed });
const without = (name: string): Json => claims({ [name]: undefined });
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Any header and payload, with a real signature: by the issuer's key by default. */
const signed = (
  header: Json | string | Buffer,
  payload: Json | string | Buffer,
  { key = issuer().privateKey, hash = "sha256" }: { key?: KeyObject; hash?: string | null } = {},
): string => {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${signWith(hash, Buffer.from(input), key).toString("base64url")}`;
};
const good = (): string => signed(HEADER, claims());
const withHeader = (changed: Json): string => signed({ ...HEADER, ...changed }, claims());
const withClaims = (changed: Json): string => signed(HEADER, claims(changed));
/** A payload with a value that `JSON.stringify` would not write. */
const withText = (name: string, text: string): string =>
  signed(HEADER, JSON.stringify(claims({ [name]: "HERE" })).replace('"HERE"', text));
const parts = (): [string, string, string] => {
  const [header = "", payload = "", signature = ""] = good().split(".");
  return [header, payload, signature];
};
const hmac = (alg: string, hash: string, secret: string | Buffer): string => {
  const input = `${base64url({ ...HEADER, alg })}.${base64url(claims())}`;
  return `${input}.${createHmac(hash, secret).update(input).digest("base64url")}`;
};
/** The token with one bit of its signature flipped, in the byte at `at`. */
const flipped = (at: number): string => {
  const [header, payload, signature] = parts();
  const bytes = Buffer.from(signature, "base64url");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return `${header}.${payload}.${bytes.toString("base64url")}`;
};
const unsigned = (alg: string, signature = ""): string =>
  `${base64url({ alg, kid: "key-1" })}.${base64url(claims())}.${signature}`;
const bearer = (token: string): string => `Authorization: Bearer ${token}\r\n`;

type Status = 401 | 415 | 431 | "in";
/** A description; the expected outcome ("in": the request is authenticated); the token. */
type Case = readonly [name: string, expected: Status, token: () => string | Promise<string>];

const algorithms: readonly Case[] = [
  ["alg none, no signature", 401, () => unsigned("none")],
  ["alg None", 401, () => unsigned("None")],
  ["alg NONE", 401, () => unsigned("NONE")],
  ["alg nOnE", 401, () => unsigned("nOnE")],
  ["alg none and a signature", 401, () => unsigned("none", parts()[2])],
  ["alg none with a valid signature", 401, () => withHeader({ alg: "none" })],
  [
    "HS256 by the public key as PEM",
    401,
    async () => hmac("HS256", "sha256", await exportSPKI(issuer().publicKey)),
  ],
  [
    "HS256 by the public key as JWK",
    401,
    async () => hmac("HS256", "sha256", JSON.stringify(await exportJWK(issuer().publicKey))),
  ],
  [
    "HS256 by the modulus",
    401,
    async () =>
      hmac("HS256", "sha256", Buffer.from((await exportJWK(issuer().publicKey)).n ?? "", "base64url")),
  ],
  ["HS256 with an empty key", 401, () => hmac("HS256", "sha256", "")],
  ["HS384 by the public key", 401, async () => hmac("HS384", "sha384", await exportSPKI(issuer().publicKey))],
  ["HS512 by the public key", 401, async () => hmac("HS512", "sha512", await exportSPKI(issuer().publicKey))],
  ["RS384", 401, () => signed({ ...HEADER, alg: "RS384" }, claims(), { hash: "sha384" })],
  ["RS512", 401, () => signed({ ...HEADER, alg: "RS512" }, claims(), { hash: "sha512" })],
  ["RS256 that is named RS512", 401, () => withHeader({ alg: "RS512" })],
  ["RS512 that is named RS256", 401, () => signed(HEADER, claims(), { hash: "sha512" })],
  ["PS256", 401, () => withHeader({ alg: "PS256" })],
  [
    "ES256",
    401,
    () =>
      signed({ ...HEADER, alg: "ES256" }, claims(), {
        key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
      }),
  ],
  [
    "EdDSA",
    401,
    () =>
      signed({ ...HEADER, alg: "EdDSA" }, claims(), {
        key: generateKeyPairSync("ed25519").privateKey,
        hash: null,
      }),
  ],
  ["rs256 in lower case", 401, () => withHeader({ alg: "rs256" })],
  ["no alg", 401, () => withHeader({ alg: undefined })],
  ["alg null", 401, () => withHeader({ alg: null })],
  ["alg as a list", 401, () => withHeader({ alg: ["RS256"] })],
  ["alg empty", 401, () => withHeader({ alg: "" })],
];

/** A token that names this algorithm and key, with what `sign` makes of it. */
const made = (
  alg: string,
  kid: string,
  sign: (input: Buffer) => Buffer,
  payload: Json = claims(),
): string => {
  const input = `${base64url({ alg, kid })}.${base64url(payload)}`;
  return `${input}.${sign(Buffer.from(input)).toString("base64url")}`;
};
const byRsa = (input: Buffer, key = otherKeys.rsa): Buffer => signWith("sha256", input, key);
/** As JWS has it: two numbers of 32 octets. */
const byEc = (input: Buffer, key = otherKeys.ec): Buffer =>
  signWith("sha256", input, { key, dsaEncoding: "ieee-p1363" });
const byEd = (input: Buffer, key = otherKeys.ed): Buffer => signWith(null, input, key);
const ZEROS = Buffer.alloc(32);
/** The order of the group of P-256, and that of Ed25519 in little-endian order. */
const P256_ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const fromLittleEndian = (bytes: Buffer): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const toLittleEndian = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse();

/** What each algorithm's key is called, and how it signs. */
const SIGNERS = [
  ["RS256", "key-1", (input: Buffer) => byRsa(input, issuer().privateKey), byRsa],
  ["ES256", "ec", byEc, byEc],
  ["EdDSA", "ed", byEd, byEd],
] as const;

/** Only an algorithm, a key id and a signature that belong together are accepted. */
const combinations: readonly Case[] = SIGNERS.flatMap(([alg]) =>
  SIGNERS.flatMap(([by, kid]) =>
    SIGNERS.map(([signer, , sign]): Case => {
      const expected = alg === by && by === signer ? "in" : 401;
      return [
        `${alg} with the id of the key for ${by}, by that for ${signer}`,
        expected,
        () => made(alg, kid, sign),
      ];
    }),
  ),
);
const combinationsOfOneId: readonly Case[] = SIGNERS.flatMap(([alg]) =>
  SIGNERS.map(([signer, , , sign]): Case => {
    const expected = alg === signer ? "in" : 401;
    return [
      `${alg}, by the key for ${signer} of three with one id`,
      expected,
      () => made(alg, "shared", sign),
    ];
  }),
);

const otherAlgorithms: readonly Case[] = [
  ...combinations,
  ...combinationsOfOneId,
  ["none with the kid of an EC key", 401, () => made("none", "ec", () => Buffer.alloc(0))],
  [
    "HS256 by the EC key as PEM",
    401,
    () => {
      const pem = createPublicKey(otherKeys.ec).export({ format: "pem", type: "spki" });
      return made("HS256", "ec", (input) => createHmac("sha256", pem).update(input).digest());
    },
  ],
  [
    "HS256 by the OKP key's 32 octets",
    401,
    () => {
      const { x = "" } = otherKeys.ed.export({ format: "jwk" });
      return made("HS256", "ed", (input) =>
        createHmac("sha256", Buffer.from(x, "base64url")).update(input).digest(),
      );
    },
  ],
  [
    "HS256 by a symmetric key in the JWKS",
    401,
    () =>
      made("HS256", "oct", (input) =>
        createHmac("sha256", "secret-secret-secret-secret-secret").update(input).digest(),
      ),
  ],
  ["es256 in lower case", 401, () => made("es256", "ec", byEc)],
  ["eddsa in lower case", 401, () => made("eddsa", "ed", byEd)],
  ["EDDSA in upper case", 401, () => made("EDDSA", "ed", byEd)],
  ["Ed25519, which is another name", 401, () => made("Ed25519", "ed", byEd)],
  ["ES256 with a space", 401, () => made("ES256 ", "ec", byEc)],
  ["ES384 by a key on P-256", 401, () => made("ES384", "ec", byEc)],
  ["ES256 by a key on P-384", 401, () => made("ES256", "p384", (input) => byEc(input, otherKeys.p384))],
  [
    "ES256 by a key on P-384 that is published as P-256",
    401,
    () => made("ES256", "p384-named-p256", (input) => byEc(input, otherKeys.p384)),
  ],
  ["ES256K", 401, () => made("ES256K", "k256", (input) => byEc(input, otherKeys.k256))],
  ["ES256 by a key on secp256k1", 401, () => made("ES256", "k256", (input) => byEc(input, otherKeys.k256))],
  ["an RSA key for encryption", 401, () => made("RS256", "rsa-enc", byRsa)],
  ["an EC key for encryption", 401, () => made("ES256", "ec-enc", byEc)],
  ["an EC key for key agreement", 401, () => made("ES256", "ec-derives", byEc)],
  ["an OKP key that is not for verification", 401, () => made("EdDSA", "ed-signs", byEd)],
  ["an RSA key for PS256", 401, () => made("RS256", "rsa-pss", byRsa)],
  ["an EC key for ES384", 401, () => made("ES256", "ec-named-es384", byEc)],
  ["an EC key for RS256", 401, () => made("RS256", "ec-named-rs256", byEc)],
  ["an OKP key for ES256", 401, () => made("ES256", "ed-named-es256", byEd)],
  ["an OKP key on another curve", 401, () => made("EdDSA", "ed-named-x25519", byEd)],
  ["a point that is not on the curve", 401, () => made("ES256", "not-on-the-curve", byEc)],
  ["ES256 by a stranger", 401, () => made("ES256", "ec", (input) => byEc(input, strangers.ec))],
  ["EdDSA by a stranger", 401, () => made("EdDSA", "ed", (input) => byEd(input, strangers.ed))],
  [
    "ES256 by a stranger who brings the key",
    401,
    () => {
      const jwk = createPublicKey(strangers.ec).export({ format: "jwk" });
      const input = `${base64url({ alg: "ES256", kid: "ec", jwk })}.${base64url(claims())}`;
      return `${input}.${byEc(Buffer.from(input), strangers.ec).toString("base64url")}`;
    },
  ],
  ["ES256 in DER", 401, () => made("ES256", "ec", (input) => signWith("sha256", input, otherKeys.ec))],
  [
    "ES256 by ECDSA with SHA-384",
    401,
    () =>
      made("ES256", "ec", (input) =>
        signWith("sha384", input, { key: otherKeys.ec, dsaEncoding: "ieee-p1363" }),
      ),
  ],
  [
    "ES256 with an r of zero",
    401,
    () => made("ES256", "ec", (input) => Buffer.concat([ZEROS, byEc(input).subarray(32)])),
  ],
  [
    "ES256 with an s of zero",
    401,
    () => made("ES256", "ec", (input) => Buffer.concat([byEc(input).subarray(0, 32), ZEROS])),
  ],
  ["ES256 of zeros", 401, () => made("ES256", "ec", () => Buffer.alloc(64))],
  [
    "ES256 with the order of the group as r and s",
    401,
    () => made("ES256", "ec", () => Buffer.concat([P256_ORDER, P256_ORDER])),
  ],
  [
    "ES256 with r and s swapped",
    401,
    () =>
      made("ES256", "ec", (input) => Buffer.concat([byEc(input).subarray(32), byEc(input).subarray(0, 32)])),
  ],
  ["ES256 of 63 octets", 401, () => made("ES256", "ec", (input) => byEc(input).subarray(0, 63))],
  [
    "ES256 of 65 octets",
    401,
    () => made("ES256", "ec", (input) => Buffer.concat([byEc(input), Buffer.alloc(1)])),
  ],
  [
    "ES256 of 66 octets, each number with a zero before it",
    401,
    () =>
      made("ES256", "ec", (input) => {
        const zero = Buffer.alloc(1);
        const signature = byEc(input);
        return Buffer.concat([zero, signature.subarray(0, 32), zero, signature.subarray(32)]);
      }),
  ],
  ["EdDSA of zeros", 401, () => made("EdDSA", "ed", () => Buffer.alloc(64))],
  ["EdDSA of 63 octets", 401, () => made("EdDSA", "ed", (input) => byEd(input).subarray(0, 63))],
  [
    "EdDSA of 65 octets",
    401,
    () => made("EdDSA", "ed", (input) => Buffer.concat([byEd(input), Buffer.alloc(1)])),
  ],
  [
    "EdDSA of a hash",
    401,
    () => made("EdDSA", "ed", (input) => byEd(createHash("sha512").update(input).digest())),
  ],
  [
    "EdDSA with a number beyond the order of the group",
    401,
    () =>
      made("EdDSA", "ed", (input) => {
        const signature = byEd(input);
        const s = fromLittleEndian(signature.subarray(32)) + ED25519_ORDER;
        return Buffer.concat([signature.subarray(0, 32), toLittleEndian(s)]);
      }),
  ],
  ["ES256 of another payload", 401, () => made("ES256", "ec", () => byEc(Buffer.from("another")))],
  [
    "ES256 and crit",
    401,
    () => {
      const input = `${base64url({ alg: "ES256", kid: "ec", crit: ["exp"] })}.${base64url(claims())}`;
      return `${input}.${byEc(Buffer.from(input)).toString("base64url")}`;
    },
  ],
  [
    "ES256 with alg twice",
    401,
    () => {
      const input = `${base64url('{"alg":"RS256","alg":"ES256","kid":"ec"}')}.${base64url(claims())}`;
      return `${input}.${byEc(Buffer.from(input)).toString("base64url")}`;
    },
  ],
];

const keys: readonly Case[] = [
  ["no kid", 401, () => withHeader({ kid: undefined })],
  ["an empty kid", 401, () => withHeader({ kid: "" })],
  ["an unknown kid", 401, () => withHeader({ kid: "key-2" })],
  ["a traversing kid", 401, () => withHeader({ kid: "../../../../dev/null" })],
  ["a kid that is a URL", 401, () => withHeader({ kid: issuer().jwksUri })],
  ["a kid that is SQL", 401, () => withHeader({ kid: "x' UNION SELECT 'key-1" })],
  ["kid __proto__", 401, () => withHeader({ kid: "__proto__" })],
  ["a numeric kid", 401, () => withHeader({ kid: 1 })],
  ["kid null", 401, () => withHeader({ kid: null })],
  ["a kid in a list", 401, () => withHeader({ kid: ["key-1"] })],
  ["a huge kid", 401, () => withHeader({ kid: "k".repeat(4096) })],
  ["a kid with NUL at its end", 401, () => withHeader({ kid: "key-1\0" })],
  ["the kid in upper case", 401, () => withHeader({ kid: "KEY-1" })],
  ["another key under the same kid", 401, () => signed(HEADER, claims(), { key: stranger.privateKey })],
  ["jku, signed by the issuer", 401, () => withHeader({ jku: issuer().jwksUri })],
  [
    "jku of an attacker, signed by the attacker",
    401,
    () => signed({ ...HEADER, jku: "http://127.0.0.1:1/keys" }, claims(), { key: stranger.privateKey }),
  ],
  [
    "jwk of an attacker, signed by the attacker",
    401,
    () =>
      signed({ ...HEADER, jwk: stranger.publicKey.export({ format: "jwk" }) }, claims(), {
        key: stranger.privateKey,
      }),
  ],
  [
    "jwk and no kid",
    401,
    () =>
      signed({ alg: "RS256", jwk: stranger.publicKey.export({ format: "jwk" }) }, claims(), {
        key: stranger.privateKey,
      }),
  ],
  ["x5u", 401, () => withHeader({ x5u: "https://issuer.example/certificate" })],
  ["x5c", 401, () => withHeader({ x5c: ["MIIB"] })],
  ["x5t, which refers to a key without containing one", "in", () => withHeader({ x5t: "dGh1bWI" })],
];

const signatures: readonly Case[] = [
  ["no signature", 401, () => parts().slice(0, 2).join(".")],
  ["an empty signature", 401, () => `${parts()[0]}.${parts()[1]}.`],
  ["the first bit of the signature flipped", 401, () => flipped(0)],
  ["a bit in its middle flipped", 401, () => flipped(128)],
  ["its last bit flipped", 401, () => flipped(255)],
  [
    "a signature of zeros",
    401,
    () => `${parts()[0]}.${parts()[1]}.${Buffer.alloc(256).toString("base64url")}`,
  ],
  ["a signature cut short", 401, () => good().slice(0, -4)],
  ["a signature with an additional byte", 401, () => `${good()}AA`],
  [
    "the signature of another payload",
    401,
    () => `${parts()[0]}.${base64url(claims({ sub: "bob" }))}.${parts()[2]}`,
  ],
  [
    "the signature of another header",
    401,
    () => `${base64url({ ...HEADER, extra: 1 })}.${parts()[1]}.${parts()[2]}`,
  ],
  // Of the 6 bits in the last of the 342 characters, only 2 are significant.
  [
    "unused bits of the last character set",
    401,
    () => good().replace(/.$/, (last) => ({ A: "B", Q: "R", g: "h", w: "x" })[last] ?? "!"),
  ],
];

const encodings: readonly Case[] = [
  ["padding at the end", 401, () => `${good()}==`],
  ["padding after the header", 401, () => good().replace(".", "=.")],
  [
    "standard base64",
    401,
    () => {
      const [header, payload, signature] = parts();
      return `${header}.${payload}.${signature.replaceAll("-", "+").replaceAll("_", "/")}+/`;
    },
  ],
  ["percent-encoded dots", 401, () => good().replaceAll(".", "%2E")],
  ["a space inside", 401, () => good().replace(".", ". ")],
  ["a tab inside", 401, () => good().replace(".", ".\t")],
  [
    "a line break in the header's base64",
    401,
    () => `${base64url(`${JSON.stringify(HEADER)}\n`).slice(0, 8)} ${good().slice(8)}`,
  ],
  ["characters beyond ASCII", 401, () => good().replace(".", ".\u00e9")],
  ["a BOM before the header", 401, () => signed(`\ufeff${JSON.stringify(HEADER)}`, claims())],
  ["a BOM before the payload", 401, () => signed(HEADER, `\ufeff${JSON.stringify(claims())}`)],
  [
    "invalid UTF-8 in the header",
    401,
    () => signed(Buffer.from(JSON.stringify({ ...HEADER, x: "\u00ff" }), "latin1"), claims()),
  ],
  [
    "invalid UTF-8 in the payload",
    401,
    () => signed(HEADER, Buffer.from(JSON.stringify(claims({ name: "\u00ff" })), "latin1")),
  ],
  [
    "overlong UTF-8 in the payload",
    401,
    () =>
      signed(
        HEADER,
        Buffer.concat([
          Buffer.from(JSON.stringify(claims()).replace(/\}$/, ',"x":"')),
          Buffer.from([0xc0, 0xaf]),
          Buffer.from('"}'),
        ]),
      ),
  ],
  ["a payload in UTF-16", 401, () => signed(HEADER, Buffer.from(JSON.stringify(claims()), "utf16le"))],
  ["a claim twice", 401, () => signed(HEADER, JSON.stringify(claims()).replace(/\}$/, ',"sub":"bob"}'))],
  [
    "a claim twice with one value",
    401,
    () => signed(HEADER, JSON.stringify(claims()).replace(/\}$/, ',"sub":"alice"}')),
  ],
  [
    "a claim twice, one of them escaped",
    401,
    () => signed(HEADER, JSON.stringify(claims()).replace(/\}$/, ',"\\u0073ub":"alice"}')),
  ],
  ["a claim twice inside another", 401, () => withText("address", '{"a":1,"a":2}')],
  ["aud twice", 401, () => signed(HEADER, JSON.stringify(claims()).replace("{", '{"aud":"another",'))],
  ["exp twice", 401, () => signed(HEADER, JSON.stringify(claims()).replace("{", '{"exp":1,'))],
  ["alg twice", 401, () => signed('{"alg":"none","alg":"RS256","kid":"key-1"}', claims())],
  ["kid twice", 401, () => signed('{"alg":"RS256","kid":"key-2","kid":"key-1"}', claims())],
  ["equal names in different objects", "in", () => withText("address", '{"sub":"x","aud":["sub:","sub"]}')],
  ["a header that is not JSON", 401, () => signed("{", claims())],
  ["a header that is a list", 401, () => signed('["RS256"]', claims())],
  ["a header that is null", 401, () => signed("null", claims())],
  ["a payload that is not JSON", 401, () => signed(HEADER, "{")],
  ["a payload that is a list", 401, () => signed(HEADER, "[]")],
  ["a payload that is null", 401, () => signed(HEADER, "null")],
  ["a payload that is text", 401, () => signed(HEADER, '"alice"')],
  ["a payload with something after it", 401, () => signed(HEADER, `${JSON.stringify(claims())}{}`)],
  ["a payload with NUL after it", 401, () => signed(HEADER, `${JSON.stringify(claims())}\0`)],
  ["white space around the payload", "in", () => signed(HEADER, ` ${JSON.stringify(claims())}\n`)],
  ["__proto__ as a claim", "in", () => withText("name", '"x","__proto__":{"sub":"bob"}')],
];

const forms: readonly Case[] = [
  ["text", 401, () => "hello"],
  ["one part", 401, () => parts()[1]],
  ["two parts", 401, () => "a.b"],
  ["four parts", 401, () => `${good()}.AA`],
  ["five parts, encrypted", 401, () => `${base64url({ alg: "RSA-OAEP", enc: "A256GCM" })}.AA.AA.AA.AA`],
  ["an empty header", 401, () => `.${parts()[1]}.${parts()[2]}`],
  ["an empty payload", 401, () => signed(HEADER, "")],
  ["dots only", 401, () => ".."],
  ["a token in a token", 401, () => signed({ ...HEADER, cty: "JWT" }, good())],
  ["cty and claims", 401, () => withHeader({ cty: "JWT" })],
  ["enc in the header", 401, () => withHeader({ enc: "A256GCM" })],
  ["zip", 401, () => withHeader({ zip: "DEF" })],
  ["an unknown crit", 401, () => withHeader({ crit: ["http://example/x"], "http://example/x": 1 })],
  ["a crit with a known claim", 401, () => withHeader({ crit: ["exp"] })],
  ["an empty crit", 401, () => withHeader({ crit: [] })],
  ["crit null", 401, () => withHeader({ crit: null })],
  ["b64 false", 401, () => withHeader({ b64: false, crit: ["b64"] })],
  ["JSON serialization", 401, () => JSON.stringify({ payload: parts()[1], signature: parts()[2] })],
  ["over 8 KiB", 401, () => withClaims({ padding: "x".repeat(8 * 1024) })],
  ["typ at+jwt", 401, () => withHeader({ typ: "at+jwt" })],
  ["typ application/at+jwt", 401, () => withHeader({ typ: "application/at+jwt" })],
  ["typ logout+jwt", 401, () => withHeader({ typ: "logout+jwt" })],
  ["typ that is not text", 401, () => withHeader({ typ: 7 })],
  ["no typ", "in", () => withHeader({ typ: undefined })],
  ["typ jwt in lower case", "in", () => withHeader({ typ: "jwt" })],
];

const claimCases: readonly Case[] = [
  ["another issuer", 401, () => withClaims({ iss: "https://issuer.example/other" })],
  ["no iss", 401, () => signed(HEADER, without("iss"))],
  ["iss null", 401, () => withClaims({ iss: null })],
  ["iss as a list", 401, () => withClaims({ iss: [issuer().name] })],
  ["iss as a number", 401, () => withClaims({ iss: 1 })],
  ["iss with an additional slash", 401, () => withClaims({ iss: `${issuer().name}/` })],
  ["iss on http", 401, () => withClaims({ iss: issuer().name.replace("https", "http") })],
  ["iss in upper case", 401, () => withClaims({ iss: issuer().name.toUpperCase() })],
  ["iss with a look-alike letter", 401, () => withClaims({ iss: issuer().name.replace("i", "\u0456") })],
  ["iss that begins like the issuer", 401, () => withClaims({ iss: `${issuer().name}.evil.example` })],
  ["iss with a space", 401, () => withClaims({ iss: `${issuer().name} ` })],
  ["another client's aud", 401, () => withClaims({ aud: "another-client" })],
  ["no aud, as in access tokens", 401, () => signed(HEADER, without("aud"))],
  ["no aud but a client_id", 401, () => signed(HEADER, { ...without("aud"), client_id: AUDIENCE })],
  ["aud null", 401, () => withClaims({ aud: null })],
  ["aud empty", 401, () => withClaims({ aud: "" })],
  ["aud as an empty list", 401, () => withClaims({ aud: [] })],
  ["aud as a list of strangers", 401, () => withClaims({ aud: ["another", "third"], azp: AUDIENCE })],
  ["aud as a list of the client and a stranger", 401, () => withClaims({ aud: [AUDIENCE, "another"] })],
  ["aud as a list of the client, twice", 401, () => withClaims({ aud: [AUDIENCE, AUDIENCE] })],
  ["aud as a list with a number", 401, () => withClaims({ aud: [AUDIENCE, 1], azp: AUDIENCE })],
  ["aud as a list with null", 401, () => withClaims({ aud: [AUDIENCE, null], azp: AUDIENCE })],
  ["aud as a list in a list", 401, () => withClaims({ aud: [[AUDIENCE]] })],
  ["aud as a list of the client in other letters", 401, () => withClaims({ aud: [AUDIENCE.toUpperCase()] })],
  ["aud as text that looks like a list", 401, () => withClaims({ aud: `["${AUDIENCE}"]` })],
  ["aud as text with two ids", 401, () => withClaims({ aud: `${AUDIENCE} another`, azp: AUDIENCE })],
  ["aud as a list of one, whose azp is another", 401, () => withClaims({ aud: [AUDIENCE], azp: "another" })],
  [
    "aud as a list of several, whose azp is another",
    401,
    () => withClaims({ aud: [AUDIENCE, "another"], azp: "another" }),
  ],
  ["the client's aud and another's azp", 401, () => withClaims({ azp: "another" })],
  ["another's aud and the client's azp", 401, () => withClaims({ aud: "another", azp: AUDIENCE })],
  ["azp empty", 401, () => withClaims({ azp: "" })],
  ["azp null", 401, () => withClaims({ azp: null })],
  ["azp as a list", 401, () => withClaims({ azp: [AUDIENCE] })],
  ["azp in upper case", 401, () => withClaims({ azp: AUDIENCE.toUpperCase() })],
  ["azp twice", 401, () => withText("azp", `"${AUDIENCE}","azp":"${AUDIENCE}"`)],
  ["the client's aud and azp", "in", () => withClaims({ azp: AUDIENCE })],
  ["aud as a list of one", "in", () => withClaims({ aud: [AUDIENCE] })],
  ["aud as a list of one, with azp", "in", () => withClaims({ aud: [AUDIENCE], azp: AUDIENCE })],
  [
    "aud as a list of several, with azp",
    "in",
    () => withClaims({ aud: ["another", AUDIENCE, "third"], azp: AUDIENCE }),
  ],
  ["aud as an object", 401, () => withClaims({ aud: { 0: AUDIENCE } })],
  ["aud in upper case", 401, () => withClaims({ aud: AUDIENCE.toUpperCase() })],
  ["aud that begins like the client", 401, () => withClaims({ aud: `${AUDIENCE}-2` })],
  ["aud with a space", 401, () => withClaims({ aud: `${AUDIENCE} ` })],
  ["aud with a zero-width space", 401, () => withClaims({ aud: `${AUDIENCE}\u200b` })],
  ["an access token", 401, () => withClaims({ token_use: "access" })],
  ["a refresh token", 401, () => withClaims({ token_use: "refresh" })],
  ["token_use as a list", 401, () => withClaims({ token_use: ["id"] })],
  ["token_use null", 401, () => withClaims({ token_use: null })],
  ["token_use in upper case", 401, () => withClaims({ token_use: "ID" })],
  ["token_use true", 401, () => withClaims({ token_use: true })],
  ["no token_use, from an issuer that does not use it", "in", () => signed(HEADER, without("token_use"))],
  ["Keycloak's access token", 401, () => withClaims({ typ: "Bearer" })],
  ["Keycloak's refresh token", 401, () => withClaims({ typ: "Refresh" })],
  ["Keycloak's ID token", "in", () => withClaims({ typ: "ID" })],
  ["no exp", 401, () => signed(HEADER, without("exp"))],
  ["exp null", 401, () => withClaims({ exp: null })],
  ["exp as text", 401, () => withClaims({ exp: String(inSeconds(100)) })],
  ["exp as a float", 401, () => withClaims({ exp: inSeconds(100) + 0.5 })],
  ["exp as a list", 401, () => withClaims({ exp: [inSeconds(100)] })],
  ["exp true", 401, () => withClaims({ exp: true })],
  ["a huge exp", 401, () => withClaims({ exp: 1e300 })],
  ["an infinite exp", 401, () => withText("exp", "1e400")],
  ["exp in milliseconds", 401, () => withClaims({ exp: inSeconds(100) * 1000 })],
  ["exp 0", 401, () => withClaims({ exp: 0 })],
  ["a negative exp", 401, () => withClaims({ exp: -1e17 })],
  ["expired a second ago", 401, () => withClaims({ exp: inSeconds(-1) })],
  ["expiring now", 401, () => withClaims({ exp: inSeconds(0) })],
  ["expired a year ago", 401, () => withClaims({ iat: inSeconds(-31_536_000), exp: inSeconds(-31_532_400) })],
  ["valid for a day and a second", 401, () => withClaims({ iat: inSeconds(0), exp: inSeconds(86_401) })],
  ["valid for a day", "in", () => withClaims({ iat: inSeconds(-5), exp: inSeconds(86_395) })],
  ["nbf in over a minute", 401, () => withClaims({ nbf: inSeconds(90) })],
  ["nbf in less than a minute", "in", () => withClaims({ nbf: inSeconds(50) })],
  ["nbf as text", 401, () => withClaims({ nbf: "0" })],
  ["an infinite nbf", 401, () => withText("nbf", "1e400")],
  ["nbf null", 401, () => withClaims({ nbf: null })],
  ["iat in over a minute", 401, () => withClaims({ iat: inSeconds(90) })],
  ["iat in less than a minute", "in", () => withClaims({ iat: inSeconds(50) })],
  ["no iat, so that its age is unknown", 401, () => signed(HEADER, without("iat"))],
  ["iat as text", 401, () => withClaims({ iat: String(inSeconds(0)) })],
  ["an infinite iat", 401, () => withText("iat", "-1e400")],
  ["no sub", 401, () => signed(HEADER, without("sub"))],
  ["an empty sub", 401, () => withClaims({ sub: "" })],
  ["sub as a number", 401, () => withClaims({ sub: 7 })],
  ["sub as an object", 401, () => withClaims({ sub: { id: "alice" } })],
  ["sub as a list", 401, () => withClaims({ sub: ["alice"] })],
  ["sub null", 401, () => withClaims({ sub: null })],
  ["a sub of 129 characters", 401, () => withClaims({ sub: "x".repeat(129) })],
  ["a sub of 128 characters", "in", () => withClaims({ sub: "x".repeat(128) })],
  ["a sub of 10 KB", 401, () => withClaims({ sub: "x".repeat(10_000) })],
  ["sub with #", 401, () => withClaims({ sub: "a#b" })],
  ["sub with /", 401, () => withClaims({ sub: "a/b" })],
  ["sub with NUL", 401, () => withClaims({ sub: "a\0b" })],
  ["sub with a space", 401, () => withClaims({ sub: "a b" })],
  ["sub with a line break at its end", 401, () => withClaims({ sub: "alice\n" })],
  ["sub with a lone surrogate", 401, () => withText("sub", '"a\\ud800"')],
  ["sub with a letter beyond ASCII", 401, () => withClaims({ sub: "\u0430lice" })],
  ["sub with every allowed character", "in", () => withClaims({ sub: "Az09_:|.@-" })],
];

/** The same for headers. */
type HeaderCase = readonly [name: string, expected: Status, headers: () => string | Buffer];

const headerCases: readonly HeaderCase[] = [
  ["no header", 401, () => ""],
  ["an empty one", 401, () => "Authorization:\r\n"],
  ["no token", 401, () => "Authorization: Bearer\r\n"],
  ["no token after the space", 401, () => "Authorization: Bearer \r\n"],
  ["a bare token", 401, () => `Authorization: ${good()}\r\n`],
  ["no space after the scheme", 401, () => `Authorization: Bearer${good()}\r\n`],
  ["a tab after the scheme", 401, () => `Authorization: Bearer\t${good()}\r\n`],
  ["another scheme", 401, () => `Authorization: Basic ${good()}\r\n`],
  ["the scheme twice", 401, () => `Authorization: Bearer Bearer ${good()}\r\n`],
  ["the token in quotes", 401, () => `Authorization: Bearer "${good()}"\r\n`],
  ["the token as a parameter", 401, () => `Authorization: Bearer token=${good()}\r\n`],
  ["something after the token", 401, () => `Authorization: Bearer ${good()} x\r\n`],
  ["a comma after the token", 401, () => `Authorization: Bearer ${good()},\r\n`],
  ["a list of two", 401, () => `Authorization: Bearer ${good()}, Bearer ${good()}\r\n`],
  ["a list of a good one and another scheme", 401, () => `Authorization: Bearer ${good()}, Basic YTpi\r\n`],
  ["two headers, both good", 401, () => bearer(good()) + bearer(good())],
  ["two identical headers", 401, () => bearer(good()).repeat(2)],
  ["two headers, the first one good", 401, () => `${bearer(good())}authorization: x\r\n`],
  ["two headers, the second one good", 401, () => `AUTHORIZATION: x\r\n${bearer(good())}`],
  ["two headers, one empty", 401, () => `Authorization:\r\n${bearer(good())}`],
  ["two headers, far apart", 401, () => `${bearer(good())}${"x:\r\n".repeat(500)}${bearer(good())}`],
  ["Proxy-Authorization", 401, () => `Proxy-Authorization: Bearer ${good()}\r\n`],
  ["X-Authorization", 401, () => `X-Authorization: Bearer ${good()}\r\n`],
  ["a cookie", 401, () => `Cookie: Authorization=Bearer ${good()}; id_token=${good()}\r\n`],
  ["a claim in a separate header", 401, () => "X-Amzn-Oidc-Identity: alice\r\nX-Forwarded-User: alice\r\n"],
  ["bytes beyond ASCII", 401, () => Buffer.from(`Authorization: Bearer ${good()}\u00ff\r\n`, "latin1")],
  // Too large for the server to look for a token in it.
  ["1 MB", 431, () => `Authorization: Bearer ${"x".repeat(1024 * 1024)}\r\n`],
  ["several spaces after the scheme", "in", () => `Authorization: Bearer   ${good()}\r\n`],
  ["the scheme in lower case", "in", () => `authorization: bearer ${good()}\r\n`],
  ["the scheme in upper case", "in", () => `AUTHORIZATION: BEARER ${good()}\r\n`],
  ["white space at the end", "in", () => `Authorization: Bearer ${good()} \t\r\n`],
];

/** Everything in a response except its date. */
const withoutDate = ({ statusCode, headers: { date, ...headers }, body }: WireResponse) => ({
  statusCode,
  headers,
  body,
});

const check = async (
  expected: Status,
  headerLines: string | Buffer,
  reasons: readonly TokenRefusal[] = [],
): Promise<void> => {
  store.forget();
  refusals.length = 0;
  if (expected === "in") {
    // An authenticated request would wait for the declared body; an invalid media type is rejected without it.
    const response = await send(
      Buffer.concat([Buffer.from(headerLines), Buffer.from("Content-Type: x\r\n")]),
    );
    expect(response.statusCode).toBe(415);
    return;
  }
  const response = await send(headerLines);
  if (expected === 401) {
    expect(response).toMatchObject({ statusCode: 401, body: '{"message":"Unauthorized"}' });
    expect(response.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "www-authenticate": "Bearer",
      "cache-control": "no-store",
    });
    await expect.poll(() => refusals).toHaveLength(1);
    expect(reasons).toContain(refusals[0]);
    // Exactly the response to a request without any token.
    expect(withoutDate(response)).toEqual(withoutDate(await send("")));
  }
  expect(response.statusCode).toBe(expected);
  expect(store.calls()).toEqual([]);
};

test("at least 110 tokens are rejected", () => {
  const all = [
    ...algorithms,
    ...otherAlgorithms,
    ...keys,
    ...signatures,
    ...encodings,
    ...forms,
    ...claimCases,
    ...headerCases,
  ];
  expect(all.filter(([, expected]) => expected !== "in").length).toBeGreaterThanOrEqual(110);
});

describe.each([
  ["algorithm", algorithms, ["algorithm", "form", "unknown_key", "signature"]],
  ["keys of other types", otherAlgorithms, ["algorithm", "form", "unknown_key", "signature"]],
  ["key", keys, ["form", "unknown_key", "signature"]],
  ["signature", signatures, ["form", "signature"]],
  ["encoding", encodings, ["form"]],
  ["form", forms, ["form", "algorithm", "kind"]],
  // An issuer that signs a number as text has signed something that is not a JWT.
  ["claims", claimCases, ["form", "issuer", "kind", "audience", "expired", "not_yet_valid", "claims"]],
] as const)("%s:", (_, cases, reasons) => {
  test.each(cases)("%s → %s", async (_name, expected, token) => {
    await check("in", bearer(good()));
    await check(expected, bearer(await token()), reasons);
  });
});

describe("the Authorization header:", () => {
  test.each(headerCases)("%s → %s", (_name, expected, headers) =>
    check(expected, headers(), ["missing", "form"]),
  );

  test("a token in the query is ignored", async () => {
    for (const name of ["access_token", "id_token", "token", "authorization"]) {
      expect((await send("", `/v1/recipients?${name}=${good()}`)).statusCode).toBe(401);
    }
  });
});
