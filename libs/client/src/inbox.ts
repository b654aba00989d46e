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
  /**
   * As `once`, for several messages of a group in one transaction. The work gets the ids that did not stand there already, and answers how
   * many of the messages it handled, from the first: no note stays of those behind. An inbox without this gets its messages one by one.
   */
  onceAll?(consumer: string, message_ids: readonly string[], work: (tx: Tx, isNew: ReadonlySet<string>) => Promise<number>): Promise<void>;
}
