import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import type { Report } from '../../../core/index.ts';
import { spokenVerdict } from '../../shared/verdict.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import type { RunSession } from '../run/session.ts';
import '../audit/checks.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { View } from '../parts/view.ts';

/** The result of the checks of the open run, and the limits of their proof. */
export class ReportView extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.75rem;
      }
      .verdict {
        font-size: 1.0625rem;
        font-weight: 650;
      }
      .head {
        overflow-wrap: anywhere;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      .actions button {
        white-space: normal;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { report: texts } = inspector();
    const session = this.store.session.value;
    const report = session?.report.value;
    if (session === undefined) return html``;
    if (report === undefined) return this.#again(session);
    if (report === 'running')
      return html`<p role="status">${texts.verifying}</p><progress aria-label=${texts.verifyingLabel}></progress>`;
    if ('impossible' in report) {
      return html`<p class="bad" role="status">${texts.impossible(inEnglish(report.impossible))}</p>${this.#again(session)}`;
    }
    return this.#report(report, session);
  }

  #again(session: RunSession): TemplateResult {
    return html`<div><button type="button" @click=${() => void session.verify()}>${icon('seal')}${inspector().report.verify}</button></div>`;
  }

  #report(report: Report, session: RunSession): TemplateResult {
    const { report: texts } = inspector();
    const { tone, icon: picture, sentence, compared, unproven } = spokenVerdict(report, {});
    return html`<p class="verdict ${tone}" role="status">${icon(picture)} ${sentence}</p>
      <sp-checks .report=${report}></sp-checks>
      ${compared.map((each) => html`<p class="soft">${each}</p>`)}
      <p class="head soft">${texts.head} <span class="mono">${report.records}:${report.head}</span></p>
      ${unproven === undefined ? nothing : html`<p class="soft">${unproven}</p>`}
      <div class="actions"><button type="button" @click=${() => this.#audit(session)}>${icon('shield')}${texts.audit}</button></div>`;
  }

  /** A file is opened itself: whoever wrote it chose the id that it says. */
  #audit({ id, file, fileName = '' }: RunSession): void {
    const { audit, view } = this.store;
    view.value = 'audit';
    void (file === undefined ? audit.openRun(id) : audit.openFile(new File([file.blob], fileName)));
  }
}

customElements.define('sp-report', ReportView);
