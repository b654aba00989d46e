import { ConnectionTenant, forCompany, forEveryCompany } from './tenant.ts';

describe('the tenant of a connection', () => {
  const session = (value: string) => ({ value, isLocal: false });
  const local = (value: string) => ({ value, isLocal: true });

  it('is nobody until work says for whom it is done', () => {
    const connection = new ConnectionTenant({ byCompany: true });

    expect(connection.before('select 0')).toEqual(session(''));
    expect(connection.before('select 1')).toBeUndefined();
    expect(forCompany('acme', () => connection.before('select 1'))).toEqual(session('acme'));
    expect(forCompany('acme', () => connection.before('select 2'))).toBeUndefined();
    expect(forEveryCompany(() => connection.before('select 3'))).toEqual(session('*'));
    expect(connection.before('select 4')).toEqual(session(''));
  });

  it('is set before a transaction, so that a rollback does not undo it', () => {
    const connection = new ConnectionTenant({ byCompany: true });

    expect(connection.before('START TRANSACTION', 'acme')).toEqual(session('acme'));
    expect(connection.before('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'acme')).toBeUndefined();
    expect(connection.before('select 1', 'acme')).toBeUndefined();
    expect(connection.before('ROLLBACK', 'acme')).toBeUndefined();
    expect(connection.before('select 2', 'acme')).toBeUndefined();
  });

  it.each(['COMMIT', 'ROLLBACK'])('changes inside a transaction until %s', (end) => {
    const connection = new ConnectionTenant({ byCompany: true });
    connection.before('START TRANSACTION', 'acme');

    expect(connection.before('select 1', 'bolt')).toEqual(local('bolt'));
    expect(connection.before('select 2', 'bolt')).toBeUndefined();
    expect(connection.before('select 3', 'acme')).toEqual(local('acme'));
    expect(connection.before('select 4', 'bolt')).toEqual(local('bolt'));
    connection.before(end, 'bolt');

    expect(connection.before('select 5', 'acme')).toBeUndefined();
  });

  it('is set again after a part of a transaction was rolled back', () => {
    const connection = new ConnectionTenant({ byCompany: true });
    connection.before('START TRANSACTION', 'acme');
    connection.before('SAVEPOINT typeorm_1', 'acme');
    connection.before('select 1', 'bolt');

    expect(connection.before('ROLLBACK TO SAVEPOINT typeorm_1', 'bolt')).toBeUndefined();
    expect(connection.before('select 2', 'bolt')).toEqual(local('bolt'));
  });

  it('is set for the transaction alone when its work changes before its first statement', () => {
    const connection = new ConnectionTenant({ byCompany: true });
    connection.before('START TRANSACTION', 'acme');

    expect(connection.before('set transaction isolation level repeatable read', 'bolt')).toBeUndefined();
    expect(connection.before('select 1', 'bolt')).toEqual(local('bolt'));
  });
});
