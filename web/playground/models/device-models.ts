import type { Playground } from '../playground.ts';
import { type BrowserModelState, openBrowserModel } from './browser-model.ts';
import { type GgufModels, openGgufModels } from './gguf-model.ts';
import { openSmallModel, type SmallModelState } from './small-model.ts';

/** The models of this device. They outlive the panels that show them. */
export interface DeviceModels {
  readonly small: SmallModelState;
  readonly gguf: GgufModels;
  readonly browser: BrowserModelState;
}

const known = new WeakMap<Playground, DeviceModels>();

export function deviceModelsOf(store: Playground): DeviceModels {
  const found = known.get(store) ?? open(store);
  known.set(store, found);
  return found;
}

function open(store: Playground): DeviceModels {
  const loaded = (): void => {
    if (store.chosen.peek() === 'model') store.choose('model');
  };
  const gguf = openGgufModels(store.models, loaded);
  void gguf.refresh();
  return { small: openSmallModel(store.models, loaded), gguf, browser: openBrowserModel(store.models, loaded) };
}
