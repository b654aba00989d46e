import { readConfig } from '@codase/runtime/config';
import { SYSTEM_ROWS } from '@codase/domain/field-types';
import { Config, foldersOf, queueOf, typesOf } from './config.ts';

const ENV = { OPS_PORT: '0', NATS_URL: 'nats://127.0.0.1:4222', KEYS_DIR: '/keys', CALLERS: '{"backend":{"values":["shop"]}}' };

describe('configuration of the decryptor', () => {
  it('requires a key folder and callers, and derives the queue size from the number of threads', () => {
    const config = readConfig(Config, { ...ENV, OPEN_THREADS: '4' });

    expect(config.CALLERS).toEqual({ backend: { values: ['shop'], payloads: [], account: false } });
    expect(queueOf(config, 4)).toBe(4000);
    expect(config.OPEN_THREADS).toBe(4);
    expect(queueOf(readConfig(Config, { ...ENV, QUEUE_VALUES: '300' }), 4)).toBe(300);
  });

  it("uses the platform's field types, or those of FIELD_TYPES when it is set", () => {
    const rows = [...SYSTEM_ROWS, { ...SYSTEM_ROWS[0]!, type: 'motto', parent: 'text', input: null, lane: null, is_system: false }];

    expect(typesOf(readConfig(Config, ENV)).resolve('motto')).toBeUndefined();
    const more = typesOf(readConfig(Config, { ...ENV, FIELD_TYPES: JSON.stringify(rows) }));
    expect(more.resolve('motto')).toMatchObject({ lineage: ['text', 'motto'] });
  });

  it('reads passphrases from the key folder unless PASSPHRASES_DIR is set', () => {
    expect(foldersOf(readConfig(Config, ENV))).toEqual({ pems: '/keys', passphrases: '/keys', strict: true });
    const apart = readConfig(Config, { ...ENV, PASSPHRASES_DIR: '/passphrases', NODE_ENV: 'development' });
    expect(foldersOf(apart)).toEqual({ pems: '/keys', passphrases: '/passphrases', strict: false });
  });

  it('rejects a service named account, and says how to write the account right', () => {
    const faulty = (rights: string) => () => readConfig(Config, { ...ENV, CALLERS: `{"login":${rights}}` });

    for (const what of ['values', 'payloads']) expect(faulty(`{"${what}":["account"]}`)).toThrow(/CALLERS.*write "account": true/);
    expect(faulty('{"account":["shop"]}')).toThrow(/CALLERS.*true or false/);
  });

  it('reports what is wrong with each setting', () => {
    const orphan = JSON.stringify([{ ...SYSTEM_ROWS[0]!, parent: 'nobody' }]);
    const faulty = () =>
      readConfig(Config, {
        ...ENV,
        KEYS_DIR: '',
        BULK_VALUES_PER_MINUTE: '9',
        CALLERS: '["shop"]',
        FIELD_TYPES: orphan,
        QUEUE_VALUES: '1',
      });

    expect(faulty).toThrow(/KEYS_DIR: not set/);
    expect(faulty).toThrow(/CALLERS: an object of \{user/);
    expect(faulty).toThrow(/FIELD_TYPES: rows of a registry: .*nobody/);
    expect(faulty).toThrow(/QUEUE_VALUES: a number, 200 or more/);
    expect(faulty).toThrow(/BULK_VALUES_PER_MINUTE: a number, 200 or more/);
  });
});
