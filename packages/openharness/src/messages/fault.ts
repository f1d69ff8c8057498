/**
 * Why the shell has no usable response. `not_openharness`: something else answered, such as a proxy. `stream_broken`: the
 * stream kept breaking before its final message. `invalid_response`: the message breaks the protocol. `upload_refused`: the
 * engine rejected a file. `aborted`: the caller aborted the turn. `invalid_options`: a bug in the program that uses the shell.
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
  /** Error code. */
  readonly code: ShellFaultCode
  /** The invalid field of a message or option, or the HTTP status of a response that is not a message. */
  readonly details: { readonly field?: string; readonly status?: number }

  /** Creates a fault. */
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
