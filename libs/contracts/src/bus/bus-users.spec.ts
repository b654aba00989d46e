import { clientOperatorSubjects } from '../clients/subjects.ts';
import { identityOperatorSubjects } from '../identity/subjects.ts';
import { regionOperatorSubjects } from '../regions/subjects.ts';
import { registryOperatorSubjects } from '../registry/subjects.ts';
import { verificationOperatorSubjects } from '../verification/subjects.ts';
import { busUsers } from './bus-users.ts';

const covers = (subject: string) => new RegExp(`^${subject.replace(/[.$]/g, '\\$&').replaceAll('*', '[^.]+').replace('>', '.+')}$`);

describe('the users of the bus', () => {
  const requests = [
    identityOperatorSubjects,
    clientOperatorSubjects,
    registryOperatorSubjects,
    regionOperatorSubjects,
    verificationOperatorSubjects,
  ].flatMap((subjects) => Object.values(subjects).map(({ pattern }: { pattern: string }) => pattern));

  it.each(requests)('let only an operator request %s', (subject) => {
    const may = busUsers(['eu', 'us'], ['shop'])
      .filter(({ publish }) => publish.some((allowed) => covers(allowed).test(subject)))
      .map(({ user }) => user);

    expect(may.filter((user) => !user.endsWith('-operator'))).toEqual([]);
    expect(may).toContain('platform-operator');
  });
});
