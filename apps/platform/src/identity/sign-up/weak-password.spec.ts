import { isWeakPassword } from './weak-password.ts';

describe('a weak password @gap D1-5', () => {
  it.each([
    ['a known one', 'qwertyuiop'],
    ['a known one in capitals', 'Password123'],
    ['a known one in wide letters', 'ｐａｓｓｗｏｒｄ１２３'],
    ['one sign over and over', 'zzzzzzzzzzzz'],
    ['the address', 'ana.lind@demo.example'],
    ['the address in capitals', 'ANA.LIND@demo.example'],
    ['the name before the @', 'ana.lind'],
  ])('is %s', (_, password) => {
    expect(isWeakPassword(password, 'Ana.Lind@demo.example')).toBe(true);
  });

  it.each(['correct horse battery staple', 'ana.lind@demo.examples', 'qwertyuiop of mine'])('is not %s', (password) => {
    expect(isWeakPassword(password, 'Ana.Lind@demo.example')).toBe(false);
  });
});
