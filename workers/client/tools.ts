import { type ToolDefinition, toolCapability } from '../../core/capability/author.ts';
import { refuse } from '../../core/errors.ts';
import { CALLBACK, demand } from '../../core/option.ts';
import { refusalError, unwrap } from '../../core/sallyport-error.ts';
import type { CapabilityRow, Runtime, ToolSource } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import { definedProperties } from '../own-properties.ts';
import { runnerOf } from './power-runner.ts';
import { assertDistinct, type ToolOwner, ToolSync } from './tool-sync.ts';

/** The tools of a runtime, and the sources that they come from. */
export interface ToolClient extends Pick<Runtime, 'tools'> {
  /** Adds the tools and the sources that the program gave when it opened the runtime. */
  add(given: readonly (ToolDefinition | ToolSource)[]): Promise<void>;
  /** Closes every source. */
  close(): Promise<void>;
}

/** Owner of the tools that the program provides by itself. */
const PROGRAM: ToolOwner = { id: 'the program' };

export function toolClient(kernel: Kernel): ToolClient {
  const owners = new Map<string, ToolOwner>();
  const syncs: ToolSync[] = [];
  /** A name belongs to its first owner until that owner removes it: no source can replace a tool of another. */
  const provide = async (given: ToolDefinition, owner: ToolOwner): Promise<CapabilityRow> => {
    const { run, ...terms } = definedProperties(given);
    demand('run', run, CALLBACK);
    const { name } = terms;
    if ((owners.get(name) ?? owner) !== owner) throw refusalError(refuse('capability_twice', { name }).refusal);
    const before = owners.has(name);
    owners.set(name, owner);
    const provided = await kernel.provideTool(toolCapability(terms), runnerOf({ name: terms.name, run }));
    if (!provided.ok && !before) owners.delete(name);
    return unwrap(provided);
  };
  const remove = async (name: string): Promise<void> => {
    unwrap(owners.has(name) ? await kernel.forget(name) : refuse('unknown_capability', { name }));
    owners.delete(name);
  };
  return {
    tools: { provide: (definition) => provide(definition, PROGRAM), remove },
    async add(given) {
      const own = given.filter((each): each is ToolDefinition => !isSource(each));
      assertDistinct(own);
      // all at once: the kernel has the schemas of many judged together
      await Promise.all(own.map((each) => provide(each, PROGRAM)));
      for (const source of given.filter(isSource)) {
        const sync = new ToolSync(source, { provide, remove });
        syncs.push(sync);
        await sync.begin();
      }
    },
    close: async () => void (await Promise.allSettled(syncs.map((sync) => sync.close()))),
  };
}

function isSource(given: ToolDefinition | ToolSource): given is ToolSource {
  return typeof (given as Partial<ToolSource>).list === 'function';
}
