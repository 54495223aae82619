import { type ToolDefinition, toolCapability } from '../../core/capability/author.ts';
import { refuse } from '../../core/errors.ts';
import { CALLBACK, demand, LIST, type OptionType, TEXT } from '../../core/option.ts';
import { refusalError, unwrap } from '../../core/sallyport-error.ts';
import type { CapabilityRow, Runtime, ToolSource } from '../api.ts';
import { makeSerialQueue } from '../async.ts';
import type { Kernel } from '../kernel/api.ts';
import { definedProperties } from '../own-properties.ts';
import { runnerOf } from './power-runner.ts';
import { warn } from './warn.ts';

/** The tools of a runtime, and the sources that they come from. */
export interface ToolClient extends Pick<Runtime, 'tools'> {
  /**
   * Adds the tools and the sources that the program gave when it opened the runtime. Behind the signal's abort no source
   * is asked for its list.
   */
  add(given: readonly (ToolDefinition | ToolSource)[], signal?: AbortSignal): Promise<void>;
  /** Closes every source, also one that was not asked yet. */
  close(): Promise<void>;
}

/** What is asked of a definition that has a source in the place of a function. */
const HOST_FUNCTION: OptionType = ['a function; a definition with a source belongs into capabilities', CALLBACK[1]];

/** Owner of the tools that the program provides by itself. */
const PROGRAM: ToolOwner = { id: 'the program' };

export function toolClient(kernel: Kernel): ToolClient {
  const owners = new Map<string, ToolOwner>();
  const syncs: ToolSync[] = [];
  /** A name belongs to its first owner until that owner removes it: no source can replace a tool of another. */
  const provide = async (given: ToolDefinition, owner: ToolOwner): Promise<CapabilityRow> => {
    const { run, revert, ...terms } = definedProperties(given);
    demand('run', run, 'source' in terms ? HOST_FUNCTION : CALLBACK);
    const definition = toolCapability(terms, revert);
    const { name } = terms;
    if ((owners.get(name) ?? owner) !== owner) throw refusalError(refuse('capability_twice', { name }).refusal);
    const before = owners.has(name);
    owners.set(name, owner);
    const runner = runnerOf({ name: terms.name, run, ...(revert && { revert }) });
    const provided = await kernel.provideTool(definition, runner);
    if (!provided.ok && !before) owners.delete(name);
    return unwrap(provided);
  };
  const remove = async (name: string): Promise<void> => {
    unwrap(owners.has(name) ? await kernel.forget(name) : refuse('unknown_capability', { name }));
    owners.delete(name);
  };
  return {
    tools: { provide: (definition) => provide(definition, PROGRAM), remove },
    async add(given, signal) {
      const added = given.filter(isSource).map((source) => new ToolSync(source, { provide, remove }));
      syncs.push(...added);
      signal?.throwIfAborted();
      const own = given.filter((each): each is ToolDefinition => !isSource(each));
      assertDistinct(own);
      // all at once: the kernel has the schemas of many judged together
      await Promise.all(own.map((each) => provide(each, PROGRAM)));
      for (const sync of added) {
        signal?.throwIfAborted();
        await sync.begin();
      }
    },
    close: async () => void (await Promise.allSettled(syncs.map((sync) => sync.close()))),
  };
}

function isSource(given: ToolDefinition | ToolSource): given is ToolSource {
  return typeof (given as Partial<ToolSource>).list === 'function';
}

/** The program, or a source: tools of one owner cannot take the names of another owner's tools. */
type ToolOwner = Pick<ToolSource, 'id'>;

/** Changes the tools of the runtime. */
interface ToolChanges {
  readonly provide: (definition: ToolDefinition, owner: ToolOwner) => Promise<unknown>;
  readonly remove: (name: string) => Promise<void>;
}

/**
 * Keeps the tools of a runtime equal to the list of a source. A list that cannot be taken at the opening rejects; a
 * later list that cannot be taken is left out, with a warning to the developer, and the tools stay as they were.
 */
class ToolSync {
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
function assertDistinct(tools: readonly ToolDefinition[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw refusalError(refuse('capability_twice', { name }).refusal);
    names.add(name);
  }
}
