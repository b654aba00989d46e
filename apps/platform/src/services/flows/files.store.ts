import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import { PIECE_BYTES } from '../../kit/text-pieces.ts';
import type { FlowRow, OwnFlow } from './flow-row.ts';
import type { FlowAssetEntity, FlowFileEntity } from './flow-file.entity.ts';

/** A file of a flow, without its bytes. */
export type FlowFileRow = Omit<FlowFileEntity, 'company_user_id'> & Pick<FlowAssetEntity, 'asset_key'>;

/** Lists the files of a flow's draft, or of one of its versions, in the order of their keys. */
export const listFiles = (db: Db, flow_id: string, version: number | null) => many<FlowFileRow>(db)`
  select a.asset_key, f.file_id, f.kind, f.original_name, f.mime_type, f.size, f.sha256, f.tags, f.created_at
    from flow_asset a join flow_file f on f.file_id = a.file_id
   where a.flow_id = ${flow_id} and a.version is not distinct from ${version}::integer
   order by a.asset_key`;

/** Finds one file of a flow's draft, or of one of its versions. */
export const findFile = async (
  db: Db,
  { flow_id, version, asset_key }: { flow_id: string; version: number | null; asset_key: string },
): Promise<FlowFileRow | undefined> => (await listFiles(db, flow_id, version)).find((file) => file.asset_key === asset_key);

/** Returns the bytes of a file. */
export async function readFile(db: Db, { file_id }: Pick<FlowFileRow, 'file_id'>): Promise<Buffer<ArrayBuffer>> {
  const pieces = await many<{ piece: Buffer }>(db)`select piece from flow_file_piece where file_id = ${file_id} order by position`;
  return Buffer.concat(pieces.map(({ piece }) => piece));
}

/** Returns some bytes of a file, `from` an offset on. Only the pieces that they are in are read. */
export async function readPart(
  db: Db,
  { file_id }: Pick<FlowFileRow, 'file_id'>,
  { from, bytes }: { from: number; bytes: number },
): Promise<Buffer<ArrayBuffer>> {
  const pieces = await many<{ piece: Buffer; starts_at: number }>(db)`
    select piece, starts_at
      from (select piece, position, octet_length(piece) as length,
                   (sum(octet_length(piece)) over (order by position) - octet_length(piece))::int as starts_at
              from flow_file_piece where file_id = ${file_id}) as p
     where starts_at < ${from + bytes} and starts_at + length > ${from}
     order by position`;
  const skipped = from - (pieces[0]?.starts_at ?? from);
  return Buffer.concat(pieces.map(({ piece }) => piece)).subarray(skipped, skipped + bytes);
}

type NewFile = Omit<FlowFileRow, 'file_id'> & { bytes: Buffer };

/** Stores a file in the draft in place of the one with the same key. The flow is locked. */
export async function putFile(tx: EntityManager, { company_user_id, flow_id }: FlowRow, file: NewFile): Promise<void> {
  const file_id = newId('ffi');
  await execute(tx)`
    insert into flow_file (file_id, company_user_id, kind, original_name, mime_type, size, sha256, tags, created_at)
    values (${file_id}, ${company_user_id}, ${file.kind}, ${file.original_name}, ${file.mime_type}, ${file.size}, ${file.sha256},
            ${file.tags}::text[], ${file.created_at})`;
  for (let position = 1, from = 0; from < file.bytes.length; position++, from += PIECE_BYTES) {
    await execute(tx)`
      insert into flow_file_piece (piece_id, company_user_id, file_id, position, piece)
      values (${`${file_id}_${position}`}, ${company_user_id}, ${file_id}, ${position}, ${file.bytes.subarray(from, from + PIECE_BYTES)})`;
  }
  await removeFile(tx, { flow_id, asset_key: file.asset_key });
  await execute(tx)`
    insert into flow_asset (asset_id, company_user_id, flow_id, asset_key, file_id)
    values (${newId('fas')}, ${company_user_id}, ${flow_id}, ${file.asset_key}, ${file_id})`;
}

/** Removes a file from a draft. Returns false when the draft does not have it. */
export const removeFile = async (tx: EntityManager, { flow_id, asset_key }: { flow_id: string; asset_key: string }): Promise<boolean> =>
  (await one(tx)`delete from flow_asset where flow_id = ${flow_id} and version is null and asset_key = ${asset_key} returning asset_id`) !==
  undefined;

/** Adds files of a draft to a version, or to the draft of another flow, without copying them. The flow of the draft is locked. */
export const shareFiles = (
  tx: EntityManager,
  from: Pick<OwnFlow, 'flow_id'>,
  to: OwnFlow & { version: number | null },
  files: readonly Pick<FlowFileRow, 'asset_key'>[],
) => execute(tx)`
  insert into flow_asset (asset_id, company_user_id, flow_id, version, asset_key, file_id)
  select ${newId('fas')} || '_' || row_number() over (order by asset_key), ${to.company_user_id}, ${to.flow_id}, ${to.version}, asset_key,
         file_id
    from flow_asset
   where flow_id = ${from.flow_id} and version is null and asset_key = any(${files.map((file) => file.asset_key)}::text[])`;
