// The readers of changes, as routes see them. The feed is in surfaces/changes.

export interface ChangeReader {
  /** In the format of a session's owner; null: sees every session of the tenant. */
  readonly viewer: string | null
  /** JSON messages. The same array means the same messages for every reader. */
  send(messages: readonly string[]): void
  /** The server is stopping, so the reader should reconnect. */
  close(): void
}

export interface ChangeReaders {
  /** Returns a function that unsubscribes. */
  add(tenant: string, reader: ChangeReader): () => void
}
