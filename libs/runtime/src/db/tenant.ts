import { AsyncLocalStorage } from 'node:async_hooks';

/** The setting of a connection that policies of row security compare with the owner of a row. */
export const TENANT_SETTING = 'codase.company';

/** The value of the setting for work that is not one company's: in the policies it stands for every company. */
const EVERY_COMPANY = '*';

const NO_COMPANY = '';
const current = new AsyncLocalStorage<string>();

/** Does work whose statements see and write the rows of one company alone, in tables with row security. */
export const forCompany = <T>(company_user_id: string, work: () => T): T => current.run(company_user_id, work);

/** Does work for many companies: what a service does by itself, and what persons and customers do, whose data are with many. */
export const forEveryCompany = <T>(work: () => T): T => current.run(EVERY_COMPANY, work);

/** What has to be set on a connection before a statement. */
interface Setting {
  value: string;
  /** Whether it holds until the end of the transaction alone. */
  isLocal: boolean;
}

/** Knows whether a connection is in a transaction, for which company it is set, and what to set before a statement of work under way. */
export class ConnectionTenant {
  /** Whether the statements that are sent next are of a transaction. */
  inTransaction = false;
  private session: string | null = null;
  /** What a transaction has set for itself. Both are null when nobody knows, as at first. */
  private local: string | undefined | null;
  private readonly byCompany: boolean;

  /** Without `byCompany`, nothing is ever set. */
  constructor({ byCompany }: { byCompany: boolean }) {
    this.byCompany = byCompany;
  }

  /** The company for which the connection is set now; null when nobody knows. */
  get company(): string | null {
    return this.local === undefined ? this.session : this.local;
  }

  before(text: string, wanted = this.byCompany ? (current.getStore() ?? NO_COMPANY) : null): Setting | undefined {
    if (/^(commit|rollback)$/i.test(text)) return this.end();
    if (/^rollback to/i.test(text)) return this.forgetPart();
    if (this.inTransaction) return this.inside(text, wanted);
    this.inTransaction = /^(start transaction|begin)/i.test(text);
    if (wanted === null || this.session === wanted) return undefined;
    this.session = wanted;
    return { value: wanted, isLocal: false };
  }

  /** A transaction begins with the setting of the connection, so it needs one of its own only when it goes on for somebody else. */
  private inside(text: string, wanted: string | null): Setting | undefined {
    // The isolation level must be set before any other statement.
    if (wanted === null || this.company === wanted || /^set transaction/i.test(text)) return undefined;
    this.local = wanted;
    return { value: wanted, isLocal: true };
  }

  private end(): undefined {
    this.inTransaction = false;
    this.local = undefined;
  }

  /** A part of a transaction was rolled back, and perhaps what it had set. */
  private forgetPart(): undefined {
    this.local = null;
  }

  /** A setting failed with its transaction: the next statement sets it again. */
  forget(): void {
    this.local = null;
  }
}
