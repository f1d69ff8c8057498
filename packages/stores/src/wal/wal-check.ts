// Detects acknowledged commits that SQLite will ignore. SQLite reads its write-ahead log (WAL) up to the first frame with a wrong
// checksum and silently discards the rest, so a damaged frame in the middle undoes commits of all sessions. This check runs first,
// read-only and as a stream.
//
// `synchronous = FULL` syncs each commit before the next transaction writes, so a crash can only tear the last transaction:
//   * kill -9 leaves frames without a commit frame, a truncated frame, or a page that does not match its frame header. After them
//     come at most frames with an older salt (from before the WAL was reused) and uncommitted frames. This is not damage.
//   * Two or more commit frames with the current salt after the first invalid frame: all but the last were synced. Damage.
//   * Exactly one can result from a power cut (sectors of an unsynced transaction arrive in any order), or from a kill while SQLite
//     rewrites the checksums of a large transaction. If the wal-index (`-shm`) names the last valid commit as the last acknowledged
//     one, nothing is lost. Without a wal-index this counts as damage: a false alarm costs each client a replay, a missed one mixes
//     two histories.
//   * The wal-index names a later commit than the WAL. It is written after the sync, so that commit was acknowledged. Damage.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { nextChecksum, readWalIndex, type WalChecksum } from './wal-index.ts'

/** About a megabyte per read. */
const FRAMES_READ = 256

export interface WalDamage {
  readonly file: string
  readonly framesUsed: number
  /** A lower bound: the damaged part may contain more. */
  readonly commitsLost: number
  readonly reason: string
}

/** Null if no acknowledged data is missing. `file` is the database, which must not be open. */
export const checkWal = (file: string): WalDamage | null => {
  const index = readWalIndex(`${file}-shm`)
  const wal = `${file}-wal`
  const found = scan(wal)
  if (!found) {
    const isMissing = index !== null && index.frames > index.checkpointed
    return isMissing ? { file: wal, framesUsed: 0, commitsLost: 1, reason: 'it is missing or empty' } : null
  }
  const { framesUsed, commitsBehind, firstInvalid } = found
  // A wal-index with another salt belongs to an earlier generation of the WAL.
  const known = index && (found.salt === null || found.salt === index.salt) ? index.frames : null
  const isShort = known !== null && known > framesUsed
  const isLost = isShort || commitsBehind > 1 || (commitsBehind === 1 && known !== framesUsed)
  if (!isLost) return null
  const reason = found.salt === null ? 'its header is damaged' : `frame ${firstInvalid} is damaged or missing`
  return { file: wal, framesUsed, commitsLost: Math.max(commitsBehind, isShort ? 1 : 0), reason }
}

interface WalScan {
  /** Null if the header is damaged: SQLite then uses no frame. */
  readonly salt: string | null
  /** Up to the last valid commit. */
  readonly framesUsed: number
  readonly firstInvalid: number
  /** Commit frames with the current salt after the first invalid frame. */
  readonly commitsBehind: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** SQLite's default, for a damaged header. */
const PAGE_BYTES = 4096

/** Null if the file is missing or empty. */
const scan = (wal: string): WalScan | null => {
  let descriptor: number
  try {
    descriptor = openSync(wal, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return fstatSync(descriptor).size === 0 ? null : scanFrames(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const scanFrames = (descriptor: number): WalScan => {
  const header = readHeader(descriptor)
  let salt = header.sum === null ? null : header.salt
  let sum: WalChecksum | null = header.sum
  let [at, framesUsed, firstInvalid, commitsBehind] = [0, 0, header.sum ? 0 : 1, 0]
  const frameBytes = FRAME_HEADER_BYTES + header.pageBytes
  const buffer = Buffer.alloc(frameBytes * FRAMES_READ)
  for (let offset = HEADER_BYTES; ; ) {
    const frames = Math.floor(readSync(descriptor, buffer, 0, buffer.length, offset) / frameBytes)
    for (let frame = 0; frame < frames; frame++) {
      const from = frame * frameBytes
      at++
      const frameSalt = buffer.toString('hex', from + 8, from + 16)
      // With a damaged header, the first frame defines the current salt.
      salt ??= frameSalt
      const isCommit = buffer.readUInt32BE(from + 4) !== 0
      if (sum) sum = nextFrameChecksum(buffer, from, frameBytes, sum, frameSalt === salt, header.isBigEndian)
      if (sum && isCommit) framesUsed = at
      if (!sum && firstInvalid === 0) firstInvalid = at
      else if (!sum && isCommit && frameSalt === salt && salt !== NO_SALT) commitsBehind++
    }
    if (frames < FRAMES_READ) break
    offset += frames * frameBytes
  }
  return {
    salt: header.sum === null ? null : salt,
    framesUsed,
    firstInvalid: firstInvalid === 0 ? at + 1 : firstInvalid,
    commitsBehind,
  }
}

/** The salt of a zeroed frame. */
const NO_SALT = '0'.repeat(16)

/** Null if the frame is invalid by SQLite's rules. */
const nextFrameChecksum = (
  buffer: Buffer,
  from: number,
  frameBytes: number,
  before: WalChecksum,
  isSalted: boolean,
  isBigEndian: boolean,
): WalChecksum | null => {
  if (!isSalted || buffer.readUInt32BE(from) === 0) return null
  const sum = nextChecksum(
    nextChecksum(before, buffer, from, from + 8, isBigEndian),
    buffer,
    from + FRAME_HEADER_BYTES,
    from + frameBytes,
    isBigEndian,
  )
  return sum[0] === buffer.readUInt32BE(from + 16) && sum[1] === buffer.readUInt32BE(from + 20) ? sum : null
}

interface WalHeader {
  readonly pageBytes: number
  readonly salt: string
  readonly isBigEndian: boolean
  /** Starts the checksum of the first frame. Null if the header is damaged. */
  readonly sum: WalChecksum | null
}

const MAGIC = 0x377f0682
const VERSION = 3007000

const readHeader = (descriptor: number): WalHeader => {
  const header = Buffer.alloc(HEADER_BYTES)
  readSync(descriptor, header, 0, HEADER_BYTES, 0)
  const magic = header.readUInt32BE(0)
  const isBigEndian = (magic & 1) === 1
  const pageBytes = header.readUInt32BE(8)
  const isPageSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0
  const sum = nextChecksum([0, 0], header, 0, 24, isBigEndian)
  const isWhole =
    (magic & ~1) === MAGIC &&
    header.readUInt32BE(4) === VERSION &&
    isPageSize &&
    sum[0] === header.readUInt32BE(24) &&
    sum[1] === header.readUInt32BE(28)
  return {
    pageBytes: isPageSize ? pageBytes : PAGE_BYTES,
    salt: header.toString('hex', 16, 24),
    isBigEndian,
    sum: isWhole ? sum : null,
  }
}
