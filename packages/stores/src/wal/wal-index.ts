// SQLite's wal-index, the `-shm` file beside the write-ahead log: which frames were acknowledged. SQLite writes it after the
// log is synced and never syncs the index itself, so it may be older than the log and is never newer. It survives kill -9.
import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

export interface WalIndex {
  /** The last frame of the last commit. */
  readonly frames: number
  /** How many of them are in the database file too. */
  readonly checkpointed: number
  /** The salt of the generation of the log that it describes, as hex. */
  readonly salt: string
}

const HEADER_BYTES = 48
const READ_BYTES = 2 * HEADER_BYTES + 4

/** Null when there is none, or when it is torn or garbled: SQLite then makes a new one. */
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
  // The header stands there twice; both copies are alike unless a write was interrupted.
  if (!bytes.subarray(0, HEADER_BYTES).equals(bytes.subarray(HEADER_BYTES, 2 * HEADER_BYTES))) return null
  // The machine's own byte order: the file is memory that processes share.
  const isBigEndian = endianness() === 'BE'
  const word = (at: number): number => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  const isInitialised = bytes[12] === 1
  const [first, second] = nextChecksum([0, 0], bytes, 0, 40, isBigEndian)
  if (!isInitialised || first !== word(40) || second !== word(44)) return null
  return { frames: word(16), checkpointed: word(2 * HEADER_BYTES), salt: bytes.toString('hex', 32, 40) }
}

/** The checksum of SQLite's write-ahead log: two running sums over pairs of 32-bit words. */
export type WalChecksum = readonly [number, number]

/** The sums after these bytes, a multiple of eight. The WAL's magic number says in which order a word's bytes are read. */
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
