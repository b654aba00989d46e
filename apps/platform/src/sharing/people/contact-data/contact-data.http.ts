import { Controller, Inject } from '@nestjs/common';
import { contactData as contracts, registry, type Caller, type Input } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { readInMemory } from '../../../kit/answer-memory.service.ts';
import { userOf } from '../../../access/tokens/index.ts';
import { bytesOfSources, listSources, type SourceRow } from '../../connections/index.ts';
import { Attestations } from '../../../services/verification-providers/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { ContactData, type Owner } from './contact-data.service.ts';
import { PROFILE_CHARS, presentContactValue } from './contact-value.ts';

type Own = Caller<typeof contracts.listContactData>;

/** The values of the caller's own profile. @spec D1-5.8 @gap D1-5.8 */
@Controller()
export class ContactDataHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly data: ContactData,
    private readonly attestations: Attestations,
  ) {}

  @Serves(contracts.listContactData)
  async list(_: Input<typeof contracts.listContactData>, caller: Own) {
    const user_id = userOf(caller);
    const bytes = Math.min(await bytesOfSources(this.db, user_id), PROFILE_CHARS);
    const sources = await readInMemory(user_id, bytes, () => listSources(this.db, user_id));
    return { items: sources.map((source) => this.shown(source)), next_cursor: null };
  }

  @Serves(contracts.putContactData)
  async put({ params, body }: Input<typeof contracts.putContactData>, caller: Own) {
    return this.shown(await this.data.put(ownerOf(caller), params.slug, body));
  }

  @Serves(contracts.deleteContactData)
  delete({ params }: Input<typeof contracts.deleteContactData>, caller: Own) {
    return this.data.delete(ownerOf(caller), params.slug);
  }

  /** Presents a value with its verification, if that holds now. @spec D1-2.7 */
  private shown(source: SourceRow) {
    return presentContactValue({ ...source, verification: this.attestations.shown(source.verification) });
  }

  @Serves(registry.deleteContactField)
  deleteField({ params }: Input<typeof registry.deleteContactField>, caller: Own) {
    return this.data.deleteField(ownerOf(caller), params.slug);
  }
}

const ownerOf = (caller: Own): Owner => ({ user_id: userOf(caller), type: caller.kind === 'person' ? 'person' : 'company' });
