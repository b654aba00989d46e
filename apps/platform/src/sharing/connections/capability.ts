import { CONNECTION_SUBJECTS } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { FEED, SLOTS } from '../../services/feed/index.ts';
import { FILES, RESTING_FILES } from '../../storage/files/index.ts';
import { contribute, implement } from '../../kit/hooks.ts';
import { Connections1763164800006 } from '../../migrations/region/1763164800006-connections.ts';
import { SlotMoments1763164800009 } from '../../migrations/region/1763164800009-slot-moments.ts';
import { CustomerWrites1763164800012 } from '../../migrations/region/1763164800012-customer-writes.ts';
import { PieceBytes1763164800077 } from '../../migrations/region/1763164800077-piece-bytes.ts';
import { DroppedAnswers1763164800087 } from '../../migrations/region/1763164800087-dropped-answers.ts';
import { DeletedFiles1763164800088 } from '../../migrations/region/1763164800088-deleted-files.ts';
import { StatedSlotChanges1763164800300 } from '../../migrations/region/1763164800300-stated-slot-changes.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { PLUGINS } from '../../services/plugins/index.ts';
import { COMPANY_ARRIVES, MOVES } from '../../storage/moves/index.ts';
import { BASES, FrontDoorRequests, HERE, Home, REGIONS, type Bases, type Here } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../../services/registry/index.ts';
import { VERIFICATION_PROVIDERS } from '../../services/verification-providers/index.ts';
import { CUSTOMER_NOTICES, GIVEN_ANSWERS, SERVICES } from '../../services/services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { CONNECTION_BEGINS, CONNECTION_ENDS, CONNECTION_MAY_END, OUTLASTS_CONNECTIONS } from './connections.hook.ts';
import { ConnectionNotices } from './connection-notices.service.ts';
import { ConnectionAnswers } from './connection-answers.service.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { ConnectionsHttp } from './connections.http.ts';
import { CustomerHttp } from './customer.http.ts';
import { CUSTOMER_WRITES, CUSTOMER_WRITES_AT_ONCE, CustomerWrites } from './customer-writes.service.ts';
import { Customers } from './customers.service.ts';
import { DeletedCustomers } from './deleted-customers.service.ts';
import { ExpiredFiles } from './expired-files.worker.ts';
import { FileContents } from './file-contents.service.ts';
import { FieldChanges } from './field-changes.service.ts';
import { GivenAnswersStore } from './given-answers.store.ts';
import { LiveSlots } from './live-slots.service.ts';
import { RegionOperations } from './region-operations.service.ts';
import { SharedFiles } from './shared-files.store.ts';
import { SlotChanges } from './slot-changes.service.ts';
import { ConnectionSlots } from './slots.store.ts';
import { METRICS } from './metrics.ts';
import { RequestPluginPasses } from './request-plugin-passes.service.ts';
import { ContactValueEntity, DeclinedFieldEntity, SharedFileEntity, SharedValueEntity } from './shared-value.entity.ts';
import { CustomerCompanyEntity, CustomerWriteEntity, SlotChangeEntity } from './customer-write.entity.ts';
import { ConnectionEntity } from './connection.entity.ts';
import { endConnectionsAgain } from './after-restore.service.ts';

const CUSTOMER_DB = Symbol("connections of customers' writes");

/** Writes of customers go through a `Home` like all others, with a database pool of their own. */
const customerWrites = (db: DataSource, frontDoor: FrontDoorRequests, bases: Bases, here: Here) => new Home(db, frontDoor, bases, here);

/** Who is connected to which service, and what they share. @spec D1-2.7 */
export const CONNECTIONS: Capability = {
  name: 'connections',
  uses: [AUDIT, REGIONS, PEERS, MOVES, TOKENS, FEED, APP_EVENTS, FILES, REGISTRY, VERIFICATION_PROVIDERS, SERVICES, PLUGINS],
  tables: {
    region: [
      { entity: ContactValueEntity, moves: { owner: 'owner_user_id', key: 'slug' } },
      { entity: CustomerCompanyEntity, moves: { owner: 'customer_user_id', key: 'company_user_id' } },
      {
        entity: CustomerWriteEntity,
        moves: {
          owner: 'customer_user_id',
          key: 'customer_user_id',
          onArrival: { lease_id: null, leased_until: '-infinity' },
        },
      },
      { entity: SlotChangeEntity, moves: { owner: 'customer_user_id', key: 'change_id' } },
      { entity: ConnectionEntity, moves: { owner: 'company_user_id', key: 'connection_id' } },
      { entity: SharedValueEntity, moves: { owner: 'company_user_id', key: 'shared_value_id' } },
      { entity: SharedFileEntity, moves: { owner: 'company_user_id', key: 'piece_id' } },
      { entity: DeclinedFieldEntity, moves: { owner: 'company_user_id', key: 'declined_field_id' } },
    ],
  },
  reads: {
    service: 'connections are locked behind their services, in one statement',
    profile: 'lists and sweeps over many connections leave out companies that are not at home, in one statement',
    deleted_account: 'the connections of a company that has just come are compared with all accounts that were deleted, in one statement',
    stored_object: 'an answer and where its file rests are read in one statement, so that no edit comes between',
    request_field: 'a slot is a shared value with the slug, label and type of its request field; drains and deliveries read many at once',
  },
  afterRestore: { region: { last: [endConnectionsAgain], covers: ['connection.ended'] } },
  migrations: {
    region: [
      Connections1763164800006,
      SlotMoments1763164800009,
      CustomerWrites1763164800012,
      PieceBytes1763164800077,
      DroppedAnswers1763164800087,
      DeletedFiles1763164800088,
      StatedSlotChanges1763164800300,
    ],
  },
  metrics: METRICS,
  offers: [CONNECTION_BEGINS, CONNECTION_ENDS, CONNECTION_MAY_END, OUTLASTS_CONNECTIONS],
  parts: {
    region: {
      http: [ConnectionsHttp, CustomerHttp],
      bus: [answeredBy(CONNECTION_SUBJECTS, RegionOperations)],
      workers: [ExpiredFiles, SlotChanges],
      providers: [
        ConnectionAnswers,
        ConnectionOperations,
        ConnectionNotices,
        LiveSlots,
        RegionOperations,
        RequestPluginPasses,
        CustomerWrites,
        Customers,
        DeletedCustomers,
        FieldChanges,
        ConnectionSlots,
        GivenAnswersStore,
        FileContents,
        SharedFiles,
        { provide: CUSTOMER_WRITES, useFactory: customerWrites, inject: [CUSTOMER_DB, FrontDoorRequests, BASES, HERE] },
      ],
      implements: [implement(GIVEN_ANSWERS, GivenAnswersStore)],
      contributes: [
        contribute(SLOTS, ConnectionSlots),
        contribute(CUSTOMER_NOTICES, ConnectionNotices),
        contribute(APP_EVENT_PRESENTERS, ConnectionNotices),
        contribute(COMPANY_ARRIVES, DeletedCustomers),
        contribute(RESTING_FILES, SharedFiles),
      ],
      pools: [{ as: CUSTOMER_DB, name: 'customers', size: CUSTOMER_WRITES_AT_ONCE, hasEntities: true }],
    },
    delivery: { providers: [ConnectionSlots], contributes: [contribute(SLOTS, ConnectionSlots)] },
  },
};
