import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { until } from "@postern/test-support/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/* Runs the unmodified programs that mount the API in an application, and sends them real requests. */

describe.each(["fastify", "express", "hono", "node-http"])("mount-in-%s.ts", (name) => {
  let program: ChildProcessByStdio<null, Readable, Readable>;
  let output = "";
  let url = "";
  beforeAll(async () => {
    program = spawn(process.execPath, [`mount-in-${name}.ts`], {
      cwd: import.meta.dirname,
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const note = (text: Buffer) => {
      output += text;
    };
    program.stdout.on("data", note);
    program.stderr.on("data", note);
    await until("it listens", () => /Listening at \S+\n/.test(output));
    url = /Listening at (\S+)/.exec(output)?.[1] ?? "";
  });
  afterAll(() => program.kill());

  const call = async (
    method: string,
    path: string,
    body?: object,
    session: string | null = "session-of-alice",
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(session !== null && { "x-session": session }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };

  /** Adds a recipient and opens its verification link, which the program prints. */
  const addVerified = async (email: string): Promise<string> => {
    const added = await call("POST", "/mail/recipients", { recipient_email: email });
    expect(added).toMatchObject({ status: 201, body: { verification_mail: "sent" } });
    const link = () => new RegExp(`Mail to ${email}: (\\S+)`).exec(output)?.[1];
    await expect.poll(link).toBeDefined();
    const opened = await call("GET", link() ?? "", undefined, null);
    expect(await call("GET", opened.body.confirm_url, undefined, null)).toMatchObject({
      body: { verified: true },
    });
    return added.body.recipient_id;
  };

  test("replaces recipients, end to end", async () => {
    const [home, work] = [await addVerified("me@home.example"), await addVerified("me@work.example")];
    const created = await call("POST", "/mail/aliases", {
      alias_email: "shop@alias.example",
      recipient_ids: [home],
    });
    const location = String(created.headers.get("location"));
    expect([created.status, location]).toEqual([201, `/mail/aliases/${created.body.alias_id}`]);

    const replaced = await call("PUT", `${location}/recipients`, { recipient_ids: [work, home] });
    expect(replaced).toMatchObject({
      status: 200,
      body: { destination_emails: ["me@work.example", "me@home.example"] },
    });
    expect((await call("GET", location)).body).toEqual(replaced.body);
  });

  test.each([null, "session-of-mallory"])(
    "responds 401 without a session of the application (%j)",
    async (session) => {
      expect(await call("GET", "/mail/aliases", undefined, session)).toMatchObject({
        status: 401,
        body: { message: "Unauthorized" },
      });
    },
  );

  test("the API handles unknown paths below its own path, and the application all others", async () => {
    expect(await call("GET", "/mail/nowhere")).toMatchObject({
      status: 404,
      body: { code: "route_not_found" },
    });
    for (const path of ["/nowhere", "/mailbox"]) {
      const elsewhere = await call("GET", path);
      expect(elsewhere.status).toBe(404);
      expect(JSON.stringify(elsewhere.body)).not.toContain("route_not_found");
    }
    expect((await call("GET", "/", undefined, null)).body).toBe("The application's own page");
  });
});
