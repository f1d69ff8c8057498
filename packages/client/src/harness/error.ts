/**
 * Match `code`, never the message. Server codes are passed through (`run_active`, `queue_full`, `forbidden`, …). The
 * client adds:
 *
 * - `not_sent`: the command was never sent, so resending is safe.
 * - `unknown_outcome`: sent, but the connection broke before the answer. Check the state, then decide.
 * - `removed`: `discard` removed the held prompt.
 * - `too_large`: the message exceeds the server's limit.
 * - `bad_command`: not a command.
 * - `resync`: a message did not fit the client's state, so the client requests the complete state.
 * - `server`: an `error` message of the server.
 */
export class HarnessError extends Error {
  /** Always `HarnessError`. */
  override readonly name = 'HarnessError'
  /** The code to match. */
  readonly code: string
  /** The failed command, if any. */
  readonly commandId: string | undefined

  constructor(code: string, message: string, more: { commandId?: string | undefined; cause?: unknown } = {}) {
    super(message, more)
    this.code = code
    this.commandId = more.commandId
  }
}
