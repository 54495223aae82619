import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { CheckId, Report } from '../../workers/api.ts';
import type { Session } from '../state/session.ts';
import { type IconName, icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import { count, shown } from './text.ts';
import { View } from './view.ts';

type Check = Report['checks'][number];

const NAMES: { readonly [C in CheckId]: string } = {
  form: 'Form: the file is well-formed',
  hashes: 'Hashes: no record was altered',
  links: 'Links: none is missing or moved',
  anchor: 'Anchor: it is the run you expected',
  decisions: 'Decisions: made again, they come out the same',
  replay: 'Replay: run again, it does the same',
};

const NOT_RUN: { readonly [C in CheckId]?: string } = {
  anchor: 'No head from elsewhere was given.',
};

const ICONS: { readonly [S in Check['status']]: IconName } = { pass: 'check', fail: 'cross', not_run: 'dash' };

/** Six named checks, each with its own line, and what they do not prove. Never one boolean. */
export class ReportView extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: grid;
        gap: 0.75rem;
      }
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
      .verdict {
        font-size: 1.0625rem;
        font-weight: 650;
      }
      .head {
        overflow-wrap: anywhere;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const report = session?.report.value;
    if (session === undefined) return html``;
    if (report === undefined) return this.#again(session);
    if (report === 'running') return html`<p role="status">Verifying…</p><progress aria-label="Verifying"></progress>`;
    if ('impossible' in report)
      return html`<p class="bad" role="status">It could not be verified: ${report.impossible}</p>${this.#again(session)}`;
    return this.#report(report);
  }

  #again(session: Session): TemplateResult {
    return html`<div><button type="button" @click=${() => void session.verify()}>${icon('seal')}Verify this run</button></div>`;
  }

  #report(report: Report): TemplateResult {
    const failed = report.checks.find((check) => check.status === 'fail');
    return html`<p class="verdict ${failed === undefined ? 'good' : 'bad'}" role="status">${failed === undefined ? `No check failed over ${count(report.records, 'record')}.` : `Not intact: ${failed.id} failed${failed.first === undefined ? '' : ` at record ${failed.first.run_seq}`}.`}</p>
      <ul>${report.checks.map((check) => this.#line(check))}</ul>
      <p class="head soft">head <span class="mono">${report.head}</span></p>
      <p class="soft">What this does not prove: who made the run, or that nothing was cut off after its last record. For that, keep the head somewhere else.</p>`;
  }

  #line(check: Check): TemplateResult {
    const tone = { pass: 'good', fail: 'bad', not_run: 'soft' }[check.status];
    return html`<li>
      <span class=${tone}>${icon(ICONS[check.status])}</span>
      <span>${NAMES[check.id]}${check.status === 'not_run' && NOT_RUN[check.id] !== undefined ? html`<span class="why soft">${NOT_RUN[check.id]}</span>` : ''}${check.first === undefined ? '' : html`<span class="why bad">${shown(check.first.message)}</span>`}</span>
      <span class="soft">${check.status === 'not_run' ? 'not run' : check.count.toLocaleString('en')}</span>
    </li>`;
  }
}

customElements.define('sp-report', ReportView);
