// What a HarnessClient tells when something did not work.

/**
 * `code` is what to match, never the message. The server's own codes come through (`run_active`, `queue_full`,
 * `forbidden`, …); the client adds:
 *
 * - `not_sent`: nothing left this machine; asking again is safe.
 * - `unknown_outcome`: sent, but the connection was lost before the answer; look at the state, then decide.
 * - `removed`: the held prompt was taken back.
 * - `too_large`: the server takes no message of that size.
 * - `bad_command`: not a command.
 * - `resync`: the server said something that makes no sense; the client asks for the whole state again.
 * - `server`: what the server says by an `error` message.
 */
export class HarnessError extends Error {
  override readonly name = 'HarnessError'
  readonly code: string
  readonly commandId: string | undefined

  constructor(code: string, message: string, more: { commandId?: string | undefined; cause?: unknown } = {}) {
    super(message, more)
    this.code = code
    this.commandId = more.commandId
  }
}
