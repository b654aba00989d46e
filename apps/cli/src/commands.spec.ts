import { DEMO, SHOP_ASKS } from '@codase/stack';
import { UsageFault } from '@codase/command-line';
import { ACTIONS } from './demo-actions.ts';
import { COMMANDS } from './commands.ts';

const read = async (name: string, ...words: string[]) => (await COMMANDS[name]!.load())(words);

describe('npm run codase', () => {
  it.each([
    ['listen', '--event', 'unheard_of'],
    ['listen', '--most', 'some'],
    ['listen', '--service', 'shop.*'],
    ['listen', 'shop'],
    ['trigger', 'message_received'],
    ['trigger', 'message', '--field', 'email'],
    ['trigger', '--person', 'DORA'],
    ['trigger', '--field', 'shoe_size'],
    ['trigger', 'connection_created', '--field', 'email'],
    ['trigger', 'field_updated', 'email'],
    ['trigger', 'field_updated', '--document', 'doc_1'],
    ['trigger', 'sign', '--on', '2026-12-31'],
    ['trigger', 'cancel', '--on', '2026-02-30'],
    ['trigger', 'sign', '--value', 'Ana'],
    ['documents list', '--status', 'signed'],
    ['documents list', '--most', '201'],
    ['documents show'],
    ['documents show', '../etc'],
    ['documents send', '--to', 'ANA'],
    ['documents send', 'a.pdf'],
    ['documents send', 'a.pdf', '--to', 'ANA', '--everybody'],
    ['documents send', 'a.pdf', '--everybody', '--sign'],
    ['documents send', 'a.pdf', '--to', 'ANA', '--kind', 'lease'],
    ['documents cancel', 'doc_1', '--on', 'tomorrow'],
    ['documents download', 'doc_1', 'doc_2'],
    ['flows resume'],
    ['flows documents', '../etc'],
    ['flows sign', 'run_1', 'lease', '--first-name', 'Eva'],
    ['flows sign', 'run_1', '--first-name', 'Eva', '--last-name', 'Berg'],
    ['flows sign', 'run_1', 'lease', '--first-name', 'Eva', '--last-name', 'Berg', '--method', 'biometric'],
    ['flows accept', 'run_1'],
    ['flows decline', 'run_1', 'lease', 'annex'],
    ['flows download', 'run_1', '../etc'],
    ['events resend'],
    ['events resend', '--from', 'yesterday'],
    ['events resend', '--id', 'no id'],
    ['events resend', '--from', '1h', '--to', '2h'],
    ['status', 'gateway'],
    ['challenge', '--person', 'DORA'],
    ['challenge', 'ANA'],
    ['approve', '--digits', '4'],
    ['deny', '--digits', '42'],
    ['enrol', 'ANA'],
    ['backup'],
    ['restore', 'region-eu'],
    ['restore', '--from', 'x'],
    ['restore', 'region-eu', '--from', 'x', '--audit', 'y'],
    ['restore', 'region-eu', '--from', 'x', '--into', 'Not a name'],
    ['upgrade', '--to', '3'],
    ['events compare', 'shop'],
  ])('rejects invalid arguments before it sends any request: %s %s %s', async (name, ...words) => {
    await expect(read(name, ...words)).rejects.toThrow(UsageFault);
  });

  it('lets only backup, restore and upgrade finish after Ctrl-C', () => {
    const ending = Object.entries(COMMANDS).filter(([, { endsItself }]) => endsItself);
    expect(ending.map(([name]) => name)).toEqual(['backup', 'restore', 'upgrade']);
  });

  it('explains every option that the usage line of a command names', () => {
    const unexplained = ({ usage, takes }: (typeof COMMANDS)[string]) =>
      (usage.match(/--[a-z]+/g) ?? []).filter((option) => !takes.some(([word]) => word.startsWith(option)));

    expect(Object.values(COMMANDS).flatMap(unexplained)).toEqual([]);
  });

  it('explains the options of listen and trigger with the values that they accept', () => {
    const meanings = Object.fromEntries(COMMANDS['trigger']!.takes);
    const unnamed = (kind: string) => /\((\w+), unless named\)/.exec(meanings[kind]!)?.[1];

    expect(Object.keys(meanings).filter((word) => !word.startsWith('--'))).toEqual(Object.keys(ACTIONS));
    for (const [kind, { field }] of Object.entries(ACTIONS)) expect([kind, unnamed(kind)]).toEqual([kind, field]);
    for (const { slug } of SHOP_ASKS) expect(meanings['--field NAME']).toContain(slug);
    expect(COMMANDS['listen']!.takes[0]![1]).toContain(`default ${DEMO.service}`);
  });
});
