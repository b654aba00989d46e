import { iso31661 } from 'iso-3166/1.js';
import { iso31662 } from 'iso-3166/2.js';
import { PICKS_INVALID, QUESTION_INVALID, search, type BuiltinPlugin, type Question } from './builtin-plugin.ts';

const COUNTRIES = iso31661.map(({ alpha2, name }) => ({ id: alpha2, label: name }));
const ALPHA3 = new Map(iso31661.map(({ alpha2, alpha3 }) => [alpha2, alpha3]));

/** States, provinces and similar parts, by country. The code of a part on any level begins with the code of its country. */
const SUBDIVISIONS = new Map<string, { id: string; label: string }[]>(COUNTRIES.map(({ id }) => [id, []]));
for (const { code, name } of iso31662) SUBDIVISIONS.get(code.slice(0, 2))?.push({ id: code, label: name });

/** Countries and their subdivisions as ISO 3166 lists them: the second search depends on the first. */
export const PLACES: BuiltinPlugin = {
  key: 'places',
  description: {
    name: 'Places',
    field_types: [
      {
        field_type: 'country_and_subdivision',
        label: 'Country and state or province',
        blocks: [
          { key: 'country', kind: 'search_select', label: 'Country' },
          { key: 'subdivision', kind: 'search_select', label: 'State or province', depends_on: ['country'] },
        ],
        inputs: [],
        outputs: [
          { key: 'country_code', type: 'text', label: 'Country code (ISO 3166-1)' },
          { key: 'country_code_3', type: 'text', label: 'Country code of three letters' },
          { key: 'subdivision_code', type: 'text', label: 'Code of the state or province (ISO 3166-2)' },
        ],
      },
    ],
  },
  answer: (question) => {
    if (question.field_type !== 'country_and_subdivision') return QUESTION_INVALID;
    return question.op === 'options' ? options(question) : outputs(question.picks);
  },
};

function options({ block, query, picks }: Question) {
  if (block === 'country') return search(COUNTRIES, query);
  if (block !== 'subdivision') return QUESTION_INVALID;
  const country = picks['country'];
  if (country === undefined) return QUESTION_INVALID;
  return ALPHA3.has(country) ? search(SUBDIVISIONS.get(country) ?? [], query) : PICKS_INVALID;
}

function outputs({ country = '', subdivision }: Question['picks']) {
  const alpha3 = ALPHA3.get(country);
  const isWithin = subdivision === undefined || SUBDIVISIONS.get(country)?.some(({ id }) => id === subdivision);
  if (alpha3 === undefined || !isWithin) return PICKS_INVALID;
  return { outputs: { country_code: country, country_code_3: alpha3, subdivision_code: subdivision ?? null } };
}
