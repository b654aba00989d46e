import { LINKED_FIELD, PROFILE_LANGUAGE, RUN_CONTENT_SUBJECTS, RUN_SUBJECTS } from '@codase/contracts';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTION_ENDS, CONNECTIONS } from '../../sharing/connections/index.ts';
import { DOCUMENTS, RUN_ACTS } from '../documents/index.ts';
import { FEED } from '../../services/feed/index.ts';
import { ABANDONED, FILES, RESTING_FILES, STREAMED_BODIES } from '../../storage/files/index.ts';
import { FLOW_IN_USE, FLOWS } from '../../services/flows/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { FlowRuns1763164800070 } from '../../migrations/region/1763164800070-flow-runs.ts';
import { PieceBytes1763164800077 } from '../../migrations/region/1763164800077-piece-bytes.ts';
import { OpenRuns1763164800083 } from '../../migrations/region/1763164800083-open-runs.ts';
import { PinnedRuns1763164800080 } from '../../migrations/region/1763164800080-pinned-runs.ts';
import { FlowLinks1763164800082 } from '../../migrations/region/1763164800082-flow-links.ts';
import { RunContents1763164800081 } from '../../migrations/region/1763164800081-run-contents.ts';
import { RunsOfEndingServices1763164800085 } from '../../migrations/region/1763164800085-runs-of-ending-services.ts';
import { GenerationInputs1763164800092 } from '../../migrations/region/1763164800092-generation-inputs.ts';
import { PLUGIN_IN_USE, PLUGINS } from '../../services/plugins/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../../services/registry/index.ts';
import { VERIFICATION_PROVIDERS } from '../../services/verification-providers/index.ts';
import { CUSTOMER_NOTICES, SERVICES } from '../../services/services/index.ts';
import { ATTESTED_ANSWERS, VERIFICATION } from '../../sharing/verification/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { AttestedRunAnswers } from './attested-run-answers.store.ts';
import { RunAnnouncer } from './run-announcer.service.ts';
import { ContentHomes } from './files/content-homes.service.ts';
import { ContentReleases } from './files/content-releases.service.ts';
import { CustomerFiles } from './customer/customer-files.service.ts';
import { CustomerRunsHttp } from './customer/customer-runs.http.ts';
import { CustomerRuns } from './customer/customer-runs.service.ts';
import { CustomerTurns } from './customer/customer-turns.service.ts';
import { PdfFiller } from './documents/pdf-filler.service.ts';
import { DocumentGeneration } from './documents/document-generation.service.ts';
import { GenerationInputs } from './documents/generation-inputs.service.ts';
import { WaitingInputs } from './documents/inputs.store.ts';
import { ProfileLanguages } from './documents/profile-languages.service.ts';
import { OwnerDocuments } from './documents/owner-documents.service.ts';
import { RunSigner } from './documents/run-signer.service.ts';
import { KeptContents } from './files/kept-contents.worker.ts';
import { FlowLinksHttp } from './start/flow-links.http.ts';
import { FlowLinks } from './start/flow-links.service.ts';
import { LOG_KINDS, RunRetention } from './retention/run-retention.worker.ts';
import { METRICS } from './metrics.ts';
import { OpenRuns } from './open-runs.worker.ts';
import { OwnerRunsHttp } from './owner-runs.http.ts';
import { OwnerRuns } from './owner-runs.service.ts';
import { OpenRunNeeds } from './open-run-needs.service.ts';
import { RunReader } from './run-reader.service.ts';
import { RunContents } from './files/run-contents.store.ts';
import { RunEndings } from './run-endings.service.ts';
import { RunFiles } from './files/run-files.service.ts';
import { WaitingRunFiles } from './files/run-files.store.ts';
import { RunLocks } from './run-locks.service.ts';
import { RunPasses } from './turns/run-passes.service.ts';
import { RunUploads } from './files/run-uploads.service.ts';
import { RunsHttp } from './runs.http.ts';
import { SharedAnswers } from './turns/shared-answers.service.ts';
import { RunStarter } from './start/run-starter.service.ts';
import { RunTurns } from './turns/run-turns.service.ts';
import {
  FlowRunDefinitionEntity,
  FlowRunEntity,
  FlowRunPartyEntity,
  FlowRunAnswerEntity,
  FlowRunTagValuesEntity,
} from './flow-run.entity.ts';
import { FlowRunFileEntity, FlowRunContentEntity, FlowRunPieceEntity, FlowRunReleaseEntity } from './files/flow-run-file.entity.ts';
import { FlowRunInputEntity } from './documents/flow-run-input.entity.ts';
import { FlowLinkEntity } from './start/flow-link.entity.ts';

const { list, read, answer, storeFile, file, piece, image, pluginPass, storeInput, generate } = RUN_SUBJECTS;
const { release, storedFiles, ...ofContents } = RUN_CONTENT_SUBJECTS;

