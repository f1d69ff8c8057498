// Plain interfaces for the parts of Cloudflare that storage uses: the official types would replace the Web APIs shared with Node.

export interface ObjectBucket {
  /** Durable when it resolves. */
  put(name: string, content: string | Uint8Array, options?: object): Promise<unknown>
  get(name: string): Promise<{ text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer> } | null>
  /** At most 1,000 names. Missing ones are ignored. */
  delete(names: string[]): Promise<void>
}

/** A binding of Durable Objects, whose stubs have the methods `S`. */
export interface ObjectNamespace<S = ObjectStub> {
  idFromName(name: string): unknown
  get(id: unknown): S
}

export interface ObjectStub {
  fetch(request: Request): Promise<Response>
}
