import type { Diagnosis } from "./command.ts";

export const doctorCommand: Diagnosis = {
  usages: [
    {
      line: "doctor [--json]",
      meaning:
        "checks everything that the server needs, with the variables of the server, and says what is wrong and what to do. Changes nothing and sends no message. Safe while a server is running",
    },
  ],
  flags: ["json"],
  diagnose: async (...input) => (await import("./doctor/report.ts")).report(...input),
};
