/** Whether the keys of this front door open the stored second factors, by the last check. */
export class FactorKeysState {
  /** The result for the readiness of the front door, which a note does not prevent. */
  finding: string | { note: string } | null = 'not tried yet';

  /**
   * Notes how many second factors there are, and how many of them no key opens. When none opens, the key is not the one of this database.
   * The key of some may be lost for good: their users do not keep the others from signing in.
   */
  note(all: number, unreadable: number): void {
    if (unreadable === 0) this.finding = null;
    else if (unreadable === all) this.finding = 'no key of STORED_SECRETS_KEY opens a second factor: is it the one of this database?';
    else this.finding = { note: `no key of STORED_SECRETS_KEY opens ${unreadable} of ${all} second factors` };
  }
}
