// A damaged write-ahead log is copied before SQLite opens the database and discards everything after the damage. The copy is only
// renamed to its final name once every log has its new incarnation, so that a crash in between is noticed.
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkWal, type WalDamage } from './wal-check.ts'

export interface WalDamageNotice {
  readonly damage: WalDamage
  /** Call when every log has its new incarnation. Returns the path of the copy, which is then only for the operator. */
  markHandled(): string
}

/** Call before SQLite opens the database. Null if no acknowledged data is missing. */
export const preserveDamagedWal = (file: string): WalDamageNotice | null => {
  const wal = `${file}-wal`
  const waiting = `${wal}.noticed`
  const kept = `${wal}.damaged`
  const damage = checkWal(file) ?? (existsSync(waiting) ? unhandledDamage(wal) : null)
  if (!damage) return null
  if (!existsSync(waiting)) {
    // Keep a single copy, because a faulty disk would otherwise fill up with them.
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

/** A previous process noticed the damage and ended before every log had a new incarnation. */
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
    // Windows cannot sync folders, and needs a writable handle to sync files. The rename has to do.
  }
}
