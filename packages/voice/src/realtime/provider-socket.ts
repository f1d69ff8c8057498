// The provider socket, opened by each target. The key is only in the headers.

/** Rejects with a `ProviderRefusal`. */
export type ConnectProvider = (address: ProviderAddress, events: ProviderSocketEvents) => Promise<ProviderSocket>

export interface ProviderAddress {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly signal: AbortSignal
}

export interface ProviderSocketEvents {
  message(text: string): void
  closed(): void
}

export interface ProviderSocket {
  send(text: string): void
  unsent(): number
  close(): void
}

export class ProviderRefusal extends Error {
  readonly code = 'provider_refusal'
  readonly status: number | null

  constructor(status: number | null, cause?: unknown) {
    super(status === null ? 'The provider did not answer.' : `The provider answered ${status}.`, { cause })
    this.status = status
  }
}
