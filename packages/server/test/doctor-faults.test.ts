import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newCertificate } from "@postern/test-support/certificate";
import { freePort } from "@postern/test-support/free-port";
import type { SMTPServerOptions } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startValkey } from "../../adapter-http/test/support/valkey.ts";
import { accounts } from "../src/commands/doctor/checks/issuer.ts";
import { type IssuerFaults, startDiscoveredIssuer } from "./support/discovered-issuer.ts";
import { AS_PROCESS, newSqliteFile, startPatient } from "./support/doctor.ts";
import { startMailbox } from "./support/mailbox.ts";

/* `doctor` with one thing wrong at a time, each of them for real. */

let patient: Awaited<ReturnType<typeof startPatient>>;
beforeAll(async () => {
  patient = await startPatient();
  // Loads everything, which on a busy machine can take longer than a check waits for others.
  await patient.examine({});
});
afterAll(() => patient.stop());

let path = "";
beforeEach(() => {
  path = newSqliteFile();
});

type Expected = readonly [
  check: string,
  status: "ok" | "warning" | "wrong",
  found: string | RegExp,
  action?: RegExp,
];

/** Checks that `doctor`, with these variables changed, finds this, and nothing else wrong. */
const expectFound = async (
  changed: Record<string, string>,
  expected: readonly Expected[],
  ...before: string[]
) => {
  const { findings, of } = await patient.examine({ POSTERN_SQLITE_PATH: path, ...changed }, ...before);
  for (const [check, status, found, action] of expected) {
    expect(of(check)).toEqual({
      check,
      status,
      found: typeof found === "string" ? found : expect.stringMatching(found),
      action:
        action === undefined ? (status === "ok" ? null : expect.any(String)) : expect.stringMatching(action),
    });
  }
  const names = new Set(expected.map(([check]) => check));
  const others = findings.filter((finding) => !names.has(finding.check) && finding.check !== "public-url");
  expect(others.filter((finding) => finding.status !== "ok")).toEqual([]);
};

const listening = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const skipped = (...checks: string[]): readonly Expected[] =>
  checks.map((check) => [check, "warning", /^skipped/] as const);

describe("configuration", () => {
  test("a misspelled variable: everything else is still checked", () =>
    expectFound({ POSTERN_ALIAS_DOMAIN: "x.test" }, [
      [
        "configuration",
        "wrong",
        "POSTERN_ALIAS_DOMAIN is not a variable; did you mean POSTERN_ALIAS_DOMAINS?",
        /^Correct these variables: until then, the server does not start/,
      ],
    ]));

  test("without an API, no issuer is needed", () => {
    const unused = "not used: POSTERN_AUTHORIZER is none, so nobody can use the API";
    return expectFound({ POSTERN_AUTHORIZER: "none", POSTERN_ISSUER: "", POSTERN_AUDIENCE: "" }, [
      ["issuer-keys", "ok", unused],
      ["issuer", "ok", unused],
      ["clock", "ok", unused],
    ]);
  });

  test("an invalid variable: only the checks that need it are skipped", () =>
    expectFound({ POSTERN_SMTP_URL: "mail.example.org" }, [
      ["configuration", "wrong", /^POSTERN_SMTP_URL must be a URL/],
      ...skipped("smtp", "smtp-tls", "dns-sender"),
    ]));

  test("a store in memory", () =>
    expectFound({ POSTERN_STORE: "memory" }, [
      ["configuration", "warning", /everything is lost/, /sqlite, postgres or dynamodb/],
      ["store", "ok", /memory/],
      ["files", "ok", "none: POSTERN_STORE is memory"],
    ]));

  test("a secret that everybody can read", async () => {
    const file = join(patient.directory, "link-secret");
    writeFileSync(file, patient.variables["POSTERN_LINK_SECRET"] ?? "");
    chmodSync(file, 0o644);
    const changed = { POSTERN_LINK_SECRET: "", POSTERN_LINK_SECRET_FILE: file };
    await expectFound(changed, [["configuration", "warning", /can be read by every user/, /chmod 600/]]);
  });

  test("signatures that only a gateway verifies, on a port that others reach", () =>
    expectFound({ POSTERN_AUTHORIZER: "gateway", POSTERN_GATEWAY_SECRET: "g".repeat(32), HOST: "0.0.0.0" }, [
      ["configuration", "warning", /not verified here/, /only the gateway/],
      ["issuer-keys", "ok", /^not needed/],
    ]));
});

