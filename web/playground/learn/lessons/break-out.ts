import { type LessonsTexts, type LessonTexts, lessons } from '../../../texts/en/learn.ts';
import { definitionOf, HONEST } from '../../breakout/escape-capability.ts';
import { ESCAPES } from '../../breakout/escapes.ts';
import { call, called, type Lesson, lessonOf, receipt, type TaskWant } from './lesson.ts';

const CHOSEN = [
  'loop',
  'swallow',
  'regex',
  'native',
  'memory',
  'stack',
  'promises',
  'output',
  'console',
  'globals',
  'constructor',
  'pollute',
];
const TWELVE = CHOSEN.flatMap((slug) => ESCAPES.filter((escape) => escape.slug === slug));
const OWN = [...TWELVE.map(definitionOf), HONEST];
const attack = (slug: string) => call(`attack.${slug}`, '{}', 'Break out');
const title = (slug: string) => TWELVE.find((escape) => escape.slug === slug)?.title ?? slug;

/** The texts of the lesson, with the titles of its attacks, which are those of the attacks on the page. */
function withAttacks({ honest, says, thenHonest, ...texts }: LessonsTexts['breakOut']): LessonTexts {
  const hint = (slug: string): string => (slug === 'pollute' ? thenHonest(title(slug)) : title(slug));
  return {
    ...texts,
    starters: { ...Object.fromEntries(CHOSEN.map((slug) => [slug, title(slug)])), honest },
    tasks: Object.fromEntries(Object.entries(says).map(([slug, say]) => [slug, { say, hint: hint(slug) }])),
  };
}

const told = Object.assign(() => withAttacks(lessons().breakOut), { english: lessons.english.breakOut });

export const BREAK_OUT: Lesson = lessonOf<LessonTexts>(told, {
  number: 6,
  minutes: 6,
  right: 2,
  capabilities: [],
  own: OWN,
  grants: OWN.map(({ name }) => ({ capability: name, mode: 'allow' })),
  starters: {
    ...Object.fromEntries(CHOSEN.map((slug) => [slug, attack(slug)])),
    honest: call(HONEST.name, '{}'),
  },
  tasks: {
    loop: ends('fuel_exhausted'),
    native: ends('hang_killed'),
    memory: ends('memory_exceeded'),
    stack: ends('stack_exceeded'),
    promises: ends('jobs_exceeded'),
    output: ends('bytes_out_exceeded'),
    console: ends('console_exceeded'),
    globals: { steps: [[called('attack.globals'), receipt('SUCCESS')]] },
    pollute: {
      steps: [
        [called('attack.pollute'), receipt('SUCCESS')],
        [called(HONEST.name), receipt('SUCCESS')],
      ],
    },
  } satisfies { readonly [A in keyof LessonsTexts['breakOut']['says']]: TaskWant },
  key: ['loop', 'native', 'memory', 'stack', 'promises', 'output', 'console', 'globals', 'pollute']
    .map((slug): { send: string } => ({ send: attack(slug) }))
    .concat({ send: call(HONEST.name, '{}') }),
});

function ends(code: string): TaskWant {
  return { steps: [[receipt('FAILURE', code)]] };
}
