import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit';

export type IconName =
  | 'arch'
  | 'barrier'
  | 'check'
  | 'chevron'
  | 'close'
  | 'column'
  | 'copy'
  | 'cross'
  | 'dash'
  | 'disk'
  | 'dot'
  | 'download'
  | 'eye'
  | 'flag'
  | 'fork'
  | 'gear'
  | 'hand'
  | 'help'
  | 'inbox'
  | 'key'
  | 'link'
  | 'list'
  | 'lock'
  | 'moon'
  | 'open'
  | 'pause'
  | 'pen'
  | 'pin'
  | 'play'
  | 'plus'
  | 'ready'
  | 'receipt'
  | 'reply'
  | 'run'
  | 'seal'
  | 'search'
  | 'shield'
  | 'step'
  | 'stop'
  | 'sun'
  | 'system';

/** Our own icons, 20 by 20, drawn with a single stroke. They only accompany words, so they are hidden from speech. */
const PATHS: { readonly [N in IconName]: SVGTemplateResult } = {
  arch: svg`<path d="M3 18V9a7 7 0 0 1 14 0v9M7 18V9.5a3 3 0 0 1 6 0V18M3 13h4m6 0h4M10 6.5V18"/>`,
  barrier: svg`<path d="M3 3v14M17 3v14M3 6h14M3 10h14M3 14h14M7.7 3v14M12.3 3v14"/>`,
  check: svg`<path d="m4 10.5 4 4 8-9"/>`,
  chevron: svg`<path d="m7 4 6 6-6 6"/>`,
  close: svg`<path d="m5 5 10 10M15 5 5 15"/>`,
  column: svg`<path d="M3 4h14v12H3zM8 4v12"/>`,
  copy: svg`<path d="M7 7h9v9H7zM13 7V4H4v9h3"/>`,
  cross: svg`<path d="m5 5 10 10M15 5 5 15"/>`,
  dash: svg`<path d="M5 10h10"/>`,
  disk: svg`<path d="M3 5c0-1.4 3.1-2.5 7-2.5S17 3.6 17 5s-3.1 2.5-7 2.5S3 6.4 3 5zm0 0v10c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5V5M3 10c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5"/>`,
  dot: svg`<path d="M10 8.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z"/>`,
  download: svg`<path d="M10 3v9m-4-3.5 4 4 4-4M4 16.5h12"/>`,
  eye: svg`<path d="M1.5 10S4.5 4.5 10 4.5 18.5 10 18.5 10 15.5 15.5 10 15.5 1.5 10 1.5 10z"/><circle cx="10" cy="10" r="2.5"/>`,
  flag: svg`<path d="M5 18V3h10l-2 3.5 2 3.5H5"/>`,
  fork: svg`<circle cx="5.5" cy="4.5" r="2"/><circle cx="5.5" cy="15.5" r="2"/><circle cx="14.5" cy="6.5" r="2"/><path d="M5.5 6.5v7M14.5 8.5c0 3.5-5 2.5-8.2 5.3"/>`,
  gear: svg`<circle cx="10" cy="10" r="3"/><path d="M10 2v3m0 10v3M2 10h3m10 0h3M4.3 4.3l2.2 2.2m7 7 2.2 2.2M4.3 15.7l2.2-2.2m7-7 2.2-2.2"/>`,
  hand: svg`<path d="M6 10V5.5a1.2 1.2 0 0 1 2.4 0V9m0-5.3a1.2 1.2 0 0 1 2.4 0V9m0-4.2a1.2 1.2 0 0 1 2.4 0V10m0-3.2a1.2 1.2 0 0 1 2.4 0V12c0 3.5-2 5.5-5 5.5-2.5 0-3.7-1-5-3.2l-1.7-3c-.5-1 .8-1.9 1.7-1z"/>`,
  help: svg`<circle cx="10" cy="10" r="7.5"/><path d="M7.7 7.8a2.3 2.3 0 1 1 3.3 2.1c-.7.4-1 .8-1 1.6M10 14v.2"/>`,
  inbox: svg`<path d="M10 2.5v7M7 7l3 3 3-3M3 11.5h4l1 2h4l1-2h4V17H3z"/>`,
  key: svg`<circle cx="6.5" cy="13.5" r="3.5"/><path d="M9 11l7.5-7.5M13 7l2.5 2.5"/>`,
  link: svg`<path d="M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-1 1m1 3.3a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1-1"/>`,
  list: svg`<path d="M3 5h1m3 0h10M3 10h1m3 0h10M3 15h1m3 0h10"/>`,
  lock: svg`<path d="M4.5 9h11v8h-11zM7 9V6a3 3 0 0 1 6 0v3"/>`,
  moon: svg`<path d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z"/>`,
  open: svg`<path d="M2.5 16V4.5h5l2 2H16V9M2.5 16 5 9h13l-2.5 7z"/>`,
  pause: svg`<path d="M7 4v12M13 4v12"/>`,
  pen: svg`<path d="m3.5 16.5 1-4L13 4l3 3-8.5 8.5zM11 6l3 3"/>`,
  pin: svg`<path d="M7 3h6l-1 5 3 3H5l3-3zM10 11v6.5"/>`,
  play: svg`<path d="M6 4v12l10-6z"/>`,
  plus: svg`<path d="M10 4v12M4 10h12"/>`,
  ready: svg`<circle cx="10" cy="10" r="7.5"/><path d="M8.5 7v6l4.5-3z"/>`,
  receipt: svg`<path d="M5 2.5h10v15l-2-1.5-1.5 1.5L10 16l-1.5 1.5L7 16l-2 1.5zM8 7h4M8 10.5h4"/>`,
  reply: svg`<path d="M8 5 3.5 9.5 8 14m-4.5-4.5H12a4.5 4.5 0 0 1 4.5 4.5v1"/>`,
  run: svg`<path d="M3.5 4.5v11l7-5.5zM10.5 4.5v11l7-5.5z"/>`,
  seal: svg`<circle cx="10" cy="8" r="5.5"/><path d="m7.5 8 2 2 3-3.5M7 12.8V18l3-1.8 3 1.8v-5.2"/>`,
  search: svg`<circle cx="8.5" cy="8.5" r="5"/><path d="m12.5 12.5 4.5 4.5"/>`,
  shield: svg`<path d="M10 2.5 3.5 5v5c0 4 2.7 6.3 6.5 7.5 3.8-1.2 6.5-3.5 6.5-7.5V5z"/>`,
  step: svg`<path d="M4 4.5v11l8-5.5zM15.5 4.5v11"/>`,
  stop: svg`<path d="M5 5h10v10H5z"/>`,
  sun: svg`<circle cx="10" cy="10" r="3.5"/><path d="M10 1.5v2m0 13v2M1.5 10h2m13 0h2M4 4l1.4 1.4m9.2 9.2L16 16M4 16l1.4-1.4m9.2-9.2L16 4"/>`,
  system: svg`<circle cx="10" cy="10" r="7.5"/><path d="M10 2.5v15a7.5 7.5 0 0 0 0-15z" fill="currentColor"/>`,
};

export function icon(name: IconName): TemplateResult {
  return html`<svg
    class="icon"
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    >${PATHS[name]}</svg
  >`;
}
