import { Controller } from '@nestjs/common';
import { FRONT_DOOR, isSealed, phoneSignIns, Refusal, SIGN_IN_VALUES_CHARS, type Caller, type Input, type Output } from '@cds/contracts';
import { isEmpty, readPlaintext, validateValue } from '@cds/domain/field-types';
import { Serves } from '@cds/runtime/http';
import { FrontDoorRequests } from '../regions/index.ts';
import { FieldTypesView } from '../registry/index.ts';
import { sealValues } from './values-seal.ts';

type Person = Caller<typeof phoneSignIns.listSignIns>;
type Values = Input<typeof phoneSignIns.approveSignIn>['body']['values'];
type Asked = Pick<Output<typeof phoneSignIns.listSignIns>['items'][number], 'claims' | 'claims_delivery'>;

/** Lets a person answer sign-ins with apps on the phone, which alone has the values. @gap D1-4.6 */
@Controller()
export class PhoneSignInsHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly fieldTypes: FieldTypesView,
  ) {}

  @Serves(phoneSignIns.listSignIns)
  async list(_: Input<typeof phoneSignIns.listSignIns>, { person_user_id: user_id }: Person) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listSignIns, {}, { user_id });
    return { items, next_cursor: null };
  }

  /** Checks the values, and seals them before they leave this process: neither the bus nor the front door's database has them. */
  @Serves(phoneSignIns.approveSignIn)
  async approve({ params, body: { values } }: Input<typeof phoneSignIns.approveSignIn>, { person_user_id: user_id }: Person) {
    const { items } = await this.frontDoor.request(FRONT_DOOR.listSignIns, {}, { user_id });
    const signIn = items.find(({ id }) => id === params.signInId);
    if (!signIn) throw new Refusal('sign_ins.not_found');
    this.check(signIn, values);
    const sealed_values = sealValues(signIn.seal_key, signIn.id, values);
    return this.frontDoor.request(FRONT_DOOR.answerSignIn, {}, { user_id, sign_in_id: signIn.id, sealed_values });
  }

  @Serves(phoneSignIns.denySignIn)
  deny({ params }: Input<typeof phoneSignIns.denySignIn>, { person_user_id: user_id }: Person) {
    return this.frontDoor.request(FRONT_DOOR.answerSignIn, {}, { user_id, sign_in_id: params.signInId, sealed_values: null });
  }

  private check({ claims, claims_delivery }: Asked, values: Values): void {
    const slugs = claims.map(({ slug }) => slug);
    const other = Object.keys(values).find((slug) => !slugs.includes(slug)) ?? slugs.find((slug) => !Object.hasOwn(values, slug));
    if (other !== undefined) throw invalid(`values: ${other}: give one value for each claim, and no other`);
    const chars = Object.values(values).reduce((sum, value) => sum + value.length, 0);
    if (chars > SIGN_IN_VALUES_CHARS) throw invalid(`values: they have at most ${SIGN_IN_VALUES_CHARS} characters together`);
    for (const { slug, type } of claims) {
      if (claims_delivery === 'encrypted' && !isSealed(values[slug])) throw invalid(`values: ${slug}: seal it to the public_key`);
      if (claims_delivery === 'plaintext') this.checkPlaintext(slug, type, values[slug]!);
    }
  }

  private checkPlaintext(slug: string, type: string, plaintext: string): void {
    const { types } = this.fieldTypes;
    if (!types.isRequestable(type)) throw invalid(`values: ${slug}: there is no type ${type} any more`);
    const value = readPlaintext(types, type, plaintext);
    if (isEmpty(value)) throw invalid(`values: ${slug}: must not be empty`);
    const verdict = validateValue(types, type, value);
    if (!verdict.ok) throw invalid(`values: ${slug}: does not fit the type ${type}`);
  }
}

const invalid = (reason: string) => new Refusal('sign_ins.values_invalid').because(reason);
