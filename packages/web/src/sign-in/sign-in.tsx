import {
  type AuthenticatorCodeChallenge,
  answerAuthenticatorCode,
  answerNewPassword,
  type CodeSent,
  confirmForgotPassword,
  forgotPassword,
  type NewPasswordChallenge,
  type SignIn as Outcome,
  type Refusal,
  signInWithPassword,
} from "@postern/sign-in";
import { useState } from "preact/hooks";
import { leave } from "../session/provider-page.ts";
import { begin } from "../session/session.ts";
import type { Settings } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { wordFor, words } from "../words/words.ts";
import { StepForm } from "./step-form.tsx";

/** Where somebody is on the way in. */
type Step =
  | { readonly at: "password"; readonly note: string | null }
  | { readonly at: "newPassword"; readonly challenge: NewPasswordChallenge }
  | { readonly at: "code"; readonly challenge: AuthenticatorCodeChallenge }
  | { readonly at: "forgotten" }
  | { readonly at: "resetting"; readonly sent: CodeSent };

const titleOf = ({ at }: Step): string => {
  switch (at) {
    case "password":
      return words.signIn.title;
    case "newPassword":
      return words.signIn.newPassword;
    case "code":
      return words.signIn.codeTitle;
    case "forgotten":
    case "resetting":
      return words.signIn.reset;
  }
};

const NAME_FIELD = { name: "username", autocapitalize: "off", spellcheck: false, required: true } as const;

/** Signs people in: with their password, or at the provider's page. */
export const SignIn = ({
  settings,
  isAgain = false,
  refused = null,
}: {
  readonly settings: Settings;
  /** Within a dialog that has its own heading. */
  readonly isAgain?: boolean;
  /** Why the provider's page did not sign the person in. */
  readonly refused?: Refusal | null;
}) => {
  const client = settings.provider;
  const [step, setStep] = useState<Step>({ at: "password", note: null });
  const [refusal, setRefusal] = useState<string | null>(refused && words.refusals[refused.code]);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [attributes, setAttributes] = useState<Readonly<Record<string, string>>>({});
  const title = titleOf(step);
  const go = (next: Step) => {
    setStep(next);
    setRefusal(null);
    setPassword("");
    setCode("");
  };
  const refuse = ({ code: why }: Refusal) => {
    setRefusal(words.refusals[why]);
    // Whoever must begin again cannot answer this challenge any more.
    if (why === "expired") setStep({ at: "password", note: null });
    if (why === "password_reset_required") setStep({ at: "forgotten" });
  };
  const follow = (outcome: Outcome) => {
    switch (outcome.type) {
      case "signedIn":
        return begin(outcome.tokens);
      case "newPassword":
        return go({ at: "newPassword", challenge: outcome });
      case "authenticatorCode":
        return go({ at: "code", challenge: outcome });
      case "otherChallenge":
        return setRefusal(words.signIn.otherChallenge(outcome.name));
      case "refused":
        return refuse(outcome);
      default:
        return outcome satisfies never;
    }
  };
  const passwordField = (label: string, isNew: boolean) => (
    <Field
      label={label}
      type="password"
      name="password"
      autocomplete={isNew ? "new-password" : "current-password"}
      required
      value={password}
      onInput={setPassword}
    />
  );
  const codeField = (label: string) => (
    <Field
      label={label}
      name="code"
      autocomplete="one-time-code"
      inputMode="numeric"
      required
      value={code}
      onInput={setCode}
    />
  );
  const nameField = (
    <Field
      label={words.signIn.name}
      autocomplete="username"
      value={username}
      onInput={setUsername}
      {...NAME_FIELD}
    />
  );
  const backToPassword = (
    <button type="button" class="link" onClick={() => go({ at: "password", note: null })}>
      {words.signIn.back}
    </button>
  );
  const form = () => {
    switch (step.at) {
      case "password":
        return (
          <>
            {!settings.signIn.includes("srp") ? (
              refusal !== null && <Notice look="bad">{refusal}</Notice>
            ) : (
              <>
                {step.note !== null && <Notice look="good">{step.note}</Notice>}
                <StepForm
                  title={title}
                  submit={words.signIn.submit}
                  refusal={refusal}
                  run={async () =>
                    follow(await signInWithPassword(client, { username: username.trim(), password }))
                  }
                >
                  {nameField}
                  {passwordField(words.signIn.password, false)}
                </StepForm>
                <button type="button" class="link" onClick={() => go({ at: "forgotten" })}>
                  {words.signIn.forgot}
                </button>
              </>
            )}
            {settings.signIn.includes("oidc") && (
              <>
                {settings.signIn.includes("srp") && <p class="or">{words.signIn.or}</p>}
                <Button
                  look={settings.signIn.includes("srp") ? "plain" : "main"}
                  onClick={async () => refuse(await leave(client))}
                >
                  {words.signIn.page}
                </Button>
              </>
            )}
          </>
        );
      case "newPassword":
        return (
          <>
            <StepForm
              title={title}
              text={words.signIn.newPasswordText}
              submit={words.signIn.setPassword}
              refusal={refusal}
              run={async () =>
                follow(await answerNewPassword(client, step.challenge, { password, attributes }))
              }
            >
              <input type="hidden" name="username" autocomplete="username" value={username} />
              {step.challenge.requiredAttributes.map((name) => (
                <Field
                  key={name}
                  label={wordFor(words.signIn.attributes, name)}
                  required
                  value={attributes[name] ?? ""}
                  onInput={(value) => setAttributes({ ...attributes, [name]: value })}
                />
              ))}
              {passwordField(words.signIn.newPasswordLabel, true)}
            </StepForm>
            {backToPassword}
          </>
        );
      case "code":
        return (
          <>
            <StepForm
              title={title}
              submit={words.signIn.continue}
              refusal={refusal}
              run={async () => follow(await answerAuthenticatorCode(client, step.challenge, code.trim()))}
            >
              {codeField(words.signIn.code)}
            </StepForm>
            {backToPassword}
          </>
        );
      case "forgotten":
        return (
          <>
            <StepForm
              title={title}
              text={words.signIn.resetText}
              submit={words.signIn.sendCode}
              refusal={refusal}
              run={async () => {
                const sent = await forgotPassword(client, username.trim());
                if (sent.type === "refused") refuse(sent);
                else go({ at: "resetting", sent });
              }}
            >
              {nameField}
            </StepForm>
            {backToPassword}
          </>
        );
      case "resetting":
        return (
          <>
            <StepForm
              title={title}
              text={words.signIn.codeSentTo(step.sent.destination)}
              submit={words.signIn.setPassword}
              refusal={refusal}
              run={async () => {
                const changed = await confirmForgotPassword(client, {
                  username: username.trim(),
                  code: code.trim(),
                  password,
                });
                if (changed.type === "refused") refuse(changed);
                else go({ at: "password", note: words.signIn.passwordChanged });
              }}
            >
              {codeField(words.signIn.resetCode)}
              {passwordField(words.signIn.newPasswordLabel, true)}
            </StepForm>
            {backToPassword}
          </>
        );
      default:
        return step satisfies never;
    }
  };
  return (
    <>
      {!isAgain && (
        <>
          <p class="brand">Postern</p>
          <h1>{title}</h1>
        </>
      )}
      {form()}
    </>
  );
};
