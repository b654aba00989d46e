import { setTimeout as pause } from 'node:timers/promises';
import type { X509Certificate } from 'node:crypto';
import { documents } from '@codase/contracts';
import { verify } from '@codase/pdf';
import type { Backend, IssuedDocument, OwnConnection, Person } from '@codase/testing';
import { CONTRACT, signContract, type ActsInHand } from '../documents/acts-in-hand.ts';
import { untilAnswered } from '../until-answered.ts';
import { documentOf, type Edit } from './edit.ts';

/** A service that sends contracts to a person, and the person, who signs each. The platform seals the PDFs. @spec D1-2.12.5 */
export class ContractSigner {
  /** The events that the service must get: each contract was created, and it was signed. */
  readonly announced: Edit[] = [];
  readonly signed: IssuedDocument[] = [];
  private n = 0;

  constructor(
    private readonly person: Person,
    private readonly backend: Backend,
    private readonly connection: OwnConnection,
    private readonly schedule: { acts: ActsInHand; everyMs: number },
  ) {}

  async signsUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const contract = await this.issue();
      this.note(contract, 'created');
      this.signed.push(await signContract(this.person, contract, this.schedule.acts));
      this.note(contract, 'signed');
      await pause(this.schedule.everyMs);
    }
  }

  /** Returns how many contracts are wrong. A correct one is signed once, and both parties have the same sealed and unchanged PDF. */
  async wrong(certificates: readonly X509Certificate[]): Promise<number> {
    let count = 0;
    for (const contract of this.signed) if (!(await this.isWell(contract, certificates))) count += 1;
    return count;
  }

  private async isWell(contract: IssuedDocument, certificates: readonly X509Certificate[]): Promise<boolean> {
    const { person, backend } = this;
    const { status, signatures } = await untilAnswered(() => backend.documents.reads(contract));
    const params = { id: contract.id };
    const own = pdfIn(await person.opens(wrapperOf(await untilAnswered(() => person.documents.fetches(contract)))));
    const companys = pdfIn(await backend.opens(wrapperOf(await untilAnswered(() => backend.asks(documents.readDocumentFile, { params })))));
    const isSealed = verify(own, { certificates }).verdict === 'sealed' && own.subarray(0, CONTRACT.length).equals(CONTRACT);
    return status === 'active' && signatures.length === 1 && isSealed && companys.equals(own);
  }

  private note({ id }: IssuedDocument, what: 'created' | 'signed'): void {
    const { service } = this.connection;
    this.announced.push(documentOf(service.service_id, this.person.user_id, ++this.n, `${id} ${what}`));
  }

  /** Issues a contract. An unanswered call is repeated with its idempotency key, which makes no second contract. */
  private issue(): Promise<IssuedDocument> {
    const { person, backend, connection } = this;
    const name = `Contract ${connection.id} ${this.n}`;
    return untilAnswered(() => backend.documents.issuesPdf(person, CONTRACT, { name, idempotency_key: name }));
  }
}

const wrapperOf = (answer: unknown): string => (answer as { value: string }).value;

function pdfIn(envelope: string): Buffer {
  const { file } = JSON.parse(envelope) as { file: string };
  return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
}
