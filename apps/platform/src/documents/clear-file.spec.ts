import { isClearFile, namesRecipient } from './clear-file.ts';

const LONG = 'QUJD'.repeat(1024);
const wrapper = JSON.stringify(`{"_enc":1,"k":"QUJD","iv":"QUJD","d":"${LONG}`).slice(0, -1);
const TARGET = '"target": {"share_code":"ANA"}';
const FILE = `"file":{"original_name":"a.pdf","file":"data:application/pdf;base64,${LONG}`;
const body = (...members: string[]) => `{"name":"Offer",${members.join(',')}`;

describe('a payload that begins to come @spec D1-2.12', () => {
  it('is a file in the clear, or something else', () => {
    expect([`"file":${wrapper}`, `"value":"${LONG}`, FILE].map((payload) => isClearFile(body(TARGET, payload)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is for one where the body has said so', () => {
    expect([body(TARGET, FILE), body('"payload_kind":"file"', FILE)].map(namesRecipient)).toEqual([true, false]);
  });
});
