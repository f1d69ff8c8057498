// The readers of a tenant's changes, as routes see them. The feed behind it is in surfaces/changes.

/** A reader of a tenant's changes: an open socket, or an open event stream. */
export interface ChangeReader {
  /** The user whose sessions the reader may open, written as an owner; null = every session of the tenant. */
  readonly viewer: string | null
  /** Each text is a message in JSON. The same array means the same messages for every reader. */
  send(messages: readonly string[]): void
  /** The server stops: the reader has to come back. */
  close(): void
}

export interface ChangeReaders {
  /** Everything that changes from now on is sent. Returns how to leave. */
  add(tenant: string, reader: ChangeReader): () => void
}
