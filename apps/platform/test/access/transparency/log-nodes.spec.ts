import { createHash } from 'node:crypto';
import { isExtended, isIncluded } from '@codase/crypto';
import { execute, openDatabase, sql } from '@codase/runtime/db';
import { requiredVariable, TestDatabases } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';
import { LogNodes } from '../../../src/access/transparency/log-nodes.service.ts';
import { consistencyPath, inclusionPath, type RootOf } from '../../../src/access/transparency/merkle-proofs.ts';
import { MerkleTree } from '../../../src/access/transparency/merkle-tree.ts';

const LOG = 7;
const LEAVES = 9000;
/** Batches as a worker adds them: short ones while little happens, and long ones. */
const BATCHES = [1, 3, 500, 500, 2, 77, 500, 411];

describe('the nodes of the transparency log @gap D1-8', () => {
  let databases: TestDatabases;
  let db: DataSource;
  const leafAt = (number: number) => createHash('sha256').update(String(number)).digest();
  const rootAt = new Map<number, Buffer>();
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['front-door']);
    db = await openDatabase({ url: databases.urls.front_door.owner, name: 'test', entities: FRONT_DOOR_ENTITIES });
    await execute(db, sql`alter table audit.log_leaf disable trigger number_leaf`);
    const tree = MerkleTree.empty();
    for (let batch = 0; tree.size < LEAVES; batch++) await adds(tree, BATCHES[batch % BATCHES.length]!);
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  async function adds(tree: MerkleTree, count: number): Promise<void> {
    const first = tree.size;
    const hashes = Array.from({ length: count }, (_, n) => leafAt(first + n));
    for (const hash of hashes) {
      tree.add(hash);
      rootAt.set(tree.size, tree.root());
    }
    await execute(
      db,
      sql`insert into audit.log_leaf (log, number, hash, epoch, txid, seq, subtrees)
          select ${LOG}, ${first} + nth - 1, decode(hash, 'hex'), 1, 1, ${first} + nth,
                 case when nth = ${count} then ${tree.packed}::bytea end
            from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) with ordinality as leaf (hash, nth)`,
    );
  }

  const rootOf =
    (nodes = new LogNodes(db)): RootOf =>
    (from, to) =>
      nodes.root(LOG, from, to);
  const tree = (size: number) => ({ size, root: rootAt.get(size)! });

  it('are those of the leaves, for every kind of range', async () => {
    const root = rootOf();
    for (const to of [1, 2, 511, 512, 513, 1024, 1025, 4095, 4096, 6000, 8192, 9000]) expect(await root(0, to)).toEqual(rootAt.get(to));
  });

  it('prove every kind of leaf in trees of every kind of size', async () => {
    for (const size of [1, 2, 512, 513, 1000, 4096, 5000, 8999])
      for (const leaf of [0, 1, 511, 512, 1023, 2047, 4095, 4097, size - 1].filter((number) => number < size)) {
        const path = await inclusionPath(rootOf(), leaf, size);
        expect(await isIncluded({ hash: leafAt(leaf), number: leaf }, tree(size), path)).toBe(true);
      }
  });

  it('prove that each tree extends each earlier one', async () => {
    const root = rootOf();
    for (const [from, to] of [
      [1, 9000],
      [512, 8192],
      [513, 8193],
      [777, 4096],
      [4096, 4097],
      [5000, 5000],
      [8192, 9000],
    ] as const)
      expect(await isExtended({ from: tree(from), to: tree(to) }, await consistencyPath(root, from, to))).toBe(true);
  });

  it('are read with a bound, and less often when they are known from the proof before', async () => {
    const nodes = new LogNodes(db);
    const reads = async (leaf: number) => {
      let count = 0;
      const counted = countsQueries(db, () => count++);
      await inclusionPath(rootOf(nodes), leaf, 8999);
      counted.undo();
      return count;
    };

    const first = await reads(0);
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThanOrEqual(40);
    expect(await reads(1)).toBeLessThan(first);
  });
});

/** Counts the queries of a database until it is told to stop. */
function countsQueries(db: DataSource, counts: () => void) {
  const real = db.createQueryRunner.bind(db);
  db.createQueryRunner = (...given) => {
    counts();
    return real(...given);
  };
  return { undo: () => (db.createQueryRunner = real) };
}
