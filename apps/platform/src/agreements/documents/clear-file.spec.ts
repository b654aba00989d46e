import { elapsedMs } from '@codase/testing';
import { isClearFile, namesRecipient } from './clear-file.ts';

const LONG = 'QUJD'.repeat(1024);
const wrapper = JSON.stringify(`{"_enc":1,"k":"QUJD","iv":"QUJD","d":"${LONG}`).slice(0, -1);
const TARGET = '"target": {"share_code":"ANA"}';
const FILE = `"file":{"original_name":"a.pdf","file":"data:application/pdf;base64,${LONG}`;
const body = (...members: string[]) => `{"name":"Offer",${members.join(',')}`;

describe("start of a document's payload @spec D1-2.12", () => {
  it('is recognized as a plaintext file or as something else', () => {
    expect([`"file":${wrapper}`, `"value":"${LONG}`, FILE].map((payload) => isClearFile(body(TARGET, payload)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is found after strings with escapes, and never inside one', () => {
    const name = String.raw`"name":"a \"data:, \\","note":"\\\"data:,"`;

    expect([`{${name},${FILE}`, `{${name},"value":"${LONG}`, `{"name":"\\"data:,${LONG}`].map(isClearFile)).toEqual([true, false, false]);
  });

  it('is found in time linear in the length of the body, however many quotes are escaped', async () => {
    const msFor = (name: string) => elapsedMs(async () => expect(isClearFile(`{"name":"${name}",${FILE}`)).toBe(true));

    const plain = await msFor('ab'.repeat(300_000));

    expect(await msFor('\\"'.repeat(300_000))).toBeLessThan(1000 * plain);
  });

  it('is for one recipient when the body names a target before it', () => {
    expect([body(TARGET, FILE), body('"payload_kind":"file"', FILE)].map(namesRecipient)).toEqual([true, false]);
  });
});
