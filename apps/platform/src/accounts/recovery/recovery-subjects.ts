/** Something of a company whose secret a recovery copy can be a copy of. */
export interface RecoverySubject {
  /** Says which secret the subject has now: another secret has another id. It says nothing of the secret. */
  secret_id: string;
  /** The service with which copies of the secret are deleted; null when there is none. */
  service_id: string | null;
  /** The path of the route that gives the secret. Account clients that may not call it store no copies. Null: the portal alone calls it. */
  given_at: string | null;
}

/** Knows the things of companies that have a secret of one kind, which is shown once. @spec D1-5.1 */
export interface RecoverySubjects {
  /** Returns those of the subjects that the company has, by their ids. At most `SECRET_IDS_AT_ONCE` are asked for. */
  find(company_user_id: string, subject_ids: readonly string[]): Promise<ReadonlyMap<string, RecoverySubject>>;
}
