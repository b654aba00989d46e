/** The passwords of at least ten characters that lists of leaked ones begin with. @gap D1-5 */
const COMMON = new Set([
  '0123456789', '0987654321', '1029384756', '1111111111', '1122334455', '112233445566', '1212121212', '123123123123', '123321123321',
  '1234512345', '1234554321', '12345678900', '1234567890', '12345678910', '1234567891', '1234567890a', '1234567890q', '1234567899',
  '123456789a', '123456789q', '123456789z', '1234qwerasdf', '123qweasdzxc', '147258369a', '1q2w3e4r5t', '1q2w3e4r5t6y', '1qaz2wsx3edc',
  '1qazxsw23edc', '9876543210', 'a123456789', 'a1b2c3d4e5', 'abc1234567', 'abc123456789', 'abcd123456', 'abcdefghij', 'administrator',
  'asdfghjkl1', 'asdfghjkl;', 'basketball1', 'changeme123', 'charlie123', 'correcthorsebatterystaple', 'football123', 'iloveyou12',
  'iloveyou123', 'jordan2323', 'letmein123', 'liverpool1', 'manchester', 'michael123', 'motdepasse', 'mypassword', 'password01',
  'password10', 'password11', 'password12', 'password123', 'password1234', 'password12345', 'password123456', 'passwordpassword',
  'passw0rd123', 'p@ssw0rd123', 'princess123', 'q1w2e3r4t5', 'q1w2e3r4t5y6', 'qazwsxedcrfv', 'qwerty1234', 'qwerty12345', 'qwerty123456',
  'qwerty123456789', 'qwertyqwerty', 'qwertyuiop', 'qwertyuiop1', 'qwertyuiop123', 'qwertyuiop[]', 'starwars123', 'sunshine123',
  'superman123', 'testtest123', 'trustno1234', 'welcome123', 'welcome1234', 'zxcvbnm123', 'zxcvbnm1234',
]);

/** A password that is tried first: a known one, one sign over and over, or the address it belongs to. How long it is, the contract says. */
export function isWeakPassword(password: string, email: string): boolean {
  const typed = password.normalize('NFKC').toLowerCase();
  const address = email.toLowerCase();
  return COMMON.has(typed) || new Set(typed).size === 1 || typed === address || typed === address.split('@')[0];
}
