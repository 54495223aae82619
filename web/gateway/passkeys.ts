import type { YesSigner } from '../../core/approval/signer.ts';
import { isGesture } from '../shared/card-watch.ts';
import { forgetPasskey, type KeptPasskey, keptPasskeys, makePasskey, passkeyObstacle } from '../shared/passkey.ts';
import { type PasskeyTrouble, passkeys } from '../texts/en/passkeys.ts';

/** What the gateway tells of passkeys. */
export interface PasskeyState {
  /** The file whose grants name passkeys. */
  readonly config: string;
  readonly signers: readonly YesSigner[];
}

/** Why this page can have no passkeys, in a sentence. */
export function obstacleText(obstacle: PasskeyTrouble): string {
  const { ip_address, [obstacle]: text } = passkeys.english.troubles;
  if (obstacle === 'ip_address') return `${ip_address} Start sallyport mcp with --page-port.`;
  return typeof text === 'string' ? text : text('');
}

interface SectionParts {
  readonly section: HTMLElement;
  readonly say: (text: string) => void;
  /** Asks for the signature that adds a further passkey. */
  readonly add: (signer: YesSigner) => Promise<void>;
}

/** The passkeys of this browser: making one, the lines for the configuration, and adding a further one by a signature. */
export class PasskeySection {
  readonly #parts: SectionParts;
  #state: PasskeyState = { config: '', signers: [] };
  #drawn = '';

  constructor(parts: SectionParts) {
    this.#parts = parts;
    const obstacle = passkeyObstacle();
    this.#at('form').hidden = obstacle !== undefined;
    if (obstacle !== undefined) this.#at('.obstacle').textContent = obstacleText(obstacle);
    this.#at('form').addEventListener('submit', (event) => {
      event.preventDefault();
      if (isGesture(event)) void this.#make();
    });
  }

  show(state: PasskeyState): void {
    const kept = keptPasskeys().filter(({ origin }) => origin === location.origin);
    const drawn = JSON.stringify([state, kept]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#state = state;
    this.#at('ul').replaceChildren(...kept.map((passkey) => this.#item(passkey)));
  }

  #at(selector: string): HTMLElement {
    return this.#parts.section.querySelector(selector) as HTMLElement;
  }

  async #make(): Promise<void> {
    const { say } = this.#parts;
    const field = this.#at('input') as HTMLInputElement;
    try {
      const { name } = await makePasskey({ name: field.value.trim() });
      field.value = '';
      say(`A passkey of ${name} was made. It gives no power until the configuration names it.`);
      this.show(this.#state);
    } catch (error) {
      say((error as Error).message);
    }
  }

  #item({ name, key, origin }: KeptPasskey): HTMLElement {
    const { config, signers } = this.#state;
    const signer = { name, key, origin };
    const isNamed = signers.some((each) => each.key === key);
    const hasOther = signers.some((each) => each.name === name && each.origin === origin);
    const item = document.createElement('li');
    const head = document.createElement('p');
    head.append(element('strong', name), ` ${isNamed ? 'is named' : 'is not named'} in `, element('code', config));
    item.append(head);
    const buttons = document.createElement('p');
    buttons.className = 'buttons';
    if (!isNamed) {
      const lines = JSON.stringify({ mode: 'ask', signed: { by: [signer] } }, null, 2).slice(2, -2);
      const text = element('pre', lines);
      text.tabIndex = 0;
      item.append(element('p', 'Lines for a grant. Whoever edits that file decides whose yes counts:', 'note'), text);
      buttons.append(
        this.#button('Copy the lines', name, async () => {
          await navigator.clipboard.writeText(lines);
          this.#parts.say('The lines are copied.');
        }),
      );
      if (hasOther)
        buttons.append(this.#button('Add it by a signature', name, () => this.#parts.add({ name, key, origin })));
    }
    buttons.append(
      this.#button('Forget it here', name, async () => {
        forgetPasskey(key);
        this.#parts.say('This page cannot sign with it any more. Your device still has it.');
        this.show(this.#state);
      }),
    );
    item.append(buttons);
    return item;
  }

  #button(text: string, name: string, act: () => Promise<void>): HTMLElement {
    const button = element('button', text);
    button.setAttribute('type', 'button');
    button.setAttribute('aria-label', `${text}: ${name}`);
    button.addEventListener('click', (event) => {
      if (isGesture(event)) act().catch((error: unknown) => this.#parts.say((error as Error).message));
    });
    return button;
  }
}

function element(tag: 'strong' | 'code' | 'pre' | 'p' | 'button', text: string, kind = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind !== '') made.className = kind;
  return made;
}
