import { Controller } from '@nestjs/common';
import { FRONT_DOOR, isSealed, phoneSignIns, Refusal, SIGN_IN_VALUES_CHARS, type Caller, type Input, type Output } from '@codase/contracts';
import { isEmpty, PLUGIN, readPlaintext, validateValue } from '@codase/domain/field-types';
import { Serves } from '@codase/runtime/http';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { FieldTypesView } from '../../services/registry/index.ts';
import { ClaimPasses } from './claim-passes.service.ts';
import { sealValues } from './values-seal.ts';

type Person = Caller<typeof phoneSignIns.listSignIns>;
type Values = Input<typeof phoneSignIns.approveSignIn>['body']['values'];
type RequestedClaims = Pick<Output<typeof phoneSignIns.listSignIns>['items'][number], 'claims' | 'claims_delivery'>;

/** Lets a person answer sign-ins with apps on the phone, which alone has the values. @gap D1-4.6 */
@Controller()
export class PhoneSignInsHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly fieldTypes: FieldTypesView,
    private readonly passes: ClaimPasses,
  ) {}

  @Serves(phoneSignIns.listSignIns)
  async list(_: Input<typeof phoneSignIns.listSignIns>, { person_user_id: user_id }: Person) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listSignIns, {}, { user_id });
    return { items, next_cursor: null };
  }

  /** Checks the values, and seals them before they leave this process: neither the bus nor the front door's database has them. */
  @Serves(phoneSignIns.approveSignIn)
  async approve({ params, body: { values } }: Input<typeof phoneSignIns.approveSignIn>, { person_user_id: user_id }: Person) {
    const signIn = await this.find(user_id, params.signInId);
    this.check(signIn, values);
    const sealed_values = sealValues(signIn.seal_key, signIn.id, values);
    return this.frontDoor.request(FRONT_DOOR.answerSignIn, {}, { user_id, sign_in_id: signIn.id, sealed_values });
  }

  @Serves(phoneSignIns.issueSignInPluginPass)
  async issuePass({ params }: Input<typeof phoneSignIns.issueSignInPluginPass>, { person_user_id: user_id }: Person) {
    return this.passes.issue(await this.find(user_id, params.signInId));
  }

  @Serves(phoneSignIns.denySignIn)
  deny({ params }: Input<typeof phoneSignIns.denySignIn>, { person_user_id: user_id }: Person) {
    return this.frontDoor.request(FRONT_DOOR.answerSignIn, {}, { user_id, sign_in_id: params.signInId, sealed_values: null });
  }

  private async find(user_id: string, sign_in_id: string) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listSignIns, {}, { user_id });
    const found = items.find(({ id }) => id === sign_in_id);
    if (!found) throw new Refusal('sign_ins.not_found');
    return found;
  }

  private check({ claims, claims_delivery }: RequestedClaims, values: Values): void {
    const other = Object.keys(values).find((given) => !claims.some(({ slug }) => slug === given));
    if (other !== undefined) throw invalid(`values: ${other}: no claim has this slug`);
    const missing = claims.find(({ slug, required }) => required && !Object.hasOwn(values, slug));
    if (missing) throw invalid(`values: ${missing.slug}: give a value, this claim is required`);
    const chars = Object.values(values).reduce((sum, value) => sum + value.length, 0);
    if (chars > SIGN_IN_VALUES_CHARS) throw invalid(`values: they have at most ${SIGN_IN_VALUES_CHARS} characters together`);
    for (const { slug, type } of claims.filter((claim) => Object.hasOwn(values, claim.slug))) {
      if (claims_delivery === 'encrypted' && !isSealed(values[slug])) throw invalid(`values: ${slug}: seal it to the public_key`);
      if (claims_delivery === 'plaintext') this.checkPlaintext(slug, type, values[slug]!);
    }
  }

  private checkPlaintext(slug: string, type: string, plaintext: string): void {
    const { types } = this.fieldTypes;
    if (type !== PLUGIN && !types.isRequestable(type)) throw invalid(`values: ${slug}: there is no type ${type} any more`);
    const value = readPlaintext(types, type, plaintext);
    if (isEmpty(value)) throw invalid(`values: ${slug}: must not be empty; leave out a claim that is not required`);
    const verdict = validateValue(types, type, value);
    if (!verdict.ok) throw invalid(`values: ${slug}: does not fit the type ${type}`);
  }
}

const invalid = (reason: string) => new Refusal('sign_ins.values_invalid').because(reason);
