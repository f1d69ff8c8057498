// Which frames of the WAL were acknowledged. Written after the log is synced, so never newer than the log. Survives kill -9.
import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

export interface WalIndex {
  readonly frames: number
  /** Number of frames that are in the database file, too. */
  readonly checkpointed: number
  /** The log's generation, in hex. */
  readonly salt: string
}

const HEADER_BYTES = 48
const READ_BYTES = 2 * HEADER_BYTES + 4

/** Null if missing or torn: SQLite then creates a new one. */
export const readWalIndex = (file: string): WalIndex | null => {
  const bytes = Buffer.alloc(READ_BYTES)
  try {
    const descriptor = openSync(file, 'r')
    try {
      if (readSync(descriptor, bytes, 0, READ_BYTES, 0) < READ_BYTES) return null
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return null
  }
  // The header is stored twice; the copies differ only after a torn write.
  if (!bytes.subarray(0, HEADER_BYTES).equals(bytes.subarray(HEADER_BYTES, 2 * HEADER_BYTES))) return null
  // Native byte order, because the file is shared memory.
  const isBigEndian = endianness() === 'BE'
  const word = (at: number): number => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  const isInitialised = bytes[12] === 1
  const [first, second] = nextChecksum([0, 0], bytes, 0, 40, isBigEndian)
  if (!isInitialised || first !== word(40) || second !== word(44)) return null
  return { frames: word(16), checkpointed: word(2 * HEADER_BYTES), salt: bytes.toString('hex', 32, 40) }
}

/** Two running sums over pairs of 32-bit words. */
export type WalChecksum = readonly [number, number]

/** The range must be a multiple of eight bytes. The WAL's magic number defines the byte order. */
export const nextChecksum = (
  before: WalChecksum,
  buffer: Buffer,
  from: number,
  to: number,
  isBigEndian: boolean,
): WalChecksum => {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  let [first, second] = before
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) >>> 0
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) >>> 0
  }
  return [first, second]
}
