// The parts of the Cloudflare platform that storage uses, as plain interfaces: the platform's own types would replace the Web
// APIs that the rest of the package shares with Node.

/** As much of an R2 bucket as is used. */
export interface ObjectBucket {
  /** Durable when it resolves. */
  put(name: string, content: string | Uint8Array, options?: object): Promise<unknown>
  get(name: string): Promise<{ text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer> } | null>
  /** At most 1,000 names; a name that is not there counts as deleted. */
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
