import { type Signal, signal } from '@preact/signals-core';
import weightsUrl from '../../../workers/models/small/weights.bin?url';
import workerUrl from '../../../workers/models/small/worker.ts?worker&url';
import { openModelWorker, type SmallModelData, type WorkerModel } from '../../models.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { models } from '../../texts/en/models.ts';
import { measured } from './measured.ts';
import type { ModelChoice } from './model-choice.ts';

/** The small model of this page: opened with its first choice, in a worker that can ask no server. */
export interface SmallModelState {
  /** Its proposals are held to the form of a proposal. */
  readonly constrained: Signal<boolean>;
  readonly trouble: Signal<string | undefined>;
  /** Opens it, where it is not open with this constraint. */
  open(): Promise<void>;
}

export function openSmallModel(choice: ModelChoice, loaded: () => void): SmallModelState {
  const constrained = signal(true);
  const trouble = signal<string | undefined>(undefined);
  let weights: Promise<Uint8Array> | undefined;
  let current: { readonly constrained: boolean; readonly model: Promise<WorkerModel> } | undefined;

  const load = async (isConstrained: boolean): Promise<WorkerModel> => {
    weights ??= fetchWeights();
    const id = isConstrained ? 'small-model' : 'small-model, not held to a form';
    const data: SmallModelData = { weights: await weights, id, constrained: isConstrained };
    return openModelWorker(workerUrl, { data });
  };

  const open = async (): Promise<void> => {
    const wanted = constrained.peek();
    if (current?.constrained === wanted && choice.opened.peek().small !== undefined) return;
    const before = current;
    const mine = { constrained: wanted, model: load(wanted) };
    current = mine;
    trouble.value = undefined;
    try {
      const model = await mine.model;
      if (current !== mine) return model.close();
      choice.opened.value = {
        ...choice.opened.peek(),
        small: measured(
          model,
          () => models().names.small,
          () => models().places.page,
        ),
      };
      before?.model.then((old) => old.close()).catch(() => undefined);
      loaded();
    } catch (error) {
      weights = undefined;
      if (current === mine) current = undefined;
      trouble.value = sentenceOf(error);
    }
  };

  return { constrained, trouble, open };
}

async function fetchWeights(): Promise<Uint8Array> {
  const response = await fetch(weightsUrl);
  if (!response.ok) throw new Error(models().small.noWeights);
  return new Uint8Array(await response.arrayBuffer());
}
