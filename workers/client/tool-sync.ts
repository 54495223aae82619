import type { ToolDefinition } from '../../core/capability/author.ts';
import { refuse } from '../../core/errors.ts';
import { CALLBACK, demand, LIST, TEXT } from '../../core/option.ts';
import { refusalError } from '../../core/sallyport-error.ts';
import type { ToolSource } from '../api.ts';
import { makeSerialQueue } from '../async.ts';
import { warn } from './warn.ts';

/** The program, or a source: tools of one owner cannot take the names of another owner's tools. */
export type ToolOwner = Pick<ToolSource, 'id'>;

/** Changes the tools of the runtime. */
export interface ToolChanges {
  readonly provide: (definition: ToolDefinition, owner: ToolOwner) => Promise<unknown>;
  readonly remove: (name: string) => Promise<void>;
}

/**
 * Keeps the tools of a runtime equal to the list of a source. A list that cannot be taken at the opening rejects; a
 * later list that cannot be taken is left out, with a warning to the developer, and the tools stay as they were.
 */
export class ToolSync {
  readonly #source: ToolSource;
  readonly #changes: ToolChanges;
  readonly #inTurn = makeSerialQueue();
  #known: ReadonlySet<string> = new Set();
  #leave: (() => void) | undefined;
  #isClosed = false;

  constructor(source: ToolSource, changes: ToolChanges) {
    demand('tools', source.id, TEXT);
    demand('tools', source.close, CALLBACK);
    this.#source = source;
    this.#changes = changes;
  }

  /** Takes the first list, and then follows the changes of the source. */
  async begin(): Promise<void> {
    this.#leave = this.#source.changed?.(() => void this.#inTurn(() => this.#follow()));
    await this.#inTurn(() => this.#update());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#leave?.();
    await this.#source.close();
  }

  async #follow(): Promise<void> {
    if (this.#isClosed) return;
    await this.#update().catch((error: unknown) => warn(`sallyport: the tools of ${this.#source.id}`, error));
  }

  async #update(): Promise<void> {
    const listed = await this.#source.list();
    demand('list', listed, LIST);
    assertDistinct(listed);
    if (this.#isClosed) return;
    const names = new Set(listed.map(({ name }) => name));
    // what has gone is removed first, so that no run calls it while the others are added
    const gone = [...this.#known].filter((name) => !names.has(name));
    this.#known = new Set([...this.#known].filter((name) => names.has(name)));
    // the program may have removed one of them by itself
    await Promise.allSettled(gone.map((name) => this.#changes.remove(name)));
    const added = await Promise.allSettled(listed.map((each) => this.#changes.provide(each, this.#source)));
    const failed = added.find((each) => each.status === 'rejected');
    this.#known = new Set([
      ...this.#known,
      ...listed.filter((_, at) => added[at]?.status === 'fulfilled').map(({ name }) => name),
    ]);
    if (failed !== undefined) throw failed.reason;
  }
}

/** Throws `capability_twice` for a list with a name twice. */
export function assertDistinct(tools: readonly ToolDefinition[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw refusalError(refuse('capability_twice', { name }).refusal);
    names.add(name);
  }
}
