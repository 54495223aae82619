import type { PropertyDeclarations } from 'lit';
import type { Playground } from '../playground.ts';
import { SignalView } from './signal-view.ts';

/** A panel of the playground: it reads the store, and draws again when a signal it read has changed. */
export abstract class View extends SignalView {
  static override properties: PropertyDeclarations = { store: { attribute: false } };
  declare store: Playground;
}
