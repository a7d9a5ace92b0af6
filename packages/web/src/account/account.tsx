import { useService } from "../api/service.ts";
import { session, signOut } from "../session/session.ts";
import { setTheme, THEMES, theme } from "../theme.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/field.tsx";
import { View } from "../ui/view.tsx";
import { words } from "../words/words.ts";
import { OwnDataCard } from "./own-data-card.tsx";
import { Usage } from "./usage.tsx";

/** What concerns the person, and not one alias. */
export const Account = () => {
  const limits = useService()?.limits;
  return (
    <View title={words.settings.title}>
      <section class="card">
        <h2>{words.settings.signedInAs}</h2>
        <p>
          <bdi>{session.value?.name}</bdi>
        </p>
        <p class="quiet">{words.settings.signOutText}</p>
        <div class="actions">
          <Button onClick={() => void signOut()}>{words.signIn.signOut}</Button>
        </div>
      </section>
      <section class="card">
        <Choice
          label={words.settings.theme}
          value={theme.value}
          onInput={setTheme}
          options={THEMES.map((each) => [each, words.settings.themes[each]])}
        />
        <p class="quiet">{words.settings.language}</p>
      </section>
      {limits !== undefined && <Usage limits={limits} />}
      <OwnDataCard perMinute={limits?.requests_per_minute} />
    </View>
  );
};
