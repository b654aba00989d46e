import { isWeakPassword } from './weak-password.ts';

describe('weak password check @gap D1-5', () => {
  it.each([
    ['a known one', 'qwertyuiop'],
    ['a known one in capitals', 'Password123'],
    ['a known one in wide letters', 'ｐａｓｓｗｏｒｄ１２３'],
    ['a known one with a year and a mark', 'dragon-1987!'],
    ['a known one with signs for letters', 'P@$$w0rd2024'],
    ['a known one of ten letters or more', 'CheeseCake'],
    ['digits in a row', '1234567890'],
    ['one sign over and over', 'zzzzzzzzzzzz'],
    ['a few signs over and over', 'qwertyqwerty'],
    ['the address', 'ana.lind@demo.example'],
    ['the address in capitals', 'ANA.LIND@demo.example'],
    ['the name before the @', 'ana.lind'],
  ])('rejects %s', async (_, password) => {
    expect(await isWeakPassword(password, 'Ana.Lind@demo.example')).toBe(true);
  });

  it.each(['correct horse battery staple', 'ana.lind@demo.examples', 'qwertyuiop of mine', 'dragon 740918362', '8302917465'])(
    'accepts %s',
    async (password) => {
      expect(await isWeakPassword(password, 'Ana.Lind@demo.example')).toBe(false);
    },
  );

  it('checks a very long password in a limited number of steps', async () => {
    expect(await isWeakPassword(`a${'1'.repeat(1022)}!`, 'ana@demo.example')).toBe(false);
  });
});
