import { shell } from '../texts/en/shell.ts';

/** The content of a link into the playground. It is in the fragment, which browsers never send to a server. */
export interface PageLink {
  readonly view: ViewName;
  readonly run?: string;
  readonly seq?: number;
  readonly tab?: TabName;
  /** Which part of the capabilities. */
  readonly part?: PartName;
  readonly lesson?: number;
  /** The table of a class, beside the lessons. */
  readonly isClass?: true;
  /** A shared capability, still packed: the page shows it before a person acts on it. */
  readonly shared?: string;
  /** A run that was sent, still packed: Audit shows it, and runs none of it. */
  readonly sent?: string;
  /** A scenario that the link names: the page asks before it starts a run of it. */
  readonly scenario?: string;
  /** An address that names no view here. */
  readonly unknown?: string;
}

export const VIEWS = ['learn', 'run', 'capabilities', 'corpus', 'audit', 'about'] as const;
export type ViewName = (typeof VIEWS)[number];

export function nameOf(view: ViewName): string {
  return shell().views[view];
}

export const TABS = ['explain', 'message', 'result', 'slices', 'receipt', 'context'] as const;
export type TabName = (typeof TABS)[number];

export const PARTS = ['catalogue', 'allowed', 'workshop', 'breakout'] as const;
export type PartName = (typeof PARTS)[number];

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Reads a fragment. A link is a stranger's text: unknown parts are left out, and reading it starts no run. */
export function parseLink(fragment: string): PageLink {
  if (CLASS.test(fragment)) return { view: 'learn', isClass: true };
  const learn = LESSON.exec(fragment);
  const lesson = learn?.[1] ?? learn?.[2];
  if (learn !== null) return { view: 'learn', ...(lesson === undefined ? {} : { lesson: Number(lesson) }) };
  const shared = SHARED.exec(fragment)?.[1];
  if (shared !== undefined) return { view: 'capabilities', part: 'workshop', shared };
  const sent = SENT.exec(fragment)?.[1];
  if (sent !== undefined) return { view: 'audit', sent };
  const scenario = SCENARIO.exec(fragment)?.[1];
  if (scenario !== undefined) return { view: 'run', scenario };
  const path = /^#?\/(.*)$/su.exec(fragment)?.[1];
  if (path !== undefined) {
    const named = VIEWS.find((name) => name === path.replace(/\/$/u, ''));
    if (named !== undefined) return { view: named };
    return { view: 'run', ...(path === '' ? {} : { unknown: path.slice(0, 80) }) };
  }
  const params = new URLSearchParams(fragment.replace(/^#/u, ''));
  const run = params.get('r') ?? '';
  const seq = params.get('q') ?? '';
  const tab = TABS.find((name) => name === params.get('t'));
  const part = PARTS.find((name) => name === params.get('c'));
  return {
    view: VIEWS.find((name) => name === params.get('v')) ?? 'run',
    ...(RUN_ID.test(run) ? { run } : {}),
    ...(/^\d{1,9}$/u.test(seq) ? { seq: Number(seq) } : {}),
    ...(tab === undefined ? {} : { tab }),
    ...(part === undefined ? {} : { part }),
  };
}

/** `#/learn` is the list of lessons, `#/learn/3` is a lesson, and `#l=3` is its short form for a blackboard. */
const LESSON = /^#?(?:\/learn(?:\/([1-9]\d?))?|l=([1-9]\d?))$/u;
const CLASS = /^#?\/learn\/class$/u;
/** The rest is a stranger's text: the page that shows it unpacks it, under limits. */
const SHARED = /^#?s=(.+)$/su;
const SENT = /^#?run=(.+)$/su;
/** `#/scenario/mail`; the page that asks about it says whether there is such a scenario. */
const SCENARIO = /^#?\/scenario\/([a-z]{1,40})$/u;

/** Writes the fragment that `parseLink` reads back. The plain first page has an empty fragment. */
export function formatLink(link: PageLink): string {
  if (link.view === 'learn' && link.isClass === true) return '#/learn/class';
  if (link.view === 'learn') return link.lesson === undefined ? '#/learn' : `#/learn/${link.lesson}`;
  if (link.shared !== undefined) return `#s=${link.shared}`;
  if (link.sent !== undefined) return `#run=${link.sent}`;
  if (link.scenario !== undefined) return `#/scenario/${link.scenario}`;
  const params = new URLSearchParams();
  if (link.view !== 'run') params.set('v', link.view);
  if (link.run !== undefined) params.set('r', link.run);
  if (link.seq !== undefined) params.set('q', String(link.seq));
  if (link.tab !== undefined && link.tab !== 'explain') params.set('t', link.tab);
  if (link.part !== undefined && link.part !== 'catalogue') params.set('c', link.part);
  const text = params.toString();
  return text === '' ? '' : `#${text}`;
}
