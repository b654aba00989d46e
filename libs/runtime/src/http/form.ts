import { Refusal } from '@cds/contracts';

/** A form-encoded body. A parameter given twice is refused, as OAuth asks, and so is a NUL byte. @gap D1-4.1 */
export function readForm(body: Buffer): Record<string, string> {
  const form: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    if (Object.hasOwn(form, name)) throw new Refusal('oauth.invalid_request').because('A parameter is given twice');
    if (name.includes('\0') || value.includes('\0')) throw new Refusal('oauth.invalid_request').because('A parameter holds a NUL byte');
    form[name] = value;
  }
  return { ...form };
}