describe("store", () => {
  const notAStore: readonly Expected[] = [
    ["store", "wrong", /is not a Postern database$/, /POSTERN_SQLITE_PATH/],
    ...skipped("store-writes", "store-integrity"),
  ];

  test("a file that is not a store", async () => {
    writeFileSync(path, "no store".repeat(1_000));
    await expectFound({}, notAStore);
  });

  test("a store from a newer version, and one from an older version", async () => {
    const change = (version: number) => {
      using db = new DatabaseSync(path);
      db.exec(`PRAGMA user_version = ${version}`);
    };
    change(99);
    await expectFound({}, [
      ["store", "wrong", /schema version 99, but this Postern supports/, /newer version/],
      ...skipped("store-writes", "store-integrity"),
    ]);
    change(4);
    await expectFound({}, [
      ["store", "warning", /schema version 4.* has schema version \d+/, /backup first/],
    ]);
  });

  // The limit on the size of files makes every write fail, and needs no root.
  const fullDisk = ["prlimit", "--fsize=0"];

  test("no write succeeds", async () => {
    const running = valueOf(sqliteStore({ path, clock: Date }));
    onTestFinished(running.close);
    const expected = [
      ["store-writes", "wrong", /^a write failed \(SQLITE_(FULL|IOERR)/, /^Free space/],
    ] as const;
    await expectFound({}, expected, ...fullDisk);
  });

  test("a file that is needed to open the store cannot be created", () =>
    expectFound(
      {},
      [
        ["store", "wrong", /cannot be opened/, /^See files and disk/],
        ...skipped("store-writes", "store-integrity"),
      ],
      ...fullDisk,
    ));

  test("another program holds the lock", async () => {
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const expected = [
      ["store-writes", "wrong", "a write failed (SQLITE_BUSY)", /^Stop the other program/],
    ] as const;
    // It waits for the lock without letting this process do anything else.
    await expectFound({}, expected, AS_PROCESS);
  });

  test("damaged pages", async () => {
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, 3 * 4096);
    closeSync(file);
    await expectFound({}, [
      ["store-integrity", "wrong", /^the file is damaged \(/, /restore the last backup/],
    ]);
  });

  test("a row that references a missing one", async () => {
    using db = new DatabaseSync(path);
    db.exec("PRAGMA foreign_keys = OFF");
    db.exec("INSERT INTO tallies VALUES ('a', 'b', 'sent', 1, 1)");
    db.close();
    await expectFound({}, [["store-integrity", "wrong", /references a missing row of aliases/]]);
  });

  test("a search index whose words differ from those of the aliases", async () => {
    using db = new DatabaseSync(path);
    db.exec("INSERT INTO alias_words VALUES ('a', 'shop', 'b')");
    db.close();
    await expectFound({}, [["store-integrity", "wrong", /^searches can miss aliases/, /sqlite\.md/]]);
  });
});

describe("files and disk", () => {
  test("a store that others can read", async () => {
    chmodSync(path, 0o644);
    await expectFound({}, [
      ["files", "warning", `${path} has mode 0644: other users can read the addresses in it`],
    ]);
  });

  test("a store in a directory behind a symbolic link, as systemd sets it up, is fine", async () => {
    const link = `${dirname(path)}-link`;
    symlinkSync(dirname(path), link);
    onTestFinished(() => rmSync(link));
    await expectFound({ POSTERN_SQLITE_PATH: join(link, basename(path)) }, [
      ["files", "ok", /no other user can use them$/],
    ]);
  });

  test("a file that the server cannot open", async () => {
    const lock = `${path}-lock`;
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(lock, 0, 0);
    else chmodSync(lock, 0);
    await expectFound({}, [
      ["files", "wrong", isRoot ? /-lock belongs to uid 0, but/ : /may not read and write .*-lock/, /chown/],
    ]);
  });

  test("a directory that this user may not look into", async () => {
    const directory = dirname(path);
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) {
      chmodSync(directory, 0);
      onTestFinished(() => chmodSync(directory, 0o700));
    }
    // Only these capabilities let root look into every directory.
    const powerless = isRoot ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [AS_PROCESS];
    const may = `this user (uid ${process.getuid?.()}) may not read and write ${directory} (EACCES)`;
    for (const file of [path, join(directory, "inner", "postern.db")]) {
      await expectFound(
        { POSTERN_SQLITE_PATH: file },
        [
          ["store", "wrong", /cannot be opened: EACCES/, /^See files and disk/],
          ...skipped("store-writes", "store-integrity"),
          ["files", "wrong", may, /chown/],
        ],
        ...powerless,
      );
    }
  });

  test("a file system that is mounted read-only", async () => {
    const directory = dirname(path);
    const script = `mount --bind ${directory} ${directory} && mount -o remount,bind,ro ${directory} && exec "$@"`;
    await expectFound(
      {},
      [
        ["store", "wrong", /cannot be opened/, /^See files and disk/],
        ...skipped("store-writes", "store-integrity"),
        ["files", "wrong", /^this user \(uid \d+\) may not read and write .* \(EROFS\)$/, /mount .* rw$/],
      ],
      ...["unshare", "--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])],
      ...["sh", "-c", script, "sh"],
    );
  });

  test("a nearly full disk", async () => {
    const mounted = join(patient.directory, "small");
    mkdirSync(mounted);
    const script = `mount -t tmpfs -o size=64m none ${mounted} && exec "$@"`;
    await expectFound(
      { POSTERN_SQLITE_PATH: join(mounted, "postern.db") },
      [
        ["disk", "wrong", /^64 MiB of 64 MiB are free on the disk of .*small$/, /^Free space/],
        ["store", "warning", /missing/],
      ],
      ...["unshare", "--mount", "--user", "--map-root-user", "sh", "-c", script, "sh"],
    );
  });
});

describe("issuer and clock", () => {
  const withIssuer = async (faults: IssuerFaults) => {
    const issuer = await startDiscoveredIssuer(faults);
    onTestFinished(issuer.stop);
    return issuer.url;
  };

  test("keys that cannot be fetched, with and without a hint as to where they are", async () => {
    const url = await withIssuer({ status: 500 });
    await expectFound({ POSTERN_ISSUER: url }, [
      ["issuer-keys", "wrong", `no keys from ${url}/keys (HTTP 500)`],
    ]);
    await expectFound({ POSTERN_ISSUER: `http://127.0.0.1:${await freePort()}` }, [
      ["issuer-keys", "wrong", /ECONNREFUSED/, /firewall/],
      ["issuer", "warning", /could not be compared/],
      ["clock", "warning", /could not be compared/],
    ]);
  });

  test("keys that are elsewhere", async () => {
    const url = await withIssuer({});
    await expectFound({ POSTERN_ISSUER: url }, [
      ["issuer-keys", "ok", `keys for RS256: 1, from ${url}/keys, which its openid-configuration names`],
    ]);
    await expectFound({ POSTERN_ISSUER: url, POSTERN_JWKS_URI: `${url}/none` }, [
      [
        "issuer-keys",
        "wrong",
        /HTTP 404/,
        /^Remove POSTERN_JWKS_URI: the issuer publishes that its keys are at http.*\/keys/,
      ],
    ]);
    await expectFound({ POSTERN_ISSUER: url, POSTERN_JWKS_URI: `${url}/other-keys` }, [
      ["issuer-keys", "ok", /other-keys, which POSTERN_JWKS_URI names$/],
      [
        "issuer",
        "warning",
        /publishes its keys at .*\/keys, but they are fetched from .*other-keys$/,
        /^Remove POSTERN_JWKS_URI/,
      ],
    ]);
    const unsafe = await withIssuer({ jwksUri: "http://id.test/keys" });
    await expectFound({ POSTERN_ISSUER: unsafe }, [
      [
        "issuer-keys",
        "wrong",
        /^no keys \(openid-configuration: its jwks_uri is neither/,
        /set POSTERN_JWKS_URI to the https URL/,
      ],
    ]);
  });

  test("an issuer that publishes nothing about itself, with its own keys and with those of another", async () => {
    const silent = await withIssuer({ configuration: 404 });
    await expectFound({ POSTERN_ISSUER: silent }, [
      ["issuer-keys", "ok", /jwks\.json, the usual place: it publishes no openid-configuration$/],
      ["issuer", "ok", /publishes no openid-configuration/],
    ]);
    const other = await withIssuer({});
    await expectFound({ POSTERN_ISSUER: silent, POSTERN_JWKS_URI: `${other}/.well-known/jwks.json` }, [
      ["issuer-keys", "ok", /^keys for RS256: 1/],
      ["issuer", "warning", /^nothing shows that POSTERN_ISSUER is right/, /iss claim/],
    ]);
  });

  test("keys that cannot be used", async () => {
    const keys = [{ kty: "EC", kid: "test" }];
    await expectFound({ POSTERN_ISSUER: await withIssuer({ keys }) }, [
      ["issuer-keys", "wrong", /no key for RS256, ES256, EdDSA/, /RS256/],
    ]);
  });

  test("keys of several types", async () => {
    const jwk = (kid: string, { publicKey }: { readonly publicKey: KeyObject }) => ({
      ...publicKey.export({ format: "jwk" }),
      kid,
    });
    const ec = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
    const keys = [jwk("a", ec()), jwk("b", generateKeyPairSync("ed25519")), jwk("c", ec())];
    await expectFound({ POSTERN_ISSUER: await withIssuer({ keys }) }, [
      ["issuer-keys", "ok", /^keys for ES256: 2, for EdDSA: 1, from /],
    ]);
  });

  test("an issuer with another name", async () => {
    const url = await withIssuer({});
    await expectFound({ POSTERN_ISSUER: `${url}/` }, [
      [
        "issuer-keys",
        "wrong",
        /that of another issuer/,
        /^Set POSTERN_ISSUER to exactly what the issuer calls itself/,
      ],
      ["issuer", "wrong", /the slash at the end counts\): tokens are refused$/, /^Set POSTERN_ISSUER/],
    ]);
    const renamed = await withIssuer({ issuer: "https://id.test\u001b[31m" });
    await expectFound({ POSTERN_ISSUER: renamed }, [
      ["issuer-keys", "wrong", /that of another issuer/],
      ["issuer", "wrong", /calls itself https:\/\/id\.test\\u\{1b\}.*: its keys are not used$/],
    ]);
    await expectFound({ POSTERN_ISSUER: renamed, POSTERN_JWKS_URI: `${renamed}/keys` }, [
      ["issuer", "warning", /calls itself https:\/\/id\.test\\u\{1b\}.* only if they name POSTERN_ISSUER$/],
    ]);
  });

  test("who may have an account", async () => {
    const url = await withIssuer({});
    await expectFound({ POSTERN_ISSUER: url }, [
      [
        "accounts",
        "ok",
        "for everybody who gets a token for POSTERN_AUDIENCE: POSTERN_REQUIRED_CLAIM is not set",
      ],
    ]);
    await expectFound({ POSTERN_ISSUER: url, POSTERN_REQUIRED_CLAIM: "email=ada@postern.test" }, [
      ["accounts", "ok", "for those whose tokens have, in email, what POSTERN_REQUIRED_CLAIM says"],
    ]);
    // Not asked: it is somebody else's.
    expect(accounts("https://accounts.google.com", undefined).status).toBe("warning");
    expect(accounts("https://accounts.google.com", { name: "hd", value: "postern.test" }).status).toBe("ok");
  });

  test.each([
    [-120, "wrong", /^this machine's clock is (11\d|120) s ahead of the issuer's: tokens expire too early$/],
    [120, "wrong", /^this machine's clock is (11\d|120) s behind the issuer's: new tokens are refused/],
    [-30, "warning", /^this machine's clock is (2\d|30) s ahead of the issuer's$/],
    [30, "warning", /^this machine's clock is (2\d|30) s behind the issuer's$/],
  ] as const)("an issuer whose clock is %i s ahead", async (ahead, status, found) => {
    await expectFound({ POSTERN_ISSUER: await withIssuer({ ahead }) }, [
      ["clock", status, found, /timedatectl/],
    ]);
  });
});

describe("mail", () => {
  const withServer = async (options: SMTPServerOptions, query = "") => {
    const mailbox = await startMailbox(0, options);
    onTestFinished(mailbox.stop);
    const url = `${mailbox.url.replace("smtp://127.0.0.1", "smtp://user:private-smtp-password@localhost")}${query}`;
    return { POSTERN_SMTP_URL: url };
  };

  test("a wrong password", () =>
    expectFound({ POSTERN_SMTP_URL: patient.wrongLogin }, [
      [
        "smtp",
        "wrong",
        /^cannot send through localhost:\d+ \(535 to AUTH\)$/,
        /password in POSTERN_SMTP_URL/,
      ],
    ]));

  test("a sender that is refused", async () => {
    const refuse: SMTPServerOptions["onMailFrom"] = ({ address }, _session, done) =>
      done(Object.assign(new Error(`<${address}>: no`), { responseCode: 550 }));
    const certificate = newCertificate(patient.directory, 91);
    const changed = {
      ...(await withServer({ ...certificate, onMailFrom: refuse })),
      NODE_EXTRA_CA_CERTS: certificate.file,
    };
    await expectFound(changed, [["smtp", "wrong", /\(550 to MAIL FROM\)$/, /POSTERN_MAIL_FROM/]]);
  });

  test("a certificate that has expired", async () => {
    await expectFound(await withServer({}), [
      ["smtp", "wrong", /\(tls: CERT_HAS_EXPIRED\)$/, /^Renew/],
      ...skipped("smtp-tls"),
    ]);
    await expectFound(await withServer({}, "?tls.rejectUnauthorized=false"), [
      ["smtp-tls", "ok", /is not verified/],
    ]);
  });

  test("a certificate that expires soon", async () => {
    const certificate = newCertificate(patient.directory, 5);
    const changed = { ...(await withServer(certificate)), NODE_EXTRA_CA_CERTS: certificate.file };
    await expectFound(changed, [["smtp-tls", "warning", /is valid until \d{4}-\d\d-\d\d$/, /^Renew/]]);
  });

  test("no mail server, and one that does not respond", async () => {
    await expectFound({ POSTERN_SMTP_URL: "smtp://127.0.0.1:1" }, [
      ["smtp", "wrong", /\(connect: ECONNREFUSED\)$/, /firewall/],
      ...skipped("smtp-tls"),
    ]);
    const port = await listening(createTcpServer((socket) => void socket.on("error", () => {})));
    await expectFound({ POSTERN_SMTP_URL: `smtp://127.0.0.1:${port}` }, [
      ["smtp", "wrong", /\(timeout\)$/],
      ...skipped("smtp-tls"),
    ]);
  });
});

describe("DNS", () => {
  test("domains without records", () =>
    expectFound(
      { POSTERN_ALIAS_DOMAINS: "alias.example.com,other.test", POSTERN_MAIL_FROM: "a@other.test" },
      [
        [
          "dns-alias-domains",
          "warning",
          "other.test has no MX record that names a mail server: mail to its aliases goes nowhere, or to its own address",
        ],
        [
          "dns-sender",
          "warning",
          /^other\.test has no SPF record.*; other\.test has no DMARC record$/,
          /v=spf1/,
        ],
      ],
    ));

  test("no DNS server", async () => {
    const NODE_OPTIONS = (patient.variables["NODE_OPTIONS"] ?? "").replace(/3A\d+/, `3A${await freePort()}`);
    const expected = [
      ["dns-alias-domains", "warning", /^DNS lookup of alias\.example\.com failed \(E/, /resolv\.conf/],
      ["dns-sender", "warning", /^DNS lookup of postern\.test failed \(E/],
    ] as const;
    await expectFound({ NODE_OPTIONS }, expected, AS_PROCESS);
  });
});

describe("network", () => {
  test("a Redis that responds, and one that is gone, whose password is not shown", async () => {
    const valkey = await startValkey();
    onTestFinished(valkey.kill);
    // On a busy machine, it can take longer to respond than it may.
    const found = async () => (await patient.examine({ POSTERN_REDIS_URL: valkey.url })).of("redis");
    await expect.poll(found).toMatchObject({ status: "ok", found: expect.stringMatching(/responds$/) });
    await valkey.kill();
    const url = valkey.url.replace("//", "//user:private-redis-password@");
    await expectFound({ POSTERN_REDIS_URL: url }, [
      ["redis", "wrong", /^127\.0\.0\.1:\d+ cannot be used to count requests \(ECONNREFUSED\)/, /firewall/],
    ]);
  });

  test("a public URL and a port where something else responds", async () => {
    const port = await listening(createServer((_request, response) => void response.end("else")));
    const { PORT } = patient.variables;
    await expectFound({ PORT: `${port}`, POSTERN_PUBLIC_URL: `http://127.0.0.1:${port}` }, [
      ["public-url", "warning", /responds with 200, but not as Postern does/],
      ["port", "wrong", `127.0.0.1:${port} is in use by something that is not Postern`, /ss -ltnp/],
    ]);
    await expectFound({ POSTERN_PUBLIC_URL: `http://127.0.0.1:${await freePort()}` }, [
      ["public-url", "warning", /cannot be reached from this machine \(ECONNREFUSED\)$/],
      ["port", "ok", `127.0.0.1:${PORT} is free: no server is running here`],
    ]);
  });

  test("a keys URL and a keys port where something else responds, and a URL that redirects", async () => {
    const port = await listening(
      createServer(({ url = "" }, response) =>
        url.startsWith("/old")
          ? void response.writeHead(308, { location: "/" }).end()
          : void response.writeHead(401, { "content-type": "application/json" }).end('{"error":"no"}'),
      ),
    );
    const [POSTERN_KEYS_PORT, url] = [`${port}`, `http://127.0.0.1:${port}`];
    await expectFound({ POSTERN_KEYS_PORT, POSTERN_KEYS_URL: url }, [
      [
        "keys-url",
        "wrong",
        `${url}/service responds with 401, but not as Postern does to programs with keys`,
      ],
      ["keys-port", "wrong", `127.0.0.1:${port} is in use by something that is not Postern`, /KEYS_PORT/],
    ]);
    const free = await freePort();
    await expectFound({ POSTERN_KEYS_PORT: `${free}`, POSTERN_KEYS_URL: `${url}/old/` }, [
      ["keys-url", "wrong", /responds with a redirect \(308\)/, /the address that it leads to$/],
      ["keys-port", "ok", `127.0.0.1:${free} is free: no server takes keys here`],
    ]);
    await expectFound({ POSTERN_KEYS_PORT: `${free}`, POSTERN_KEYS_URL: `http://127.0.0.1:${free}` }, [
      ["keys-url", "warning", /cannot be reached from this machine \(ECONNREFUSED\)$/],
      ["keys-port", "ok", /is free/],
    ]);
  });

  test("a web URL and a web port where something else responds, or nothing", async () => {
    const port = await listening(createServer((_request, response) => void response.end("else")));
    await expectFound({ POSTERN_WEB_PORT: `${port}` }, [
      [
        "web-url",
        "wrong",
        `http://127.0.0.1:${port}/settings.json responds with 200, but not with the settings of the browser app`,
        /^Correct POSTERN_WEB_URL, /,
      ],
      ["web-port", "wrong", `127.0.0.1:${port} is in use by something that is not Postern`, /WEB_PORT/],
    ]);
    const free = await freePort();
    await expectFound({ POSTERN_WEB_PORT: `${free}` }, [
      ["web-url", "warning", /cannot be reached from this machine \(ECONNREFUSED\)$/],
      ["web-port", "ok", `127.0.0.1:${free} is free: no server serves the browser app here`],
    ]);
  });

  describe("the browser app, served by something else,", () => {
    /** Serves the app's settings and page, as they should be except for what is changed. */
    const serveApp = async (changed: object, policyOf: (calls: string) => string) => {
      const { POSTERN_ISSUER: issuer, POSTERN_PUBLIC_URL: api } = patient.variables;
      const settings = { api: `${api}/v1`, issuer, client: "client", sign_in: ["oidc"], ...changed };
      const policy = policyOf(`${api} ${issuer}`);
      const port = await listening(
        createServer(({ url }, response) => {
          if (policy !== "") response.setHeader("content-security-policy", policy);
          response.end(url === "/settings.json" ? JSON.stringify(settings) : "<!doctype html>");
        }),
      );
      return { POSTERN_WEB_URL: `http://127.0.0.1:${port}` };
    };
    const right = (calls: string) => `default-src 'none'; connect-src 'self' ${calls}; base-uri 'none'`;

    test.each<readonly [string, object, (calls: string) => string, RegExp]>([
      ["names another API", { api: "https://other.test/v1" }, right, /about: api; see|about: api$/],
      ["names another issuer", { issuer: "https://other.test" }, right, /about: issuer$/],
      ["is of another client", { client: "another" }, right, /about: client$/],
      ["offers another sign-in", { sign_in: ["srp", "oidc"] }, right, /about: sign_in$/],
      [
        "has a policy without the API",
        {},
        (calls) => right(calls.replace(/^\S+/, "")),
        /does not allow https:\/\/postern\.test in its connect-src$/,
      ],
      [
        "has no policy",
        {},
        () => "",
        /does not allow https:\/\/postern\.test and http:\S+ in its connect-src$/,
      ],
    ])("%s", async (_, changed, policyOf, found) => {
      const variables = await serveApp(changed, policyOf);
      await expectFound(variables, [
        ["web-url", "wrong", found, /^Restart the server, if it serves the app; /],
      ]);
    });

    test.each<readonly [string, IssuerFaults, "warning" | "wrong", RegExp, RegExp]>([
      [
        "its provider gives tokens elsewhere",
        { tokenEndpoint: "https://mine.auth.test/oauth2/token" },
        "wrong",
        /token endpoint is at https:\/\/mine\.auth\.test, which the browser app may not call$/,
        /^Set POSTERN_WEB_TOKEN_ORIGIN=https:\/\/mine\.auth\.test$/,
      ],
      [
        "its provider does not support S256",
        { challengeMethods: ["plain"] },
        "wrong",
        /does not support PKCE with S256/,
        /^Switch it on at the provider/,
      ],
      [
        "its provider does not let it read",
        { readers: "https://other.test" },
        "wrong",
        /does not let pages of http:\S+ read its openid-configuration \(CORS\)$/,
        /POSTERN_WEB_CLIENT/,
      ],
      [
        "its provider publishes nothing",
        { configuration: 404 },
        "wrong",
        /^nobody can sign in at the provider's page: its openid-configuration \(404\)/,
        /remove oidc from POSTERN_WEB_SIGN_IN$/,
      ],
      [
        "nothing is wrong with its provider",
        { challengeMethods: ["S256"] },
        "warning",
        /^the browser app is at http:\S+, but only for browsers on this machine$/,
        /^Set POSTERN_WEB_URL/,
      ],
    ])("%s", async (_, faults, status, found, action) => {
      const issuer = await startDiscoveredIssuer(faults);
      onTestFinished(issuer.stop);
      const calls = `${patient.variables["POSTERN_PUBLIC_URL"]} ${issuer.url}`;
      const app = await serveApp({ issuer: issuer.url }, () => right(calls));
      const changed = { ...app, POSTERN_ISSUER: issuer.url };
      await expectFound(changed, [["web-url", status, found, action]]);
    });

    test("its provider is down", async () => {
      const issuer = `http://127.0.0.1:${await freePort()}`;
      const calls = `${patient.variables["POSTERN_PUBLIC_URL"]} ${issuer}`;
      const app = await serveApp({ issuer }, () => right(calls));
      const { of } = await patient.examine({ ...app, POSTERN_ISSUER: issuer, POSTERN_SQLITE_PATH: path });
      expect(of("web-url")).toMatchObject({
        status: "warning",
        found: expect.stringContaining("is not known (ECONNREFUSED)"),
      });
    });
  });

  test("a metrics port where something else responds, and one that is free", async () => {
    const port = await listening(createServer((_request, response) => void response.end("else")));
    await expectFound({ POSTERN_METRICS_PORT: `${port}` }, [
      [
        "metrics-port",
        "wrong",
        `127.0.0.1:${port} is in use by something that is not Postern`,
        /METRICS_PORT/,
      ],
    ]);
    const free = await freePort();
    await expectFound({ POSTERN_METRICS_PORT: `${free}` }, [
      ["metrics-port", "ok", `127.0.0.1:${free} is free: no server serves metrics here`],
    ]);
  });

  test("an address of another machine", () =>
    expectFound({ HOST: "192.0.2.1" }, [
      ["port", "wrong", /is not an address of this machine$/, /^Correct HOST/],
    ]));
});
