import { Refusal } from '@codase/contracts';

/** The most answers of one run that a generation takes: a definition has fewer questions. @gap D2-4.3 */
const MAX_VALUES = 20_000;

/** Reads the map from slug to plaintext. The object has no prototype: no slug has a meaning. Null counts as no answer. @spec D2-4.3 */
export function readValues(json: string): Record<string, string> {
  const read = parsed(json);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw invalid('must be a JSON object of texts, by slug');
  const entries = Object.entries(read).filter(([, value]) => value !== null);
  if (entries.length > MAX_VALUES) throw invalid(`must have at most ${MAX_VALUES} members`);
  const values = Object.create(null) as Record<string, string>;
  for (const [slug, value] of entries) {
    if (typeof value !== 'string') throw invalid('each member must be a text, as it was sealed');
    values[slug] = value;
  }
  return values;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalid('must be JSON');
  }
}

const invalid = (reason: string) => new Refusal('request.invalid').because(`values: ${reason}`);
