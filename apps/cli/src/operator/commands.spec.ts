import { Fault, UsageFault } from '@codase/command-line';
import { inTempTree } from '@codase/testing/temp-tree';
import { COMMANDS } from './commands.ts';

const read = (name = '', ...words: string[]) => COMMANDS[name]!.read(words);

describe('npm run operator', () => {
  it.each([
    ['mode', 'eu'],
    ['mode', 'eu', 'asleep', 'on'],
    ['mode', 'eu', 'writes-paused', 'maybe'],
    ['level', 'usr_x', 'gold'],
    ['level', 'usr_x'],
    ['backfill', 'everything'],
    ['managed-client', 'usr_x', 'crm:x'],
    ['managed-client', 'usr_x', 'crm:x', 'X', '--capability', 'everything'],
    ['managed-client', 'usr_x', 'crm:x', 'X', '--capabilities', 'oauth_apps'],
    ['field-type'],
    ['rotate-pepper', '--replicas', 'many'],
    ['rotate-pepper', '--replicas', '2,eu=1'],
    ['rotate-pepper', '--wait-minutes', 'long'],
    ['rotate-signing-key', '--file', 'x'],
    ['rotate-stored-secrets-key', '--file', 'x', '--delivery-file', 'y'],
    ['reseal-secrets'],
  ])('rejects invalid arguments before it sends any request: %s %s', (...words) => {
    expect(() => read(...(words as string[]))).toThrow(UsageFault);
  });

  it('lists the allowed values when a value is not one of them', () => {
    expect(() => read('level', 'usr_x', 'gold')).toThrow("A level is one of free, basic, pro, business, not 'gold'.");
  });

  it.each([
    ['{"type":"x"}', /holds no field type:\n {2}- parent: /],
    ['[]', /holds no field type:\n {2}- the whole: /],
    ['x', /it is not JSON/],
  ])('reports what is wrong with a field type file that contains %s', (text, why) =>
    inTempTree({ 'row.json': text }, (dir) => {
      expect(() => read('field-type', `${dir}/row.json`)).toThrow(why);
      expect(() => read('field-type', `${dir}/nowhere.json`)).toThrow(Fault);
    }),
  );
});
