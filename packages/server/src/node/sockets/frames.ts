// Server frames are unmasked, so a message is encoded once and the same bytes go to every socket.

let lastMessages: readonly string[] = []
let lastBytes = Buffer.alloc(0)

/** The same array returns the same bytes without encoding again. */
export const encodeTextFrames = (messages: readonly string[]): Buffer => {
  if (messages === lastMessages) return lastBytes
  const sizes = messages.map((message) => Buffer.byteLength(message))
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + headSize(size) + size, 0))
  let at = 0
  for (const [index, message] of messages.entries()) {
    const size = sizes[index] as number
    at = writeHead(bytes, at, size)
    at += bytes.write(message, at)
  }
  // A single entry is enough: sockets receive the same messages one after the other.
  lastMessages = messages
  lastBytes = bytes
  return bytes
}

export const encodeBinaryFrame = (payload: Uint8Array): Buffer => {
  const bytes = Buffer.allocUnsafe(headSize(payload.length) + payload.length)
  bytes.set(payload, writeHead(bytes, 0, payload.length, 'binary'))
  return bytes
}

const FIRST_BYTE = { text: 0x81, binary: 0x82 } as const

const headSize = (size: number): number => (size < 126 ? 2 : size < 65_536 ? 4 : 10)

const writeHead = (bytes: Buffer, at: number, size: number, kind: keyof typeof FIRST_BYTE = 'text'): number => {
  bytes[at] = FIRST_BYTE[kind]
  switch (headSize(size)) {
    case 2:
      bytes[at + 1] = size
      return at + 2
    case 4:
      bytes[at + 1] = 126
      return bytes.writeUInt16BE(size, at + 2)
    default:
      bytes[at + 1] = 127
      return bytes.writeBigUInt64BE(BigInt(size), at + 2)
  }
}
