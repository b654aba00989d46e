import type { CdsClient, Handling } from '@cds/client';
import { companyData, type Connection, type ConnectionValue } from '@cds/contracts';
import type { Field } from './customer-table.ts';

/** How a handler opens a value. */
export type Open = Handling<unknown>['open'];

/** Reads what customers share, by the types of what the shop asks. */
export class SharedValues {
  private readonly cds: CdsClient;
  private types = new Map<string, string>();

  constructor(cds: CdsClient) {
    this.cds = cds;
  }

  /** One value in the clear: parsed by its type, or as it came where it does not fit that. A file has its own way, `cds.download`. */
  async read(slug: string, value: ConnectionValue['value'], open: Open): Promise<unknown> {
    if (value === undefined) return undefined;
    const field_type = await this.typeOf(slug);
    const opened = await open({ value, ...(field_type && { field_type }) });
    return opened.value ?? opened.plaintext;
  }

  /** Everything a connection shares; opened side by side, which the client makes one request of. */
  fieldsOf({ values, connected_at }: Connection, open: Open): Promise<Field[]> {
    return Promise.all(
      Object.entries(values).map(async ([slug, { value, updated_at }]) => {
        const clear = await this.read(slug, value, open);
        return { slug, value: clear, at: later(updated_at, connected_at) };
      }),
    );
  }

  /** The shop may ask for something new at any time, so what is not known is looked up again. */
  private async typeOf(slug: string): Promise<string | undefined> {
    if (!this.types.has(slug)) {
      const { fields } = await this.cds.request(companyData.readRequestFields, {});
      this.types = new Map(fields.map(({ slug: asked, type }) => [asked, type]));
    }
    return this.types.get(slug);
  }
}

const later = (one: string, other: string): string => (new Date(one) > new Date(other) ? one : other);
