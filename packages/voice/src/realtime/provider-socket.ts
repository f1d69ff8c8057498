// The socket to a realtime provider, as a target opens it. The key is in the headers and nowhere else.

/** Rejects with a `ProviderRefusal` where the provider takes no connection. */
export type ConnectProvider = (address: ProviderAddress, events: ProviderSocketEvents) => Promise<ProviderSocket>

export interface ProviderAddress {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** Aborts where the connection is no longer wanted. */
  readonly signal: AbortSignal
}

export interface ProviderSocketEvents {
  message(text: string): void
  /** The socket has closed, for whatever reason; nothing follows. */
  closed(): void
}

export interface ProviderSocket {
  send(text: string): void
  /** Bytes that are sent and that the provider has not taken yet. */
  unsent(): number
  close(): void
}

export class ProviderRefusal extends Error {
  readonly code = 'provider_refusal'
  /** The status of its HTTP answer; null: it did not answer. */
  readonly status: number | null

  constructor(status: number | null, cause?: unknown) {
    super(status === null ? 'The provider did not answer.' : `The provider answered ${status}.`, { cause })
    this.status = status
  }
}
