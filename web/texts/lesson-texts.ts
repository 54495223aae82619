/** The answers to choose from before the experiment of a lesson. */
export type Answers = readonly [string, string, string];

/** The words of a lesson. Starters, choices and tasks have the names that the lesson gives them. */
export interface LessonTexts {
  readonly title: string;
  readonly goal: string;
  readonly predict: { readonly question: string; readonly answers: Answers; readonly because: string };
  readonly starters: { readonly [name: string]: string };
  readonly choices?: { readonly [name: string]: string };
  readonly tasks: { readonly [name: string]: { readonly say: string; readonly hint: string } };
  readonly why: string;
}
