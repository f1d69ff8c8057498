// A damaged write-ahead log is copied before SQLite opens the database and forgets what lies behind the damage. The copy waits
// under one name until every log has its new incarnation, and is kept under another: a crash in between finds it again.
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkWal, type WalDamage } from './wal-check.ts'

export interface WalDamageNotice {
  readonly damage: WalDamage
  /** Every log has its new incarnation: from here on the copy is for the operator alone. Returns where it lies. */
  markHandled(): string
}

/** Call before SQLite opens the database. Null when nothing that was acknowledged is missing. */
export const preserveDamagedWal = (file: string): WalDamageNotice | null => {
  const wal = `${file}-wal`
  const waiting = `${wal}.noticed`
  const kept = `${wal}.damaged`
  const damage = checkWal(file) ?? (existsSync(waiting) ? unhandledDamage(wal) : null)
  if (!damage) return null
  if (!existsSync(waiting)) {
    // At most one copy is kept: a disk that damages files would soon be full of them.
    const half = `${waiting}.part`
    if (existsSync(wal)) copyFileSync(wal, half)
    else closeSync(openSync(half, 'w', 0o600))
    syncPath(half)
    renameSync(half, waiting)
    syncPath(dirname(file))
  }
  return {
    damage,
    markHandled() {
      renameSync(waiting, kept)
      return kept
    },
  }
}

/** The process that noticed it ended before the logs had their new incarnation. */
const unhandledDamage = (wal: string): WalDamage => ({
  file: wal,
  framesUsed: 0,
  commitsLost: 1,
  reason: 'an earlier start noticed it and did not get further',
})

const syncPath = (path: string): void => {
  try {
    const descriptor = openSync(path, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Windows syncs no folders, and needs a writable handle for files: there the rename has to do.
  }
}
