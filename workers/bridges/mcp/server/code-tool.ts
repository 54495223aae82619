import { defineCodeTool } from '../../../../core/capability/code-tool.ts';
import type { Runtime } from '../../../api.ts';
import { makeSerialQueue } from '../../../async.ts';
import { warn } from '../../../client/warn.ts';
import type { ServedTools } from './tools.ts';

/** Name of the tool through which a model sends a program. */
export const CODE = 'code';

/**
 * Keeps a tool `code` over the offered tools, granted by itself: each call inside a program needs the grant of its tool.
 * Returns a function that updates it, and one that removes it. Throws `capability_twice` where the name is taken.
 */
export async function keepCodeTool(
  runtime: Runtime,
  tools: ServedTools,
): Promise<{ readonly update: () => Promise<void>; readonly remove: () => Promise<void> }> {
  const inTurn = makeSerialQueue();
  let known: string | undefined;
  const remove = async (): Promise<void> => {
    if (known === undefined) return;
    known = undefined;
    await runtime.capabilities.remove(CODE);
  };
  const put = async (): Promise<void> => {
    const rows = (await tools.rows()).filter(({ name }) => name !== CODE);
    const hashes = rows.map(({ hash }) => hash).join();
    if (hashes === known) return;
    const definition = defineCodeTool({ name: CODE, tools: rows });
    await remove();
    await runtime.capabilities.register(definition);
    known = hashes;
    await runtime.capabilities.enable(CODE);
    await runtime.grants.grant({ capability: CODE, mode: 'allow' });
  };
  await inTurn(put);
  return {
    update: () => inTurn(put).catch((error: unknown) => warn('sallyport: the tool code', error)),
    remove: () => inTurn(remove),
  };
}
