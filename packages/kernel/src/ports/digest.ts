/** SHA-256 in hex. Async because Web Crypto is. */
export type Digest = (text: string) => Promise<string>
