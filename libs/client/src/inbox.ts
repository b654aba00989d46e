/** A message as an inbox remembers it. */
export interface Noted {
  /** The group of handlers it is for. */
  consumer: string;
  message_id: string;
}

/** Remembers what was handled, in the store that the handlers write to: that is what makes a second delivery change nothing. */
export interface Inbox<Tx> {
  /** Called once before the first message. */
  prepare?(): Promise<void>;
  /**
   * Notes the message and runs the work in one transaction, which is what the work gets. Answers false, with the work not run, when the
   * message stood there already. When it cannot begin, it throws `Refusal('service.unavailable')`: the message then waits.
   */
  once(message: Noted, work: (tx: Tx) => Promise<void>): Promise<boolean>;
}
