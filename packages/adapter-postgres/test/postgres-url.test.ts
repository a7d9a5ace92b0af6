import { parsePostgresUrl } from "@postern/adapter-postgres";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";

test("takes its parts from the URL, decoded", () => {
  const url =
    "postgresql://us%40er:p%3A%2F%25@db.example.com:6432/post%20ern?sslmode=require&options=-c%20a%3Db";
  expect(valueOf(parsePostgresUrl(url))).toEqual({
    host: "db.example.com",
    port: 6432,
    database: "post ern",
    user: "us@er",
    password: "p:/%",
    sslMode: "require",
    options: "-c a=b",
  });
});

test.for([
  ["postgres://u@db.example.com/d", "db.example.com", "verify-full"],
  ["postgres://u@10.0.0.1/d", "10.0.0.1", "verify-full"],
  ["postgres://u@localhost.example.com/d", "localhost.example.com", "verify-full"],
  ["postgres://u@db.example.com/d?sslmode=disable", "db.example.com", "disable"],
  ["postgres://u@localhost/d", "localhost", "disable"],
  ["postgres://u@127.0.0.1/d?sslmode=verify-full", "127.0.0.1", "verify-full"],
  ["postgres://u@[::1]/d", "::1", "disable"],
  ["postgres://u@%2Fvar%2Frun%2Fpostgresql/d", "/var/run/postgresql", "disable"],
])("connects securely, except to this machine or if the URL says otherwise: %s", ([url, host, sslMode]) => {
  const parsed = valueOf(parsePostgresUrl(url ?? ""));
  expect(parsed).toMatchObject({ host, sslMode, port: 5432, password: undefined });
});

test.for([
  ["", /^must be a URL such as/],
  ["db.example.com", /^must be a URL such as/],
  ["mysql://u:hunter2@h/d", /^must be a URL such as/],
  ["postgres:///d", /^must be a URL such as/],
  ["postgres://h/d", /^must name a user/],
  ["postgres://u:hunter2@h", /^must name a database/],
  ["postgres://u:hunter2@h/", /^must name a database/],
  ["postgres://u:hunter2%@h/d", /^must have its special characters percent-encoded/],
  [
    "postgres://u:hunter2@h/d?sslmode=prefer",
    /^must have one of these as its sslmode: disable, require, verify-full$/,
  ],
  [
    "postgres://u:hunter2@h/d?statement_timeout=1",
    /^must have no parameters other than sslmode and options$/,
  ],
] as const)("refuses %s, without repeating its password", ([url, message]) => {
  const failure = failureOf(parsePostgresUrl(url));
  expect(failure.message).toMatch(message);
  expect(failure.message).not.toContain("hunter2");
});
