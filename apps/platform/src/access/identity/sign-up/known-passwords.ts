/** Passwords that attackers try as early, and that are not on the list. */
const MORE = ['0123456789', '0987654321', '9876543210', 'abc1234567', 'abcdefghij', 'correcthorsebatterystaple'];

let known: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns some 50,000 passwords that occur most often in breaches, in lower case, from a list under the MIT licence. The list is loaded
 * with the first sign-up, because loading takes a tenth of a second and 7 MB, and only the front door needs it.
 */
export const knownPasswords = (): Promise<ReadonlySet<string>> =>
  (known ??= import('./password-list.ts').then(({ dictionary }) => new Set([...dictionary['passwords-common'], ...MORE])));
