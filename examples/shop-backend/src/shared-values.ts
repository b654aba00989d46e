import type { CodaseClient, Handling } from '@codase/client';
import { companyData, type Connection, type ConnectionValue } from '@codase/contracts';
import type { Field } from './customer-table.ts';

type Open = Handling<unknown>['open'];

/** Reads the values that customers share, by the types of the shop's request fields. */
export class SharedValues {
  private readonly codase: CodaseClient;
  private types = new Map<string, string>();

  constructor(codase: CodaseClient) {
    this.codase = codase;
  }

  /** Returns a plaintext value: parsed by its type, or as text when it does not fit. Files are read by `codase.download` instead. */
  async read(slug: string, value: ConnectionValue['value'], open: Open): Promise<unknown> {
    if (value === undefined) return undefined;
    const field_type = await this.typeOf(slug);
    const opened = await open({ value, ...(field_type && { field_type }) });
    return opened.value ?? opened.plaintext;
  }

  /** Returns what `read` gives to `open`, so that the client can do it ahead. Nothing while the type of the field is not known. */
  requestsFor(slug: string, value: ConnectionValue['value']): Parameters<Open>[0][] {
    const field_type = this.types.get(slug);
    return value !== undefined && field_type ? [{ value, field_type }] : [];
  }

  /** Opens all values of a connection at once, which the client sends as one request. */
  fieldsOf({ values, connected_at }: Connection, open: Open): Promise<Field[]> {
    return Promise.all(
      Object.entries(values).map(async ([slug, { value, updated_at }]) => {
        const clear = await this.read(slug, value, open);
        return { slug, value: clear, at: later(updated_at, connected_at) };
      }),
    );
  }

  /** Returns the type of a request field. An unknown slug is looked up again, because the shop may publish new fields at any time. */
  private async typeOf(slug: string): Promise<string | undefined> {
    if (!this.types.has(slug)) {
      const { fields } = await this.codase.request(companyData.readRequestFields, {});
      this.types = new Map(fields.map(({ slug: own, type }) => [own, type]));
    }
    return this.types.get(slug);
  }
}

const later = (one: string, other: string): string => (new Date(one) > new Date(other) ? one : other);
