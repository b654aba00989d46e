import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { cloneDatabase, createDatabase, createDatabaseLike, databaseUrl, dropDatabase } from '@codase/servers';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';
import { query } from './scratch.ts';

undoAfterEach();

const admin = process.env.CODASE_TEST_POSTGRES_URL!;

/** A name of its own for each test, since they share a server. */
function unusedName(): string {
  const name = `Data base ${randomBytes(4).toString('hex')}`;
  afterwards(async () => {
    await dropDatabase(admin, name);
    for (const role of ['owner', 'app']) await query(admin, `drop role if exists ${pg.escapeIdentifier(`${name}_${role}`)}`);
  });
  return name;
}

const passwords = { ownerPassword: `o'wner`, appPassword: 'a/p p' };

describe('a created database', () => {
  it('lets its owner role change tables and its app role only rows', async () => {
    const { owner, app } = await createDatabase(admin, { name: unusedName(), ...passwords });

    await query(owner, 'create table things (id serial primary key, name text)');
    await query(owner, 'create schema more create table things (id int)');
    await query(app, `insert into things (name) values ('one'); update things set name = 'two'`);
    await query(app, 'insert into more.things values (1)');

    expect(await query(app, 'delete from things returning name')).toEqual([{ name: 'two' }]);
    for (const forbidden of ['create table mine (id int)', 'drop table things', 'truncate things', 'create temporary table t (id int)']) {
      await expect(query(app, forbidden)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('denies access to the roles of another database', async () => {
    const one = await createDatabase(admin, { name: unusedName(), ...passwords });
    const otherName = unusedName();
    await createDatabase(admin, { name: otherName, ...passwords });

    await expect(query(databaseUrl(one.owner, { name: otherName }), 'select 1')).rejects.toThrow('permission denied for database');
  });

  it('is unchanged when it is created again, even concurrently, except that new passwords apply', async () => {
    const name = unusedName();
    const before = await createDatabase(admin, { name, ...passwords });
    await query(before.owner, 'create table kept (id int)');

    const renewed = { name, ownerPassword: 'new', appPassword: 'newer' };
    const [after] = await Promise.all([createDatabase(admin, renewed), createDatabase(admin, renewed)]);

    expect(await query(after.app, 'select * from kept')).toEqual([]);
    await expect(query(before.app, 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('can be created by an admin who is not a superuser', async () => {
    const boss = `boss_${randomBytes(4).toString('hex')}`;
    await query(admin, `create role ${boss} login createdb createrole password 'boss'`);
    await query(admin, `grant connect on database postgres to ${boss}`); // closed to roles that nobody lets in
    afterwards(() => query(admin, `drop owned by ${boss}; drop role ${boss}`));
    const name = unusedName();

    const { owner } = await createDatabase(databaseUrl(admin, { name: 'postgres', user: boss, password: 'boss' }), { name, ...passwords });

    await query(owner, 'create table mine (id int)');
    expect(await query(owner, 'select count(*)::int from mine')).toEqual([{ count: 0 }]);
  });
});

describe('a clone of a database', () => {
  it('has the rows and roles of the original, denies other roles, and changes independently', async () => {
    const [name, copy, stranger] = [unusedName(), unusedName(), unusedName()];
    const original = await createDatabase(admin, { name, ...passwords });
    const outsider = await createDatabase(admin, { name: stranger, ...passwords });
    await query(original.owner, `create table things as select 'one' as name`);

    await cloneDatabase(admin, name, copy);

    const app = databaseUrl(original.app, { name: copy });
    await query(app, `insert into things values ('two')`);
    expect(await query(app, 'select name from things order by name')).toEqual([{ name: 'one' }, { name: 'two' }]);
    expect(await query(original.app, 'select name from things')).toEqual([{ name: 'one' }]);
    await expect(query(app, 'create table mine (id int)')).rejects.toThrow('permission denied');
    await expect(query(databaseUrl(outsider.app, { name: copy }), 'select 1')).rejects.toThrow('permission denied for database');
  });

  it('waits until the last client has disconnected from the template', async () => {
    const [name, copy] = [unusedName(), unusedName()];
    const { owner } = await createDatabase(admin, { name, ...passwords });
    const visitor = new pg.Client({ connectionString: owner });
    await visitor.connect();
    const left = new Promise((resolve) => {
      setTimeout(() => resolve(visitor.end()), 150);
    });

    await cloneDatabase(admin, name, copy);
    await left;

    expect(await query(databaseUrl(admin, { name: copy }), 'select current_database() as name')).toEqual([{ name: copy }]);
  });

  it('is refused when the template does not exist', async () => {
    await expect(cloneDatabase(admin, 'nowhere', 'copy')).rejects.toThrow('There is no database nowhere to copy.');
  });
});

describe('a database created like another one', () => {
  it('is empty, and admits the same roles as the other one', async () => {
    const [name, like] = [unusedName(), unusedName()];
    const { owner, app } = await createDatabase(admin, { name: like, ...passwords });
    const other = await createDatabase(admin, { name: unusedName(), ...passwords });
    await query(owner, 'create table things (id int)');
    const within = (url: string) => {
      const { username: user, password } = new URL(url);
      return databaseUrl(admin, { name, user: decodeURIComponent(user), password: decodeURIComponent(password) });
    };

    await createDatabaseLike(admin, like, name);

    await query(within(owner), 'create table things (id int)');
    expect(await query(within(app), 'select 1 as here')).toEqual([{ here: 1 }]);
    await expect(query(within(other.app), 'select 1')).rejects.toThrow('permission denied');
    await expect(createDatabaseLike(admin, 'nowhere', 'x')).rejects.toThrow('There is no database nowhere to take the owner');
    await dropDatabase(admin, name);
  });
});

it('dropping a database disconnects its clients', async () => {
  const name = unusedName();
  const { owner } = await createDatabase(admin, { name, ...passwords });
  const visitor = new pg.Client({ connectionString: owner });
  const thrownOut = new Promise((resolve) => {
    visitor.on('error', resolve);
  });
  await visitor.connect();

  await dropDatabase(admin, name);

  expect(await thrownOut).toMatchObject({ message: expect.stringMatching(/terminat/) });
  await expect(query(owner, 'select 1')).rejects.toThrow('does not exist');
  await dropDatabase(admin, name); // dropping it once more is no fault
});
