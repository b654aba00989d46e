import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { execute, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { OwnService } from '../services/index.ts';
import { findFile, readFile, readPart, type FlowFileRow } from './files.store.ts';
import type { PublishedVersion } from './flow-row.ts';
import { findFlowOfService } from './flows.store.ts';
import { findVersion } from './versions.store.ts';

/** Reads published versions of the flows of services, for starting and playing runs. @spec D2-4.1 @spec D2-9 */
@Injectable()
export class PublishedFlows {
  /** Refuses a flow that the service does not have. */
  async exists(db: Db, own: OwnService, flow_id: string): Promise<void> {
    if (!(await findFlowOfService(db, own, flow_id))) throw new Refusal('flows.not_found');
  }

  /** Returns the version to which a new run is pinned. Refuses a flow that the service does not have, or that was never published. */
  async current(db: Db, own: OwnService, flow_id: string): Promise<PublishedVersion> {
    const flow = await findFlowOfService(db, own, flow_id);
    if (!flow) throw new Refusal('flows.not_found');
    if (flow.published_version === null) throw new Refusal('flows.not_published');
    return (await findVersion(db, flow_id, flow.published_version))!;
  }

  /** Returns the same version for a run that starts. Until the transaction ends, the flow is neither published again nor deleted. */
  async hold(tx: EntityManager, own: OwnService, flow_id: string): Promise<PublishedVersion> {
    await execute(tx)`select from flow where flow_id = ${flow_id} and service_id = ${own.service_id} for share`;
    return this.current(tx, own, flow_id);
  }

  /** Finds a file of a published version: a PDF template, or an image that its steps show. */
  async file(db: Db, own: OwnService, { flow_id, version, asset_key }: VersionFile): Promise<FlowFileRow | undefined> {
    const flow = await findFlowOfService(db, own, flow_id);
    return flow && findFile(db, { flow_id, version, asset_key });
  }

  /** Returns the bytes of a file, or the part of them that is wanted. */
  bytes(db: Db, file: FlowFileRow, part?: { from: number; bytes: number }): Promise<Buffer<ArrayBuffer>> {
    return part ? readPart(db, file, part) : readFile(db, file);
  }
}

type VersionFile = Pick<PublishedVersion, 'flow_id' | 'version'> & Pick<FlowFileRow, 'asset_key'>;
