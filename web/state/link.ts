/** What a link into the playground names. It lives in the fragment, which is never sent to a server. */
export interface Link {
  readonly view: ViewName;
  readonly run?: string;
  readonly seq?: number;
  readonly tab?: TabName;
}

export const VIEWS = ['run', 'capabilities', 'corpus', 'audit', 'about'] as const;
export type ViewName = (typeof VIEWS)[number];

export const TABS = ['explain', 'message', 'result', 'receipt', 'context'] as const;
export type TabName = (typeof TABS)[number];

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Reads a fragment. A link is a stranger's text: what is not understood is left out, and nothing is started. */
export function parseLink(fragment: string): Link {
  const params = new URLSearchParams(fragment.replace(/^#/u, ''));
  const run = params.get('r') ?? '';
  const seq = params.get('q') ?? '';
  const tab = TABS.find((name) => name === params.get('t'));
  return {
    view: VIEWS.find((name) => name === params.get('v')) ?? 'run',
    ...(RUN_ID.test(run) ? { run } : {}),
    ...(/^\d{1,9}$/u.test(seq) ? { seq: Number(seq) } : {}),
    ...(tab === undefined ? {} : { tab }),
  };
}

/** Writes the fragment that `parseLink` reads back. The plain first page has none. */
export function formatLink(link: Link): string {
  const params = new URLSearchParams();
  if (link.view !== 'run') params.set('v', link.view);
  if (link.run !== undefined) params.set('r', link.run);
  if (link.seq !== undefined) params.set('q', String(link.seq));
  if (link.tab !== undefined && link.tab !== 'explain') params.set('t', link.tab);
  const text = params.toString();
  return text === '' ? '' : `#${text}`;
}
