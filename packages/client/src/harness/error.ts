// The error of a HarnessClient.

/**
 * Match `code`, never the message. Codes of the server come through (`run_active`, `queue_full`, `forbidden`, …); the
 * client adds:
 *
 * - `not_sent`: the command was never sent; sending it again is safe.
 * - `unknown_outcome`: sent, but the connection was lost before the answer; look at the state, then decide.
 * - `removed`: `discard` took the held prompt back.
 * - `too_large`: the server takes no message of that size.
 * - `bad_command`: not a command.
 * - `resync`: a message did not fit the client's state; the client asks for the whole state again.
 * - `server`: an `error` message of the server.
 */
export class HarnessError extends Error {
  /** The name of the class. */
  override readonly name = 'HarnessError'
  /** The code to match. */
  readonly code: string
  /** The command that failed, where it was one. */
  readonly commandId: string | undefined

  constructor(code: string, message: string, more: { commandId?: string | undefined; cause?: unknown } = {}) {
    super(message, more)
    this.code = code
    this.commandId = more.commandId
  }
}
