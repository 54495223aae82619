import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { CapabilityDefinition } from '../../core/index.ts';
import { shell } from '../texts/en/shell.ts';
import { formatLink, nameOf, type PageLink, type PartName, VIEWS, type ViewName } from './link.ts';
import type { RunSession } from './run/session.ts';
import type { Selection } from './timeline/selection.ts';

/** The place in a view, beyond the view's name: a link can name it and the views change it. */
export interface Route {
  readonly part: Signal<PartName>;
  readonly lesson: Signal<number | undefined>;
  /** The table of a class is open, in the place of the lessons. */
  readonly isClass: Signal<boolean>;
  /** Title of the open lesson, once its code has loaded. */
  readonly title: Signal<string | undefined>;
  /** A shared capability that waits for review: a stranger's text, not parsed yet. */
  readonly shared: Signal<string | undefined>;
  /** A run that a link brought: a stranger's text, not parsed yet. */
  readonly sent: Signal<string | undefined>;
  /** A scenario that a link named, until a person starts it or goes on without it: a stranger chose it. */
  readonly scenario: Signal<string | undefined>;
  /** The capability the catalogue shows, by name. */
  readonly capability: Signal<string | undefined>;
  /** A definition to be opened in the workshop as a copy. */
  readonly copied: Signal<CapabilityDefinition | undefined>;
  follow(link: PageLink): void;
  /** The members of the link for this place. */
  link(view: PageLink['view']): Pick<PageLink, 'part' | 'lesson' | 'isClass' | 'shared' | 'sent' | 'scenario'>;
}

function openRoute(): Route {
  const part = signal<PartName>('catalogue');
  const lesson = signal<number | undefined>(undefined);
  const isClass = signal(false);
  const shared = signal<string | undefined>(undefined);
  const sent = signal<string | undefined>(undefined);
  const scenario = signal<string | undefined>(undefined);
  return {
    part,
    lesson,
    isClass,
    title: signal<string | undefined>(undefined),
    shared,
    sent,
    scenario,
    capability: signal<string | undefined>(undefined),
    copied: signal<CapabilityDefinition | undefined>(undefined),
    follow: (link) => {
      part.value = link.part ?? 'catalogue';
      lesson.value = link.lesson;
      isClass.value = link.isClass === true;
      shared.value = link.shared;
      sent.value = link.sent;
      scenario.value = link.scenario;
    },
    link: (view) => ({
      ...(view === 'capabilities' ? { part: part.value } : {}),
      ...(view === 'learn' && isClass.value ? { isClass: true as const } : {}),
      ...(view === 'learn' && lesson.value !== undefined ? { lesson: lesson.value } : {}),
      ...(view === 'capabilities' && shared.value !== undefined ? { shared: shared.value } : {}),
      ...(view === 'audit' && sent.value !== undefined ? { sent: sent.value } : {}),
      ...(view === 'run' && scenario.value !== undefined ? { scenario: scenario.value } : {}),
    }),
  };
}

/** The open view with its place, as a link, and the way back from a link. */
export interface Navigation {
  readonly view: Signal<ViewName>;
  readonly place: Route;
  readonly link: ReadonlySignal<string>;
  follow(link: PageLink): Promise<void>;
}

export interface NavigationFacts {
  readonly session: ReadonlySignal<RunSession | undefined>;
  readonly selection: Selection;
  readonly trouble: Signal<string | undefined>;
  openRun(id: string): Promise<void>;
}

export function openNavigation({ session, selection, trouble, openRun }: NavigationFacts): Navigation {
  const view = signal<ViewName>('run');
  const place = openRoute();
  return {
    view,
    place,
    link: computed(() => {
      const own = session.value;
      const past = own === undefined || own.run !== undefined || own.file !== undefined ? {} : { run: own.id };
      const seq = selection.seq.value;
      const at = own?.run !== undefined || seq === undefined ? {} : { seq };
      return formatLink({ view: view.value, ...past, ...at, tab: selection.tab.value, ...place.link(view.value) });
    }),
    follow: async (link) => {
      view.value = link.view;
      place.follow(link);
      if (link.unknown !== undefined) trouble.value = shell().unknownView(link.unknown, VIEWS.map(nameOf));
      if (link.run !== undefined) await openRun(link.run);
      if (link.seq !== undefined) selection.select(link.seq);
      if (link.tab !== undefined) selection.tab.value = link.tab;
    },
  };
}