/** Runs of contract flows: the parties, their answers, and the state. A run lives in its company's region. @spec D2-1 @spec D2-3 */
export const FLOW_RUNS: Capability = {
  name: 'runs',
  uses: [
    AUDIT,
    REGIONS,
    PEERS,
    IDENTITY,
    TOKENS,
    FEED,
    FILES,
    REGISTRY,
    VERIFICATION_PROVIDERS,
    SERVICES,
    CONNECTIONS,
    VERIFICATION,
    APP_EVENTS,
    DOCUMENTS,
    FLOWS,
    PLUGINS,
  ],
  tables: {
    region: [
      { entity: FlowRunDefinitionEntity, moves: { owner: 'company_user_id', key: 'definition_id' } },
      { entity: FlowRunEntity, moves: { owner: 'company_user_id', key: 'run_id', names: { service_id: ['service'], flow_id: ['flow'] } } },
      { entity: FlowRunPartyEntity, moves: { owner: 'company_user_id', key: 'run_party_id', names: { connection_id: ['connection'] } } },
      { entity: FlowRunAnswerEntity, moves: { owner: 'company_user_id', key: 'answer_id' } },
      { entity: FlowRunTagValuesEntity, moves: { owner: 'company_user_id', key: 'tag_values_id' } },
      {
        entity: FlowRunFileEntity,
        moves: { owner: 'company_user_id', key: 'file_id', names: { service_id: ['service'], flow_id: ['flow'] } },
      },
      { entity: FlowRunContentEntity, moves: { owner: 'owner_user_id', key: 'file_id' } },
      { entity: FlowRunPieceEntity, moves: { owner: 'owner_user_id', key: 'piece_id' } },
      { entity: FlowRunInputEntity, moves: { owner: 'company_user_id', key: 'input_id' } },
      { entity: FlowLinkEntity, moves: { owner: 'company_user_id', key: 'link_id', names: { flow_id: ['flow'] } } },
      { entity: FlowRunReleaseEntity, stays: 'the regions of customers are told from here, wherever the company went' },
    ],
  },
  reads: {
    profile: 'sweeps and lists over many companies leave out those that are not at home, in one statement',
    service: 'a turn reads its run, the parties and their keys, that of the service among them, in one statement',
    connection: 'a turn locks the connections of its run without asking before which they are',
  },
  afterRestore: { region: { nothing: 'steps of runs since the copy are lost, and parties whose turn it is take them again' } },
  migrations: {
    region: [
      FlowRuns1763164800070,
      PieceBytes1763164800077,
      PinnedRuns1763164800080,
      RunContents1763164800081,
      FlowLinks1763164800082,
      OpenRuns1763164800083,
      RunsOfEndingServices1763164800085,
      GenerationInputs1763164800092,
    ],
  },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  parts: {
    region: {
      http: [RunsHttp, OwnerRunsHttp, CustomerRunsHttp, FlowLinksHttp],
      bus: [
        answeredBy({ list, read, answer, storeFile, file, piece, imagePiece: image, pass: pluginPass, storeInput, generate }, CustomerRuns),
        answeredBy(ofContents, ContentHomes),
        answeredBy({ release }, ContentReleases),
        answeredBy({ storedFiles }, RunFiles),
        answeredBy({ field: LINKED_FIELD }, FlowLinks),
        answeredBy({ language: PROFILE_LANGUAGE }, ProfileLanguages),
      ],
      workers: [RunRetention, OpenRuns, ContentReleases, KeptContents],
      providers: [
        AttestedRunAnswers,
        RunReader,
        RunLocks,
        RunStarter,
        RunTurns,
        SharedAnswers,
        RunEndings,
        RunFiles,
        RunPasses,
        RunUploads,
        RunContents,
        ContentHomes,
        WaitingRunFiles,
        FlowLinks,
        RunAnnouncer,
        OwnerRuns,
        CustomerRuns,
        CustomerTurns,
        CustomerFiles,
        OpenRunNeeds,
        ProfileLanguages,
        PdfFiller,
        GenerationInputs,
        WaitingInputs,
        DocumentGeneration,
        RunSigner,
        OwnerDocuments,
      ],
      contributes: [
        contribute(ATTESTED_ANSWERS, AttestedRunAnswers),
        contribute(CONNECTION_ENDS, RunEndings),
        contribute(CUSTOMER_NOTICES, RunEndings),
        contribute(APP_EVENT_PRESENTERS, RunAnnouncer),
        contribute(RESTING_FILES, RunContents),
        contribute(ABANDONED, RunContents),
        contribute(ABANDONED, WaitingRunFiles),
        contribute(ABANDONED, WaitingInputs),
        contribute(RUN_ACTS, RunSigner),
        contribute(STREAMED_BODIES, RunUploads),
        contribute(FLOW_IN_USE, OpenRunNeeds),
        contribute(PLUGIN_IN_USE, OpenRunNeeds),
      ],
    },
  },
};
