import { PluginDescription, type OpenedReply } from '@codase/contracts';
import { BUILTIN_PLUGINS } from './builtin-plugins.ts';
import { readIban } from './iban.ts';

const ask = (key: string, question: object): OpenedReply => {
  const { answer, description } = BUILTIN_PLUGINS.find((plugin) => plugin.key === key)!;
  const { field_type } = description.field_types[0]!;
  return answer({ field_type, op: 'outputs', query: '', picks: {}, values: {}, inputs: {}, ...question });
};
const labels = (reply: OpenedReply) => ('options' in reply ? reply.options.map(({ label }) => label) : reply);

describe('built-in plugins @spec D1-2.11 @gap D1-2.11', () => {
  it.each(BUILTIN_PLUGINS)('return a valid plugin description: $key', ({ description }) => {
    const public_key = Buffer.alloc(294).toString('base64');

    expect(PluginDescription.parse({ ...description, public_key })).toEqual({ ...description, public_key });
  });

  it('refuse a call for a field type that they do not have', () => {
    for (const { key } of BUILTIN_PLUGINS) expect(ask(key, { field_type: 'other' })).toEqual({ question_invalid: true });
  });
});

describe('places plugin', () => {
  const options = (block: string, query: string, picks = {}) => labels(ask('places', { op: 'options', block, query, picks }));

  it.each([
    ['aust', ['Australia', 'Austria']],
    ['AT', ['Austria']],
    ['cote', ["Côte d'Ivoire"]],
  ])('finds a country by %s', (query, found) => {
    expect((options('country', query) as string[]).slice(0, found.length)).toEqual(found);
  });

  it('says that there are more options than the 50 it returns', () => {
    const all = ask('places', { op: 'options', block: 'country' });

    expect(all).toMatchObject({ more: true });
    expect(labels(all)).toHaveLength(50);
  });

  it('lists the subdivisions of the picked country', () => {
    expect(options('subdivision', 'wien', { country: 'AT' })).toEqual(['Wien']);
    expect(options('subdivision', 'wien', { country: 'DE' })).toEqual([]);
    expect(options('subdivision', 'wien')).toEqual({ question_invalid: true });
    expect(options('subdivision', 'wien', { country: 'XX' })).toEqual({ picks_invalid: true });
  });

  it('returns the codes of the picks, and rejects picks that do not match each other @spec D2-4.5', () => {
    const outputs = (picks: object) => ask('places', { picks });

    expect(outputs({ country: 'AT', subdivision: 'AT-9' })).toEqual({
      outputs: { country_code: 'AT', country_code_3: 'AUT', subdivision_code: 'AT-9' },
    });
    expect(outputs({ country: 'VA' })).toEqual({ outputs: { country_code: 'VA', country_code_3: 'VAT', subdivision_code: null } });
    expect(outputs({ country: 'DE', subdivision: 'AT-9' })).toEqual({ picks_invalid: true });
    expect(outputs({})).toEqual({ picks_invalid: true });
  });
});

describe('bank account plugin', () => {
  it.each([
    ['de89 3704 0044 0532 0130 00', 'DE89 3704 0044 0532 0130 00', 'DE', '37040044'],
    ['GB29NWBK60161331926819', 'GB29 NWBK 6016 1331 9268 19', 'GB', 'NWBK'],
    ['FR1420041010050500013M02606', 'FR14 2004 1010 0505 0001 3M02 606', 'FR', '20041'],
    ['IT60X0542811101000000123456', 'IT60 X054 2811 1010 0000 0123 456', 'IT', '05428'],
    ['AT611904300234573201', 'AT61 1904 3002 3457 3201', 'AT', '19043'],
    ['NL91ABNA0417164300', 'NL91 ABNA 0417 1643 00', 'NL', 'ABNA'],
    ['CH9300762011623852957', 'CH93 0076 2011 6238 5295 7', 'CH', '00762'],
    ['ES9121000418450200051332', 'ES91 2100 0418 4502 0005 1332', 'ES', '2100'],
    ['NO9386011117947', 'NO93 8601 1117 947', 'NO', '8601'],
    ['BE68539007547034', 'BE68 5390 0754 7034', 'BE', '539'],
  ])('reads the IBAN %s', (text, iban, country_code, bank_code) => {
    expect(readIban(text)).toEqual({ iban, country_code, bank_code });
  });

  it.each(['DE89370400440532013001', 'DE8937040044053201300', 'US89370400440532013000', '', 'constructor', 'DE89'.repeat(20)])(
    'rejects %j as an IBAN',
    (text) => {
      expect(ask('bank_account', { values: { iban: text } })).toEqual({
        outputs: { valid: false, iban: null, country_code: null, bank_code: null },
      });
    },
  );

  it('rejects a valid IBAN of another country than the requested one', () => {
    const inCountry = (country: string) => ask('bank_account', { values: { iban: 'NL91ABNA0417164300' }, inputs: { country } });

    expect(inCountry('nl')).toMatchObject({ outputs: { valid: true } });
    expect(inCountry('DE')).toMatchObject({ outputs: { valid: false } });
  });
});
