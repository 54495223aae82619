import { type CSSResult, css, html, type TemplateResult } from 'lit';
import type { CapabilityRow } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { exampleArgs } from '../run/example-arguments.ts';
import { callText } from '../run/proposal.ts';
import { grantsOf } from '../run/run-grants.ts';
import '../parts/json-text.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** The capabilities that a proposal can call, each with the schema of its arguments and a valid call. */
export class Tools extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        --json-height: 12rem;
      }
      li {
        padding: 0.5rem 0;
        border-top: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      .head {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      .head strong {
        flex: 1;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const rows = this.store.catalogue.rows.value ?? [];
    return html`<details id="tools">
      <summary>${count(rows.length, 'tool')} <span class="soft">· with their arguments</span></summary>
      <ul>${rows.map((row) => this.#row(row))}</ul>
    </details>`;
  }

  #row({ name, description, effect, args }: CapabilityRow): TemplateResult {
    const modes = grantsOf(this.store.session.value).filter(({ capability }) => capability === name);
    const mode = modes[0]?.mode;
    const said = mode === undefined ? 'no grant' : { allow: 'allowed', ask: 'asks you', deny: 'denied' }[mode];
    return html`<li>
      <div class="head"><strong class="mono">${shown(name)}</strong><span class="soft">${effect}, ${said}</span>
        <button type="button" aria-label="Use ${name}" @click=${() => this.#use(name, args)}>${icon('pen')}Use</button></div>
      <p>${shown(description)}</p>
      <details><summary class="soft">Arguments</summary><sp-json .text=${JSON.stringify(args)} pretty label="Schema of the arguments of ${name}"></sp-json></details>
    </li>`;
  }

  /** A whole call in the form of the run, to be changed and sent. */
  #use(name: string, args: CapabilityRow['args']): void {
    const { scenario, scenarios, draft } = this.store;
    draft.value = callText(scenario.dialect, name, JSON.stringify(exampleArgs(name, args, scenarios)));
    this.dispatchEvent(new Event('sp-used', { bubbles: true, composed: true }));
  }
}

customElements.define('sp-tools', Tools);
