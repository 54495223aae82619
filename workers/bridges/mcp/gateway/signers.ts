import { isSigner, type YesSigner } from '../../../../core/approval/signer.ts';
import type { ToolDefinition } from '../../../../core/capability/author.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import type { JsonObject } from '../../../../core/json/value.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import { ToolError } from '../../../../core/tool-error.ts';
import type { Runtime } from '../../../api.ts';
import { deferred } from '../../../async.ts';
import { ADD_PASSKEY } from '../server/tools.ts';
import type { GatewayConfiguration } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import type { ActResult } from './page.ts';

interface SignersParts {
  readonly config: ConfigFile;
  readonly runtime: Promise<Pick<Runtime, 'tools' | 'grants' | 'openSession'>>;
  /** Called when the configuration has another passkey. */
  readonly changed: () => Promise<unknown>;
}

/** The passkeys that grants of a configuration name, each once. */
export function signersIn({ grants }: Pick<GatewayConfiguration, 'grants'>): readonly YesSigner[] {
  const all = grants.flatMap(({ signed }) => signed?.by ?? []);
  return [...new Map(all.map((signer) => [canonicalText(signer as never), signer])).values()];
}

/**
 * Adds further passkeys of persons who can sign already. Each is a call of a tool of the gateway's own, in a run of its own,
 * whose question is a card of the page: a present passkey of the same person signs the yes, and the ledger has it. A first
 * passkey is written into the configuration by whoever may edit it.
 */
export class GatewaySigners {
  readonly #parts: SignersParts;
  #grant: string | undefined;
  #isAsking = false;

  constructor(parts: SignersParts) {
    this.#parts = parts;
  }

  /** Asks for the signature. Tells how far it came until the question. */
  async add(asked: YesSigner): Promise<ActResult> {
    const refused = this.#refusal(asked);
    if (refused !== undefined) return { isDone: false, message: refused };
    this.#isAsking = true;
    try {
      return await this.#ask(asked);
    } catch (error) {
      this.#isAsking = false;
      return { isDone: false, message: visibleLine((error as Error).message) };
    }
  }

  #refusal(asked: YesSigner): string | undefined {
    if (!isSigner(asked)) return 'This is no passkey of this page.';
    const name = visibleLine(asked.name);
    const { path } = this.#parts.config;
    if (this.#presentOf(asked).length === 0)
      return `The configuration names no passkey of ${name} at this page: write the first into ${path}.`;
    if (this.#presentOf(asked).some(({ key }) => key === asked.key))
      return 'The configuration has this passkey already.';
    return this.#isAsking ? 'Another passkey is being added: answer its card first.' : undefined;
  }

  /** A further passkey counts as its person: names are counted where several have to sign. */
  #presentOf({ name, origin }: YesSigner): readonly YesSigner[] {
    return signersIn(this.#parts.config.value).filter((each) => each.name === name && each.origin === origin);
  }

  async #ask(asked: YesSigner): Promise<ActResult> {
    const { tools, grants, openSession } = await this.#parts.runtime;
    const present = this.#presentOf(asked);
    await tools.provide(this.#tool(present));
    if (this.#grant !== undefined) await grants.revoke(this.#grant);
    const where = { properties: { name: { const: asked.name } } };
    const grant = await grants.grant({ capability: ADD_PASSKEY, mode: 'ask', where, signed: { by: present } });
    this.#grant = grant.id;
    const session = openSession({ label: 'gateway', offer: [ADD_PASSKEY], questions: 'wait' });
    const { promise: isAsked, resolve: ask } = deferred<'asked'>();
    session.run.watch(({ pending }) => {
      if (pending !== undefined) ask('asked');
    });
    const called = session.call(ADD_PASSKEY, { ...asked }).finally(() => {
      this.#isAsking = false;
      session.close('The passkey was answered.').catch(() => undefined);
    });
    const first = await Promise.race([called, isAsked]);
    called.catch(() => undefined);
    if (first === 'asked') return { isDone: true, message: 'Answer its card above, with a passkey that you have.' };
    const refusal = first.held === undefined && !first.ok ? first.refusal.message : 'it was not asked';
    return { isDone: false, message: `The passkey was not added: ${visibleLine(refusal)}` };
  }

  #tool(present: readonly YesSigner[]): ToolDefinition {
    const text = { type: 'string' } as const;
    return {
      name: ADD_PASSKEY,
      version: '1.0.0',
      description: 'Adds a passkey of a person to every grant whose yes this person signs at this page.',
      args: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'key', 'origin'],
        properties: { name: text, key: text, origin: text },
      },
      effect: 'write',
      labels: [],
      run: async (args) => {
        const signer = args as unknown as YesSigner;
        // a person may have taken a passkey away while the question was open
        if (canonicalText(this.#presentOf(signer) as never) !== canonicalText(present as never))
          throw new ToolError('conflict', 'The configuration names other passkeys by now.');
        await this.#parts.config.addSigner(signer);
        await this.#parts.changed();
        return { added: signer.key } satisfies JsonObject;
      },
    };
  }
}
