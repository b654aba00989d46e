import { PreparedStatements } from './prepared-statements.ts';

describe('which statements of a connection are prepared', () => {
  const [alone, inTransaction] = [false, true];
  const withClosed = () => {
    const closed: string[] = [];
    return { statements: new PreparedStatements((name) => closed.push(name)), closed };
  };

  it('prepares a statement that runs for the second time, and keeps its name', () => {
    const { statements } = withClosed();

    expect(statements.nameOf('select $1', alone)).toBeUndefined();
    const name = statements.nameOf('select $1', inTransaction);
    expect(name).toEqual(expect.any(String));
    expect(statements.nameOf('select $1', alone)).toBe(name);

    statements.nameOf('select $2', alone);
    expect(statements.nameOf('select $2', alone)).not.toBe(name);
  });

  it.each(['select * from a', 'select a.* from a', 'select b, * from a', 'insert into a values ($1) returning *'])(
    'does not prepare "%s" in a transaction, since its columns may change',
    (text) => {
      const { statements } = withClosed();

      const names = [inTransaction, inTransaction, alone, inTransaction].map((within) => statements.nameOf(text, within) !== undefined);

      expect(names).toEqual([false, false, true, false]);
    },
  );

  it.each(['select count(*) from a', 'update a set b = b * $1'])('prepares "%s" in a transaction', (text) => {
    const { statements } = withClosed();
    statements.nameOf(text, inTransaction);

    expect(statements.nameOf(text, inTransaction)).toBeDefined();
  });

  it('closes the statement that ran the longest time ago when it knows too many', () => {
    const { statements, closed } = withClosed();
    const [first, second] = ['first', 'second'].map((text) => (statements.nameOf(text, alone), statements.nameOf(text, alone)));
    statements.nameOf('first', alone);

    for (let nth = 0; closed.length === 0; nth++) statements.nameOf(`select ${nth}`, alone);

    expect(closed).toEqual([second]);
    expect(statements.nameOf('first', alone)).toBe(first);
    expect(statements.nameOf('second', alone)).toBeUndefined();
    expect(statements.nameOf('second', alone)).not.toBe(second);
  });
});
