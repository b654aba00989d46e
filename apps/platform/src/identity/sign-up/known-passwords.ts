/** What is tried as soon, and is not on the list. */
const MORE = ['0123456789', '0987654321', '9876543210', 'abc1234567', 'abcdefghij', 'correcthorsebatterystaple'];

let known: Promise<ReadonlySet<string>> | undefined;

/**
 * Some 50,000 passwords that breaches brought to light most often, in small letters, of a list under the MIT licence. It is read with the
 * first sign-up, as that takes a tenth of a second and 7 MB, and only the front door needs it.
 */
export const knownPasswords = (): Promise<ReadonlySet<string>> =>
  (known ??= import('./password-list.ts').then(({ dictionary }) => new Set([...dictionary['passwords-common'], ...MORE])));
