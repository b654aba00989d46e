import { Controller } from '@nestjs/common';
import { registry, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { ContactFields } from './contact-fields.service.ts';
import { FieldTypesView } from './field-types-view.service.ts';
import { fillableBy } from './system-fields.ts';

/** The registry of types and the catalog of fields. A field is deleted in `people`, with its value. @spec D1-2.5 @spec D1-4.4 */
@Controller()
export class RegistryHttp {
  constructor(
    private readonly view: FieldTypesView,
    private readonly fields: ContactFields,
  ) {}

  @Serves(registry.listFieldTypes)
  listFieldTypes() {
    return [...this.view.rows];
  }

  @Serves(registry.listContactFields)
  async listContactFields({ query }: Input<typeof registry.listContactFields>, caller: Caller<typeof registry.listContactFields>) {
    const { usertype } = query;
    const fields = await this.fields.of(userOf(caller));
    return { items: usertype ? fields.filter(fillableBy(usertype)) : fields, next_cursor: null };
  }

  @Serves(registry.putContactField)
  putContactField({ params, body }: Input<typeof registry.putContactField>, caller: Caller<typeof registry.putContactField>) {
    return this.fields.put(userOf(caller), params.slug, body);
  }
}
