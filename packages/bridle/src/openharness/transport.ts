import type { RequestMessage } from '../surfaces/openharness/wire.ts'

/**
 * Carries a request to an engine and resolves with the response as parsed JSON, which the shell checks. It rejects with a
 * `ShellFault` where no response came. It may send a request again, always with the same `request_id`.
 */
export type ShellTransport = (request: RequestMessage, options: { readonly signal: AbortSignal }) => Promise<unknown>
