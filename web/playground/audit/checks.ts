import { type CSSResult, css, html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { CHECK_NAMES, type Check, type CheckId, findingText, type Report } from '../../../core/index.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { shown } from '../parts/text.ts';

const NOT_RUN: { readonly [C in CheckId]?: string } = {
  anchor: 'Not run. Needs a head that you noted.',
  decisions: 'Needs records that are intact.',
  replay: 'Needs intact records and matching decisions. Press Run it again.',
};

const HELD = 'Not run: a link brought this run. Press Check the decisions.';

/** The unit of each check's count. */
const COUNTED: { readonly [C in CheckId]: string } = {
  form: 'line',
  hashes: 'hash',
  links: 'record',
  anchor: 'anchor',
  decisions: 'decision',
  replay: 'record',
};

function counted(id: CheckId, count: number): string {
  const word = COUNTED[id];
  return `${count.toLocaleString()} ${count === 1 ? word : word === 'hash' ? 'hashes' : `${word}s`}`;
}

const ICONS: { readonly [S in Check['status']]: IconName } = { pass: 'check', fail: 'cross', not_run: 'dash' };
const TONES: { readonly [S in Check['status']]: string } = { pass: 'good', fail: 'bad', not_run: 'soft' };

/** Six named checks, each with its own line. The result is never a single boolean. */
export class Checks extends LitElement {
  static override properties: PropertyDeclarations = {
    report: { attribute: false },
    working: { attribute: false },
    held: { type: Boolean },
  };
  static override styles: CSSResult[] = [
    shared,
    css`
      li {
        display: grid;
        grid-template-columns: 1.5rem minmax(0, 1fr) auto;
        gap: 0.5rem;
        padding: 0.4375rem 0;
        border-top: 1px solid var(--line);
        animation: tick 240ms both;
      }
      li svg {
        margin-top: 0.125rem;
      }
      .why {
        display: block;
        overflow-wrap: anywhere;
      }
      .diff {
        display: grid;
        margin-top: 0.375rem;
        overflow-wrap: anywhere;
      }
      .diff > * {
        padding: 0.125rem 0.5rem;
        text-decoration: none;
      }
      del {
        color: var(--bad);
        background: var(--bad-wash);
      }
      del::before {
        content: '− recorded ';
      }
      ins {
        color: var(--good);
        background: var(--good-wash);
      }
      ins::before {
        content: '+ again ';
      }
      li:nth-child(2) {
        animation-delay: 90ms;
      }
      li:nth-child(3) {
        animation-delay: 180ms;
      }
      li:nth-child(4) {
        animation-delay: 270ms;
      }
      li:nth-child(5) {
        animation-delay: 360ms;
      }
      li:nth-child(6) {
        animation-delay: 450ms;
      }
      @keyframes tick {
        from {
          opacity: 0;
          transform: translateY(4px);
        }
      }
      @media (prefers-reduced-motion: reduce) {
        li {
          animation: none;
        }
      }
    `,
  ];
  declare report: Report | undefined;
  /** A check that is under way. */
  declare working: CheckId | undefined;
  /** The decisions wait until a person asks for them. */
  declare held: boolean | undefined;

  protected override render(): TemplateResult {
    return html`<ul>${this.report?.checks.map((check) => this.#line(check))}</ul>`;
  }

  #line({ id, status, count, first, difference, skipped }: Check): TemplateResult {
    const isWorking = this.working === id;
    const waits = this.held === true && id === 'decisions' ? HELD : NOT_RUN[id];
    const note = isWorking ? 'Under way…' : status === 'not_run' && skipped === undefined ? waits : undefined;
    return html`<li data-status=${status}>
      <span class=${TONES[status]}>${icon(ICONS[status])}</span>
      <span>${CHECK_NAMES[id]}
        ${note === undefined ? '' : html`<span class="why soft">${note}</span>`}
        ${first === undefined ? '' : html`<span class="why bad">${shown(findingText(id, first))}</span>`}
        ${difference === undefined ? '' : html`<span class="diff mono"><del>${shown(difference.recorded)}</del><ins>${shown(difference.again)}</ins></span>`}
        ${skipped === undefined ? '' : html`<span class="why soft">${status === 'not_run' ? '' : `${skipped.count} not verified. Record ${skipped.first.run_seq}: `}${shown(skipped.first.message)}</span>`}
      </span>
      <span class="soft">${status === 'not_run' ? 'not run' : counted(id, count)}</span>
    </li>`;
  }
}

customElements.define('sp-checks', Checks);
