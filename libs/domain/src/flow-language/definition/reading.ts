import { isJsonObject, type JsonObject } from '../../field-types/json-values.ts';
import { finding, type Finding } from './finding.ts';
import { LIMITS } from './limits.ts';

/**
 * Turns one JSON value into a typed one. After a fault the result is undefined, or what `mended` made of the readable parts. Only
 * publishing uses such a result, to report further findings. No other code gets a definition with a fault.
 */
export type Read<T> = (value: unknown, notes: Notes) => T;

/** What is not known because a part could not be read: parties, nodes, slugs, constants, their order, used keys, outputs. */
export type Doubt = 'parties' | 'nodes' | 'slugs' | 'constants' | 'edges' | 'paths' | 'uses' | 'outputs' | 'output_mode';

/** The state of a reading: the present place, the faults found so far, and how many values it may still read. */
export class Notes {
  readonly findings: Finding[] = [];
  /** How many faults were found. Not all of them are reported. */
  faults = 0;
  readonly doubts = new Set<Doubt>();
  /** Objects without some of their members, which could not be read. */
  readonly incomplete = new WeakSet<object>();
  /** The original index of items in their lists, from which unreadable items are left out. */
  readonly positions = new WeakMap<object, number>();
  private readonly path: (string | number)[] = [];
  private left: number = LIMITS.values;

  fault(message: string): never {
    this.faults++;
    if (this.findings.length < LIMITS.faults) this.findings.push(finding('flows.definition_invalid', { path: this.position() }, message));
    return undefined as never;
  }

  doubt(...doubts: Doubt[]): undefined {
    for (const doubt of doubts) this.doubts.add(doubt);
  }

  /** Whether the definition has more values than allowed. */
  get isExhausted(): boolean {
    return this.left < 0;
  }

  /** Reads a member or an item, and adds it to the path of its faults. */
  inside<T>(step: string | number, read: Read<T>, value: unknown): T {
    if (--this.left < 0) return this.exhausted();
    this.path.push(step);
    const result = read(value, this);
    this.path.pop();
    return result;
  }

  private exhausted(): never {
    return this.left === -1 ? this.fault(`The definition holds more than ${LIMITS.values} values: split the flow`) : (undefined as never);
  }

  private position(): string {
    return this.path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .replace(/^\./, '');
  }
}

/** A NUL, which cannot be stored, or a lone surrogate, which cannot be stored unchanged. */
const BROKEN = /[\0\p{Cs}]/u;

export const string =
  (max: number, pattern?: RegExp): Read<string> =>
  (value, notes) => {
    if (typeof value !== 'string') return notes.fault('Must be a string');
    if (value.length > max) return notes.fault(`Must not be longer than ${max} characters`);
    if (BROKEN.test(value)) return notes.fault('Must hold no NUL and no half of a character');
    return !pattern || pattern.test(value) ? value : notes.fault(`Must match ${pattern.source}`);
  };

export const boolean: Read<boolean> = (value, notes) => (typeof value === 'boolean' ? value : notes.fault('Must be true or false'));

export const oneOf =
  <const T extends string>(words: readonly T[]): Read<T> =>
  (value, notes) =>
    words.includes(value as T) ? (value as T) : notes.fault(`Must be one of ${words.join(', ')}`);

export const list =
  <T>(item: Read<T>, max: number, min = 0): Read<T[]> =>
  (value, notes) =>
    unlessFaulty(notes, () => itemsOf(value, notes, max, min)?.map((each, i) => notes.inside(i, item, each)) as T[]);

/** Reads a list whose items are mended one by one. Items of which nothing can be read are left out. */
export const parts =
  <T>(item: Read<T | undefined>, max: number, min = 0): Read<T[]> =>
  (value, notes) =>
    itemsOf(value, notes, max, min)?.flatMap((each, i) => {
      const read = notes.inside(i, item, each);
      if (typeof read === 'object') notes.positions.set(read as object, i);
      return read ?? [];
    }) as T[];

function itemsOf(value: unknown, notes: Notes, max: number, min: number): unknown[] | undefined {
  if (!Array.isArray(value)) return notes.fault('Must be a list');
  if (value.length < min) return notes.fault('Must not be empty');
  return value.length <= max ? value : notes.fault(`Must not hold more than ${max} items`);
}

/** Returns what was read, or undefined when a fault was found meanwhile. */
function unlessFaulty<T>(notes: Notes, read: () => T): T {
  const before = notes.faults;
  const result = read();
  return notes.faults === before ? result : (undefined as never);
}

/** Reads an object that is used as a map. Its keys are checked like values. */
export const map =
  <T>(key: Read<string>, item: Read<T>, max: number): Read<Record<string, T>> =>
  (value, notes) => {
    if (!isJsonObject(value)) return notes.fault('Must be an object');
    const entries = Object.entries(value);
    if (entries.length > max) return notes.fault(`Must not hold more than ${max} members`);
    const member =
      (name: string): Read<T> =>
      (each) => {
        key(name, notes);
        return item(each, notes);
      };
    return unlessFaulty(notes, () => Object.fromEntries(entries.map(([name, each]) => [name, notes.inside(name, member(name), each)])));
  };

export const otherwise =
  <T>(read: Read<T>, fallback: () => T): Read<T> =>
  (value, notes) =>
    value === undefined ? fallback() : read(value, notes);
export const optional = <T>(read: Read<T>): Read<T | undefined> => otherwise<T | undefined>(read, () => undefined);

type Members<T> = { [K in keyof T]-?: Read<T[K]> };

/** Reads an object with exactly these members: an ignored, misspelt `when` would make an edge unconditional unnoticed. */
export const object =
  <T extends object>(members: Members<T>): Read<T> =>
  (value, notes) =>
    unlessFaulty(notes, () => readMembers(members, value, notes) as T);

/** Reads an object of which members may be unreadable. `mend` makes of the others what can be checked, and notes doubts. */
export const mended =
  <T extends object, M = T>(members: Members<T>, mend: (part: Partial<T>, given: JsonObject, notes: Notes) => M | undefined): Read<T | M> =>
  (value, notes) => {
    const before = notes.faults;
    const part = readMembers(members, value, notes);
    if (notes.faults === before) return part as T;
    const left = mend(part ?? {}, isJsonObject(value) ? value : {}, notes);
    if (left) notes.incomplete.add(left);
    return left as M;
  };

function readMembers<T extends object>(members: Members<T>, value: unknown, notes: Notes): Partial<T> | undefined {
  if (!isJsonObject(value)) return notes.fault('Must be an object');
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
  for (const name of unknown) notes.fault(`Unknown member ${JSON.stringify(name.slice(0, LIMITS.name))}`);
  const result: Partial<T> = {};
  for (const name of Object.keys(members) as (keyof T & string)[]) {
    const member = notes.inside(name, members[name], Object.hasOwn(value, name) ? value[name] : undefined);
    if (member !== undefined) result[name] = member;
  }
  return result;
}

/** Reads an object whose shape depends on one of its members. */
export const variant =
  <T extends object>(tag: string, shapes: Record<string, Read<T>>, other?: Read<T>): Read<T> =>
  (value, notes) => {
    if (!isJsonObject(value)) return notes.fault('Must be an object');
    const name = value[tag];
    if (typeof name === 'string' && Object.hasOwn(shapes, name)) return shapes[name]!(value, notes);
    if (other) return other(value, notes);
    return notes.fault(`Its ${tag} must be one of ${Object.keys(shapes).join(', ')}`);
  };
