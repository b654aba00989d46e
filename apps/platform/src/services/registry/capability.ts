import type { Capability, Followed } from '../../kit/capability.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { AccountsAndServices1763164800004 } from '../../migrations/region/1763164800004-accounts-and-services.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { ContactFields } from './contact-fields.service.ts';
import { ContactFieldsStore } from './contact-fields.store.ts';
import { FieldTypesStore } from './field-types.store.ts';
import { FIELD_TYPE_ROWS, FieldTypesView } from './field-types-view.service.ts';
import { OperatorFieldTypesBus } from './operator-field-types.bus.ts';
import { OperatorFieldTypes } from './operator-field-types.service.ts';
import { FIELD_TYPES } from './field-type-rows.ts';
import { PublicKeysHttp } from './public-keys.http.ts';
import { RegistryHttp } from './registry.http.ts';
import { FieldTypeEntity } from './field-type.entity.ts';
import { ContactFieldEntity } from './contact-field.entity.ts';
import { putFieldTypesAgain } from './after-restore.service.ts';

const FOLLOWED_FIELD_TYPES: Followed = { table: FIELD_TYPES, as: FIELD_TYPE_ROWS, check: 'field types' };

/** Field types, including those of the operator, and the fields of users. @spec D1-2.5 @spec D1-4.4 */
export const REGISTRY: Capability = {
  name: 'registry',
  uses: [AUDIT, REGIONS, TOKENS],
  tables: { frontDoor: [FieldTypeEntity], region: [{ entity: ContactFieldEntity, moves: { owner: 'owner_user_id', key: 'slug' } }] },
  afterRestore: {
    frontDoor: { first: [putFieldTypesAgain], covers: ['field_type.put'] },
    region: { nothing: 'fields that were defined since the copy are lost, and their users define them again' },
  },
  migrations: { frontDoor: [AccountsAndGrants1763164800003], region: [AccountsAndServices1763164800004] },
  publishes: [FIELD_TYPES],
  parts: {
    'front-door': { bus: [OperatorFieldTypesBus], providers: [FieldTypesStore, OperatorFieldTypes], follows: [FOLLOWED_FIELD_TYPES] },
    region: {
      http: [RegistryHttp, PublicKeysHttp],
      providers: [FieldTypesView, ContactFieldsStore, ContactFields],
      follows: [FOLLOWED_FIELD_TYPES],
    },
  },
};
