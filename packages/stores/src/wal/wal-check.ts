// Whether SQLite will ignore commits that were acknowledged. SQLite reads its write-ahead log (WAL) up to the first frame
// whose checksum is wrong and silently forgets everything behind it. A damaged frame in the middle thus takes back commits of
// every session. This file looks at the WAL before SQLite does, read-only and as a stream.
//
// `synchronous = FULL` syncs each commit before the next transaction writes, so a crash can tear the last transaction only:
//   * kill -9: frames without a commit frame behind them, a frame cut short, a page that does not match its frame header.
//     Behind them lie at most frames of an older salt (from before the WAL was reused) and frames of a transaction that was
//     rolled back, which have no commit flag. None of this is damage.
//   * two or more commit frames with the current salt behind the first invalid frame: all but the last were synced. Damage.
//   * exactly one: a power cut can leave it (the sectors of an unsynced transaction arrive in any order), and so can a kill
//     while SQLite rewrites the checksums of a transaction larger than its cache. The wal-index (`-shm`) names the last commit
//     that was acknowledged: if that is the last valid one, nothing is lost. Without a wal-index it counts as damage: a false
//     alarm costs every client one replay, a missed one mixes two histories.
//   * the wal-index names a later commit than the WAL has. It is written after the sync, so that commit was acknowledged.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { nextChecksum, readWalIndex, type WalChecksum } from './wal-index.ts'

/** Frames of the write-ahead log in one read: about a megabyte. */
const FRAMES_READ = 256

export interface WalDamage {
  readonly file: string
  /** Frames that SQLite will use. */
  readonly framesUsed: number
  /** Acknowledged commits that are known to lie behind them; there may be more in the damaged part. */
  readonly commitsLost: number
  readonly reason: string
}

/** Null when nothing that was acknowledged is missing. `file` is the database; nobody may have it open. */
export const checkWal = (file: string): WalDamage | null => {
  const index = readWalIndex(`${file}-shm`)
  const wal = `${file}-wal`
  const found = scan(wal)
  if (!found) {
    const isMissing = index !== null && index.frames > index.checkpointed
    return isMissing ? { file: wal, framesUsed: 0, commitsLost: 1, reason: 'it is missing or empty' } : null
  }
  const { framesUsed, commitsBehind, firstInvalid } = found
  // An index of another salt is of an earlier generation of the WAL and says nothing about this one.
  const known = index && (found.salt === null || found.salt === index.salt) ? index.frames : null
  const isShort = known !== null && known > framesUsed
  const isLost = isShort || commitsBehind > 1 || (commitsBehind === 1 && known !== framesUsed)
  if (!isLost) return null
  const reason = found.salt === null ? 'its header is damaged' : `frame ${firstInvalid} is damaged or missing`
  return { file: wal, framesUsed, commitsLost: Math.max(commitsBehind, isShort ? 1 : 0), reason }
}

interface WalScan {
  /** Null: the header is damaged, and SQLite uses no frame at all. */
  readonly salt: string | null
  /** Up to the last valid commit. */
  readonly framesUsed: number
  readonly firstInvalid: number
  /** Commit frames with the current salt behind the first invalid frame. */
  readonly commitsBehind: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** SQLite's default, which Bridle does not change; used where the header does not say. */
const PAGE_BYTES = 4096

/** Null when there is no file, or nothing in it. */
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
      // Where the header is damaged, the first frame says which salt is the current one.
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

/** A frame of zeros. */
const NO_SALT = '0'.repeat(16)

/** The checksum after this frame; null when the frame is not valid, by SQLite's own rules. */
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
  /** The header's checksum, with which the first frame's begins; null when the header is damaged. */
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
