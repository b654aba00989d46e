import { Controller } from '@nestjs/common';
import { appDocuments as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { readCursor } from '../../kit/paging.ts';
import { actFile } from './act-file.service.ts';
import { RecipientDocuments } from './recipient-documents.service.ts';

type Person = Caller<typeof contracts.listReceivedDocuments>;

/** The documents that a person holds, for the phone. @spec D1-3.3 @gap D1-1 */
@Controller()
export class PersonDocumentsHttp {
  constructor(private readonly documents: RecipientDocuments) {}

  @Serves(contracts.listReceivedDocuments)
  list({ query: { limit, cursor, connection_id, status } }: Input<typeof contracts.listReceivedDocuments>, { person_user_id }: Person) {
    return this.documents.list(person_user_id, { connection_id, status }, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.readReceivedDocument)
  read({ params: { id } }: Input<typeof contracts.readReceivedDocument>, { person_user_id }: Person) {
    return this.documents.read(person_user_id, id);
  }

  @Serves(contracts.readReceivedFile)
  readFile({ params: { id } }: Input<typeof contracts.readReceivedFile>, { person_user_id }: Person) {
    return this.documents.payload(person_user_id, id);
  }

  @Serves(contracts.signDocument)
  sign(
    { params: { id }, body: { otk, file, ...signature } }: Input<typeof contracts.signDocument>,
    { person_user_id }: Person,
    { streamed }: Call,
  ) {
    return this.documents.sign(person_user_id, id, signature, actFile(otk, file, streamed));
  }

  @Serves(contracts.acceptDocument)
  accept({ params: { id }, body: { otk, file } }: Input<typeof contracts.acceptDocument>, { person_user_id }: Person, { streamed }: Call) {
    return this.documents.act(person_user_id, id, { kind: 'accept' }, actFile(otk, file, streamed));
  }

  @Serves(contracts.declineDocument)
  decline({ params: { id } }: Input<typeof contracts.declineDocument>, { person_user_id }: Person) {
    return this.documents.act(person_user_id, id, { kind: 'decline' });
  }

  @Serves(contracts.cancelDocument)
  cancel({ params: { id }, body: { effective_date } }: Input<typeof contracts.cancelDocument>, { person_user_id }: Person) {
    return this.documents.act(person_user_id, id, { kind: 'cancel', ...(effective_date !== undefined && { effective_date }) });
  }
}
