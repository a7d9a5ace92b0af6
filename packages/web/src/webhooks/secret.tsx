import { Button } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { words } from "../words/words.ts";

/** What a new webhook's events are signed with. It is shown only here, and only now. */
export const Secret = ({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) => (
  <Dialog title={words.webhooks.secret} onClose={onClose}>
    <p>{words.webhooks.secretText}</p>
    <code class="secret">{secret}</code>
    <p>
      <strong>{words.webhooks.secretOnce}</strong>
    </p>
    <footer>
      <Copy text={secret} label={words.webhooks.copySecret} />
      <Button look="main" onClick={onClose}>
        {words.webhooks.secretKept}
      </Button>
    </footer>
  </Dialog>
);
