import { jestExpect } from '@jest/expect';
import {
  addEventHandler,
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  getState,
  it,
  resetState,
  run,
  test,
  type Event,
} from 'jest-circus';
import { ModuleMocker } from 'jest-mock';
import type { Spec } from './bundle-specs.ts';

/** The outcome of a test that ran. */
export interface Outcome {
  id: string;
  file: string;
  milliseconds: number;
  failure?: string;
}

/** Functions that are called while a spec runs. */
interface Conductor {
  /** Called when the spec is loaded, before its tests run. */
  loaded?: () => void;
  /** Returns whether a test is to run. If so, the test begins at once. */
  wants: (id: string) => boolean;
}

type Test = Extract<Event, { name: 'test_start' }>['test'];

/** A test that takes longer has failed. */
const TEST_MS = 20_000;
const mocker = new ModuleMocker(globalThis);

/** What specs import of `@jest/globals`, which refuses to load outside Jest. */
export const JEST_GLOBALS = { jest: { fn: mocker.fn.bind(mocker), spyOn: mocker.spyOn.bind(mocker) } };

Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect: jestExpect, it, test });
let listen: (event: Event) => void = () => {};
addEventHandler((event) => listen(event));

/**
 * Loads a spec and runs its tests up to the first that fails, in this process. It uses Jest's own test functions and matchers, but not its
 * module registry, file map and context for each file, which take seconds and which pure libraries do not need.
 */
export async function runSpec({ file, load }: Spec, conductor: Conductor): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  resetState();
  getState().testTimeout = TEST_MS;
  listen = listener(file, conductor, outcomes);
  try {
    load();
    conductor.loaded?.();
    await run();
  } catch (fault) {
    outcomes.push({ id: `${file}: loads`, file, milliseconds: 0, failure: String(fault) });
  } finally {
    mocker.restoreAllMocks(); // specs share the globals they spy on
  }
  return outcomes;
}

function listener(file: string, { wants }: Conductor, outcomes: Outcome[]): (event: Event) => void {
  const times = new Map<string, number>();
  let id = '';
  return (event) => {
    if (event.name === 'test_start') {
      const title = titleOf(event.test);
      times.set(title, (times.get(title) ?? 0) + 1);
      id = `${file}: ${title} #${times.get(title)}`; // several tests may have the same title
      if (outcomes.at(-1)?.failure !== undefined || !wants(id)) event.test.mode = 'skip';
    } else if (event.name === 'test_done') {
      const { errors, duration } = event.test;
      outcomes.push({ id, file, milliseconds: duration ?? 0, ...(errors.length && { failure: String(errors[0]) }) });
    }
  };
}

function titleOf({ name, parent }: Test): string {
  const titles = [name];
  for (let block = parent; block.parent; block = block.parent) titles.unshift(block.name);
  return titles.join(' ');
}
