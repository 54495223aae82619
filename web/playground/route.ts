import { type Signal, signal } from '@preact/signals-core';
import type { CapabilityDefinition } from '../../core/index.ts';
import type { PageLink, PartName } from './link.ts';

/** The place in a view, beyond the view's name: a link can name it and the views change it. */
export interface Route {
  readonly part: Signal<PartName>;
  readonly lesson: Signal<number | undefined>;
  /** Title of the open lesson, once its code has loaded. */
  readonly title: Signal<string | undefined>;
  /** A shared capability that waits for review: a stranger's text, not parsed yet. */
  readonly shared: Signal<string | undefined>;
  /** The capability the catalogue shows, by name. */
  readonly capability: Signal<string | undefined>;
  /** A definition to be opened in the workshop as a copy. */
  readonly copied: Signal<CapabilityDefinition | undefined>;
  follow(link: PageLink): void;
  /** The members of the link for this place. */
  link(view: PageLink['view']): Pick<PageLink, 'part' | 'lesson' | 'shared'>;
}

export function openRoute(): Route {
  const part = signal<PartName>('catalogue');
  const lesson = signal<number | undefined>(undefined);
  const shared = signal<string | undefined>(undefined);
  return {
    part,
    lesson,
    title: signal<string | undefined>(undefined),
    shared,
    capability: signal<string | undefined>(undefined),
    copied: signal<CapabilityDefinition | undefined>(undefined),
    follow: (link) => {
      part.value = link.part ?? 'catalogue';
      lesson.value = link.lesson;
      shared.value = link.shared;
    },
    link: (view) => ({
      ...(view === 'capabilities' ? { part: part.value } : {}),
      ...(view === 'learn' && lesson.value !== undefined ? { lesson: lesson.value } : {}),
      ...(view === 'capabilities' && shared.value !== undefined ? { shared: shared.value } : {}),
    }),
  };
}
