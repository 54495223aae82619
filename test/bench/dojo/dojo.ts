import { useNodeHash } from '../../../workers/node/hash.ts';
import { COLUMNS, openStage, playSuite, whyReading } from './play.ts';
import { planOf } from './script.ts';
import type { DojoSuite } from './suite.ts';
import type { DojoRow } from './table.ts';

export { COLUMNS } from './play.ts';
export { dojoFolder, readSuites } from './suite.ts';
export { formatDojo, METHOD, textOf } from './table.ts';

// as the entry for Node does
useNodeHash();

/** Tasks that a model cannot make without reading, with the reason. */
export function notPossible(suite: DojoSuite): readonly string[] {
  return suite.tasks.flatMap((task) => {
    const why = whyReading(planOf(suite, task));
    return why === undefined ? [] : [`${suite.name} ${why}`];
  });
}

/** Plays a suite under each column, one after the other, and hands each row over. */
export async function playAll(
  suite: DojoSuite,
  onRow: (row: DojoRow) => void,
  progress: (note: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const column of COLUMNS) {
    const stage = await openStage(suite, column);
    try {
      onRow(
        await playSuite(stage, () => {
          signal.throwIfAborted();
          progress(`${suite.name}, ${column.name}`);
        }),
      );
    } finally {
      await stage.runtime.close();
    }
  }
}
