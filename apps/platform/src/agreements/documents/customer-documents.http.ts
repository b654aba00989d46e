import { Controller } from '@nestjs/common';
import { customerDocuments as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { readCursor } from '../../kit/paging.ts';
import { actFile } from './act-file.service.ts';
import { RecipientDocuments } from './recipient-documents.service.ts';

type Company = Caller<typeof contracts.listReceivedDocuments>;

/** The documents that a company holds as a customer, for its account clients and the portal. @spec D1-3.3 @spec D1-5.8 */
@Controller()
export class CustomerDocumentsHttp {
  constructor(private readonly documents: RecipientDocuments) {}

  @Serves(contracts.listReceivedDocuments)
  list({ query: { limit, cursor, connection_id, status } }: Input<typeof contracts.listReceivedDocuments>, { company_user_id }: Company) {
    return this.documents.list(company_user_id, { connection_id, status }, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.readReceivedDocument)
  read({ params: { id } }: Input<typeof contracts.readReceivedDocument>, { company_user_id }: Company) {
    return this.documents.read(company_user_id, id);
  }

  @Serves(contracts.readReceivedFile)
  readFile({ params: { id } }: Input<typeof contracts.readReceivedFile>, { company_user_id }: Company) {
    return this.documents.payload(company_user_id, id);
  }

  @Serves(contracts.signDocument)
  sign(
    { params: { id }, body: { otk, file, ...signature } }: Input<typeof contracts.signDocument>,
    { company_user_id }: Company,
    { streamed }: Call,
  ) {
    return this.documents.sign(company_user_id, id, signature, actFile(otk, file, streamed));
  }

  @Serves(contracts.acceptDocument)
  accept(
    { params: { id }, body: { otk, file } }: Input<typeof contracts.acceptDocument>,
    { company_user_id }: Company,
    { streamed }: Call,
  ) {
    return this.documents.act(company_user_id, id, { kind: 'accept' }, actFile(otk, file, streamed));
  }

  @Serves(contracts.declineDocument)
  decline({ params: { id } }: Input<typeof contracts.declineDocument>, { company_user_id }: Company) {
    return this.documents.act(company_user_id, id, { kind: 'decline' });
  }

  @Serves(contracts.cancelDocument)
  cancel({ params: { id }, body: { effective_date } }: Input<typeof contracts.cancelDocument>, { company_user_id }: Company) {
    return this.documents.act(company_user_id, id, { kind: 'cancel', ...(effective_date !== undefined && { effective_date }) });
  }
}
