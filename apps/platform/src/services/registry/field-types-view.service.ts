import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FieldTypeRow } from '@codase/contracts';
import { fieldTypes, soundRows, SYSTEM_ROWS, type FieldTypes } from '@codase/domain/field-types';
import type { ProjectionReader } from '@codase/runtime/bus';
import type { FIELD_TYPES } from './field-type-rows.ts';

export const FIELD_TYPE_ROWS = Symbol('field type rows');

/** The registry as it is now: the types of the platform and those that the operator added. @spec D1-2.5 */
@Injectable()
export class FieldTypesView implements OnApplicationShutdown {
  private built: { version: number; rows: readonly FieldTypeRow[]; types: FieldTypes } | undefined;

  constructor(@Inject(FIELD_TYPE_ROWS) private readonly operatorRows: ProjectionReader<typeof FIELD_TYPES.shape>) {}

  /** The rows as they are stored. */
  get rows(): readonly FieldTypeRow[] {
    return this.current().rows;
  }

  /** The same rows, resolved. Read it anew for each request, since a new row leads to a new object. */
  get types(): FieldTypes {
    return this.current().types;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.operatorRows.close();
  }

  /** Returns the registry, compiled once for each change. A type whose parent has not arrived yet is unknown until then. */
  private current() {
    const { version } = this.operatorRows;
    if (this.built?.version !== version) {
      const rows = soundRows([...SYSTEM_ROWS, ...this.operatorRows.all()]) as readonly FieldTypeRow[];
      this.built = { version, rows, types: fieldTypes(rows) };
    }
    return this.built;
  }
}
