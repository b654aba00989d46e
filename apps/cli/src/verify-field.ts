import type { Person, VerificationProvider } from '@codase/actors';
import { OPERATOR, Refusal, verifications } from '@codase/contracts';
import { Fault, readArguments, UsageFault } from '@codase/command-line';
import { profileOf, SHOP_ASKS } from '@codase/stack';
import { poll } from '@codase/runtime/resilience';
import { withBus } from './bus.ts';
import { noWords, oneOf, readPerson, textOr, type Read } from './command.ts';

const OPTIONS = { person: textOr('ANA') };
/** How long a region may need to hear of a new provider. */
const UNTIL_KNOWN = { everyMs: 100, withinMs: 10_000 };
const FIELDS = SHOP_ASKS.map(({ slug }) => slug);

/**
 * Has the provider of the demo verify a field of a person, over the same routes as any provider: it is registered first, the person asks,
 * and it attests. The key of that provider is a secret of the stack of npm start, so there is nothing to do this with elsewhere.
 */
export const verifyField: Read = (words) => {
  const { values, positionals } = readArguments(words, OPTIONS);
  const [given, ...rest] = positionals;
  if (given === undefined) throw new UsageFault(`FIELD is missing: ${FIELDS.join(', ')}.`);
  noWords(rest);
  const field = oneOf(FIELDS, 'A field', given);
  const code = readPerson(values.person);
  return async ({ target, print }) => {
    const person = (await target.actors()).person(code);
    const provider = await target.provider();
    const value = (await profileOf(person))[field];
    if (value === undefined)
      throw new Fault(`${code} has no ${field}: first do npm run codase -- trigger consent_accepted --field ${field}.`);
    await withBus(target.platformOperator(), async (bus) => {
      const { providers } = await bus.request(OPERATOR.listVerificationProviders, {}, {});
      if (providers.some(({ provider_id }) => provider_id === provider.provider_id)) return;
      await bus.request(OPERATOR.addVerificationProvider, {}, provider.registration);
    });
    await poll(async () => (await isKnown(person, provider, field)) || undefined, UNTIL_KNOWN);
    const verified = await provider.verifies(person, field, value);
    const said = `${person.display_name}'s ${field} is verified by ${provider.provider_id} until ${verified.verified_expires_at}`;
    print(said, { person_user_id: person.user_id, share_code: code, field, ...verified });
  };
};

/** Whether the region of a person knows the provider. */
async function isKnown(person: Person, { provider_id }: VerificationProvider, slug: string): Promise<boolean> {
  try {
    const { verification_id: verificationId } = await person.fields.asksToVerify(slug, provider_id);
    await person.asks(verifications.withdrawVerificationRequest, { params: { slug, verificationId } });
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.key === 'verification.provider_not_found') return false;
    throw error;
  }
}
