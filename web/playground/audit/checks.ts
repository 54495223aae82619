import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { type Check, type CheckId, type Finding, findingText, type Report } from '../../../core/index.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { auditView } from '../../texts/en/audit-view.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { withGist, withoutAdvice } from '../../texts/recorded.ts';
import { SignalView } from '../parts/signal-view.ts';
import { shown } from '../parts/text.ts';

const ICONS: { readonly [S in Check['status']]: IconName } = { pass: 'check', fail: 'cross', not_run: 'dash' };
const TONES: { readonly [S in Check['status']]: string } = { pass: 'good', fail: 'bad', not_run: 'soft' };

/** Six named checks, each with its own line. The result is never a single boolean. */
export class Checks extends SignalView {
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
      @media (max-width: 24rem) {
        li {
          grid-template-columns: 1.5rem minmax(0, 1fr);
        }
        li > :last-child {
          grid-column: 2;
        }
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
        content: '− ' attr(data-word) ' ';
      }
      ins {
        color: var(--good);
        background: var(--good-wash);
      }
      ins::before {
        content: '+ ' attr(data-word) ' ';
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

  protected override view(): TemplateResult {
    return html`<ul>${this.report?.checks.map((check) => this.#line(check))}</ul>`;
  }

  #line({ id, status, count, first, difference, skipped, parts = [] }: Check): TemplateResult {
    const { checks: texts } = auditView();
    const isWorking = this.working === id;
    const note = isWorking
      ? texts.underWay
      : status === 'not_run' && skipped === undefined
        ? this.#wait(id)
        : undefined;
    return html`<li data-status=${status}>
      <span class=${TONES[status]}>${icon(ICONS[status])}</span>
      <span>${texts.names[id]}
        ${note === undefined ? '' : html`<span class="why soft">${note}</span>`}
        ${first === undefined ? '' : html`<span class="why bad">${fault(id, first)}</span>`}
        ${difference === undefined ? '' : html`<span class="diff mono"><del data-word=${texts.recorded}>${shown(difference.recorded)}</del><ins data-word=${texts.again}>${shown(difference.again)}</ins></span>`}
        ${skipped === undefined ? '' : html`<span class="why soft">${status === 'not_run' ? '' : texts.skipped(skipped.count, skipped.first.run_seq)}${explained(skipped.first, skipped.first.message)}</span>`}
        ${parts.map((part) => html`<span class="why soft" data-part=${part.id} data-status=${part.status}>${texts.parts[part.id]}: ${texts.notRun}. ${explained(part.skipped.first, part.skipped.first.message)}</span>`)}
      </span>
      <span class="soft">${status === 'not_run' ? texts.notRun : texts.counted[id](count)}</span>
    </li>`;
  }

  /** Why a check was not made; undefined for a check that is made with the file alone. */
  #wait(id: CheckId): string | undefined {
    const { needs, held } = auditView().checks;
    if (this.held === true && id === 'decisions') return held;
    return id in needs ? needs[id as keyof typeof needs] : undefined;
  }
}

/** The recorded sentence of a fault; on a page in another language, its place and its code in that language before it. */
function fault(id: CheckId, first: Finding): TemplateResult {
  const recorded = findingText(id, first);
  const place = recorded === first.message ? '' : `${auditView().record.title(first.run_seq)}: `;
  return explained(first, recorded, place);
}

function explained({ code }: Finding, recorded: string, place = ''): TemplateResult {
  return withGist(shown(withoutAdvice(recorded, remedies.english[code])), `${place}${remedies()[code]}`);
}

customElements.define('sp-checks', Checks);
