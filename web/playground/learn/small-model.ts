import weightsUrl from '../../../workers/models/small/weights.bin?url';
import workerUrl from '../../../workers/models/small/worker.ts?worker&url';
import type { SmallModelData } from '../../models.ts';
import { learn } from '../../texts/en/learn.ts';
import type { OpenSmallModel } from './asking.ts';

/** The small model in a locked worker of the page. It is loaded when a learner first asks it. */
export const openSmallModel: OpenSmallModel = async (constrained) => {
  const { openModelWorker } = await import('../../models.ts');
  const response = await fetch(weightsUrl);
  if (!response.ok) throw new Error(learn().bench.notLoaded);
  const data: SmallModelData = { weights: new Uint8Array(await response.arrayBuffer()), constrained };
  return openModelWorker(workerUrl, { data });
};
