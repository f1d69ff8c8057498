/**
 * Why a shell has no response that it can use.
 * `unreachable`: the connection failed. `timed_out`: no response came in time. `not_openharness`: something else answered, such as a
 * proxy with an HTML page. `too_large`: the response exceeds the limit. `stream_broken`: a stream broke again and again before its final message. `invalid_response`: the message breaks the protocol.
 * `protocol_version_unsupported`: the message has another major version. `upload_refused`: the engine did not take a file. `aborted`: the caller's signal ended the turn.
 * `invalid_options`: the program that uses the shell has to be changed.
 */
export type ShellFaultCode =
  | 'unreachable'
  | 'timed_out'
  | 'not_openharness'
  | 'too_large'
  | 'stream_broken'
  | 'invalid_response'
  | 'protocol_version_unsupported'
  | 'upload_refused'
  | 'aborted'
  | 'invalid_options'

/** A failure on the shell's side of the wire. */
export class ShellFault extends Error {
  /** The reason as a code. */
  readonly code: ShellFaultCode
  /** The field of the message or option that is wrong, or the HTTP status of an answer that is no message. */
  readonly details: { readonly field?: string; readonly status?: number }

  /** A fault with its code, a sentence, and what caused it. */
  constructor(
    code: ShellFaultCode,
    message: string,
    { cause, ...details }: { readonly cause?: unknown; readonly field?: string; readonly status?: number } = {},
  ) {
    super(message, { cause })
    this.name = 'ShellFault'
    this.code = code
    this.details = details
  }
}
