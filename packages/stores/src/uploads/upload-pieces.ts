// Splits the bytes of an upload into rows of an object's storage.
import type { SqlDriver } from '../drivers/driver.ts'

/** Below the 2 MB row limit; fewer rows cost less. */
export const UPLOAD_PIECE_BYTES = 1_800_000

/** Atomic. */
export const writePieces = (driver: SqlDriver, bytes: Uint8Array): void =>
  driver.transaction(() => {
    driver.run('DELETE FROM upload_pieces')
    for (let at = 0, n = 0; at < bytes.byteLength; at += UPLOAD_PIECE_BYTES, n++) {
      const piece = bytes.subarray(at, at + UPLOAD_PIECE_BYTES)
      driver.run('INSERT INTO upload_pieces (n, bytes) VALUES (?, ?)', n, piece)
    }
  })

/** Null if nothing was written. */
export const readPieces = (driver: SqlDriver): Uint8Array | null => {
  const size = driver.get<{ bytes: number | null }>('SELECT SUM(LENGTH(bytes)) AS bytes FROM upload_pieces')?.bytes
  if (!size) return null
  const whole = new Uint8Array(size)
  let at = 0
  for (let n = 0; at < size; n++) {
    const row = driver.get<{ bytes: ArrayBuffer | Uint8Array }>('SELECT bytes FROM upload_pieces WHERE n = ?', n)
    if (!row) return null
    const piece = new Uint8Array(row.bytes)
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}
