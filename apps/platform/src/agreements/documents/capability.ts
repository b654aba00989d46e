import { DOCUMENT_SUBJECTS } from '@codase/contracts';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTION_ENDS, CONNECTION_MAY_END, CONNECTIONS, OUTLASTS_CONNECTIONS } from '../../sharing/connections/index.ts';
import { FEED } from '../../services/feed/index.ts';
import { ABANDONED, FILES, RESTING_FILES, STREAMED_BODIES } from '../../storage/files/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { Documents1763164800046 } from '../../migrations/region/1763164800046-documents.ts';
import { ServedDigests1763164800047 } from '../../migrations/region/1763164800047-served-digests.ts';
import { DocumentKeys1763164800055 } from '../../migrations/region/1763164800055-document-keys.ts';
import { DocumentPieces1763164800056 } from '../../migrations/region/1763164800056-document-pieces.ts';
import { DocumentObjects1763164800052 } from '../../migrations/region/1763164800052-document-objects.ts';
import { PieceKeys1763164800058 } from '../../migrations/region/1763164800058-piece-keys.ts';
import { PieceBytes1763164800077 } from '../../migrations/region/1763164800077-piece-bytes.ts';
import { DocumentsOfRuns1763164800091 } from '../../migrations/region/1763164800091-documents-of-runs.ts';
import { ServedBytes1763164800078 } from '../../migrations/region/1763164800078-served-bytes.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SEALS } from '../../services/seals/index.ts';
import { VERIFICATION_PROVIDERS } from '../../services/verification-providers/index.ts';
import { CUSTOMER_NOTICES, SERVICE_MAY_END, SERVICES } from '../../services/services/index.ts';
import { ActFiles } from './act-file.service.ts';
import { DocumentAnnouncer } from './document-announcer.service.ts';
import { ContentReader, DocumentContents } from './payloads.store.ts';
import { CustomerDocumentsHttp } from './customer-documents.http.ts';
import { DocumentEndings } from './document-endings.service.ts';
import { DocumentsHttp } from './documents.http.ts';
import { EndedDocuments } from './ended-documents.worker.ts';
import { HolderDocuments } from './holder-documents.service.ts';
import { DocumentIssuer } from './document-issuer.service.ts';
import { METRICS } from './metrics.ts';
import { PayloadUploads } from './payload-uploads.service.ts';
import { PersonDocumentsHttp } from './person-documents.http.ts';
import { RecipientDocuments } from './recipient-documents.service.ts';
import { RUN_ACTS } from './run-acts.hook.ts';
import { RunCopies } from './run-copies.service.ts';
import { SignerNames } from './signer-names.service.ts';
import { SealedCopies } from './sealed-copies.service.ts';
import { DocumentEntity, DocumentSignatureEntity, DocumentContentEntity, DocumentPieceEntity } from './document.entity.ts';

const { positions, read, piece, act } = DOCUMENT_SUBJECTS;

/** The documents that services send to customers, who sign them. They live in the region of the company. @spec D1-2.12 @spec D1-3.3 */
export const DOCUMENTS: Capability = {
  name: 'documents',
  uses: [AUDIT, REGIONS, PEERS, FEED, FILES, VERIFICATION_PROVIDERS, SERVICES, CONNECTIONS, APP_EVENTS, SEALS],
  tables: {
    region: [
      {
        entity: DocumentEntity,
        moves: {
          owner: 'company_user_id',
          key: 'document_id',
          names: { service_id: ['service'], connection_id: ['connection'], run_id: ['flow_run'] },
        },
      },
      { entity: DocumentSignatureEntity, moves: { owner: 'company_user_id', key: 'signature_id' } },
      { entity: DocumentContentEntity, moves: { owner: 'company_user_id', key: 'content_id' } },
      { entity: DocumentPieceEntity, moves: { owner: 'company_user_id', key: 'piece_id' } },
    ],
  },
  reads: {
    connection: 'what is for all customers of a service is received by those who are connected: lists read both in one statement',
    profile: 'lists over many companies leave out those that are not at home, in one statement',
  },
  afterRestore: { region: { nothing: 'acts on documents since the copy are lost, and listed by the exported audit' } },
  migrations: {
    region: [
      Documents1763164800046,
      ServedDigests1763164800047,
      DocumentKeys1763164800055,
      DocumentObjects1763164800052,
      DocumentPieces1763164800056,
      PieceKeys1763164800058,
      PieceBytes1763164800077,
      ServedBytes1763164800078,
      DocumentsOfRuns1763164800091,
    ],
  },
  offers: [RUN_ACTS],
  metrics: METRICS,
  parts: {
    region: {
      http: [DocumentsHttp, PersonDocumentsHttp, CustomerDocumentsHttp],
      bus: [answeredBy({ positions, read, piece, actFromElsewhere: act }, HolderDocuments)],
      workers: [EndedDocuments],
      providers: [
        DocumentAnnouncer,
        DocumentIssuer,
        DocumentEndings,
        SignerNames,
        HolderDocuments,
        RecipientDocuments,
        PayloadUploads,
        ContentReader,
        DocumentContents,
        SealedCopies,
        RunCopies,
        ActFiles,
      ],
      contributes: [
        contribute(CONNECTION_ENDS, DocumentEndings),
        contribute(CONNECTION_MAY_END, DocumentEndings),
        contribute(OUTLASTS_CONNECTIONS, DocumentEndings),
        contribute(SERVICE_MAY_END, DocumentEndings),
        contribute(CUSTOMER_NOTICES, DocumentEndings),
        contribute(APP_EVENT_PRESENTERS, DocumentAnnouncer),
        contribute(RESTING_FILES, DocumentContents),
        contribute(ABANDONED, DocumentContents),
        contribute(STREAMED_BODIES, PayloadUploads),
        contribute(STREAMED_BODIES, ActFiles),
      ],
    },
  },
};
