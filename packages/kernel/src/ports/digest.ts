/** SHA-256 of a text, in hex. An approval is bound to one. Platforms compute it, because all of them do so asynchronously. */
export type Digest = (text: string) => Promise<string>
