import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import heldOut from '../fixtures/small-model/held-out.json';

const FOLDER = 'workers/bridges/models/small/trainer';
const LISTS = 'test/fixtures/small-model';
const hasPython = spawnSync('python3', ['--version']).status === 0;
const committed = (name: string): unknown => JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8'));

function told(list: string): string {
  return execFileSync('python3', [`${FOLDER}/known.py`, `${FOLDER}/table.json`, `${LISTS}/${list}`], {
    encoding: 'utf8',
  });
}

describe.skipIf(!hasPython)(
  'the tasks whose phrase a template of the generator can make too',
  { timeout: 60_000 },
  () => {
    it('of the development list are those of the committed file', () => {
      expect(JSON.parse(told('tasks.json'))).toEqual(committed('known.json'));
    });

    it('of the held-out list are those of the committed file, without a word of the list', () => {
      const text = told('held-out.json');
      const known = JSON.parse(text) as { tasks: number; known: number; places: readonly number[] };
      expect(known).toEqual(committed('known-held-out.json'));
      expect(text).toMatch(/^\{"tasks": \d+, "known": \d+, "places": \[[\d, ]*\]\}\n$/);
      expect([known.tasks, known.known]).toEqual([heldOut.tasks.length, known.places.length]);
    });
  },
);
