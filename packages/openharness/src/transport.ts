import type { ActionDirective, RequestMessage } from '@bridle/wire/openharness/wire'
import type { FileUpload } from './files/shell-file.ts'

/** The arguments of a transport beside the request. */
export interface TransportCall {
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal
  /** Takes the directives so far, all of them, where the engine streams its answer. A transport need not stream. */
  readonly onPartial?: (directives: readonly ActionDirective[]) => void
}

/**
 * Carries a request to an engine and resolves with the response as parsed JSON, which the shell checks. It rejects with a
 * `ShellFault` where no response came. It may send a request again, always with the same `request_id`.
 */
export interface ShellTransport {
  /** Sends a request. */
  (request: RequestMessage, call: TransportCall): Promise<unknown>
  /** Uploads a file for a request to come. Without it, a shell takes attachments by reference alone. */
  readonly upload?: FileUpload
}
