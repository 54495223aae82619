import { type CSSResult, html, type TemplateResult } from 'lit';
import { SMALL_MODEL_EXAMPLES } from '../../models.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { models } from '../../texts/en/models.ts';
import { View } from '../parts/view.ts';
import { modelsStyles } from './models-style.ts';

/** A task for the model: asked, it begins a run of its own. */
export class TaskForm extends View {
  static override styles: CSSResult[] = [shared, modelsStyles];

  protected override view(): TemplateResult {
    const examples = this.store.models.kind.value === 'small' ? SMALL_MODEL_EXAMPLES : [];
    const under = !this.store.mayChangeDialect.value;
    const { task: texts } = models();
    return html`<form @submit=${(event: Event) => this.#submit(event, under)}>
      <label for="ask"><h3>${texts.title}</h3></label>
      ${examples.length === 0 ? '' : html`<details ?open=${!this.#hasAsked()}><summary>${texts.examples}</summary><div class="examples">${examples.map((task) => html`<button type="button" @click=${() => this.#take(task)}>${task}</button>`)}</div></details>`}
      <textarea id="ask" rows="2" .value=${this.store.models.task.value} @input=${(event: Event) => this.#typed(event)} aria-describedby="ask-hint"></textarea>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled=${under}>${icon('run')}${texts.ask}</button>
        <span class="soft" id="ask-hint">${under ? texts.underWay : texts.hint}</span>
      </div>
    </form>`;
  }

  /** The examples make room for the model's words. */
  #hasAsked(): boolean {
    const { session, models } = this.store;
    const own = session.value;
    return own?.proposer?.elsewhere === models.ready.value?.model && (own?.view.value?.steps ?? 0) > 0;
  }

  #take(task: string): void {
    this.store.models.task.value = task;
    this.renderRoot.querySelector<HTMLElement>('[type=submit]')?.focus();
  }

  #typed(event: Event): void {
    this.store.models.task.value = (event.target as HTMLTextAreaElement).value;
  }

  #submit(event: Event, under: boolean): void {
    event.preventDefault();
    const task = this.store.models.task.peek().trim();
    if (!under && task !== '') this.store.ask(task);
  }
}

customElements.define('sp-task', TaskForm);
