import type { ActionDirective, RequestMessage } from '@bridle/wire/openharness/wire'
import type { FileUpload } from './files/shell-file.ts'

/** Arguments of a transport besides the request. */
export interface TransportCall {
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal
  /** Receives all directives so far if the engine streams its answer. Transports need not support it. */
  readonly onPartial?: (directives: readonly ActionDirective[]) => void
}

/**
 * Carries a request to an engine and resolves with the parsed JSON, which the shell validates. Rejects with a `ShellFault` if
 * there was no response. Retries must keep the same `request_id`.
 */
export interface ShellTransport {
  /** Sends a request. */
  (request: RequestMessage, call: TransportCall): Promise<unknown>
  /** Uploads a file for a later request. Without it, attachments must be references. */
  readonly upload?: FileUpload
}
