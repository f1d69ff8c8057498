// The server's own secret: tokens of runs and sandboxes are derived from it, so that the next process knows them and no
// other file has to hold one.
import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'secret'

/** Made on first use, for its owner's eyes alone. */
export const secretOf = (folder: string): string => {
  const path = join(folder, FILE)
  // Whole or not at all; the data folder has one owner.
  if (!existsSync(path)) {
    const file = openSync(`${path}.new`, 'w', 0o600)
    writeSync(file, randomBytes(32).toString('hex'))
    fsyncSync(file)
    closeSync(file)
    renameSync(`${path}.new`, path)
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(secret)) throw new Error(`${path} is damaged. Remove it; runs under way are then lost.`)
  return secret
}

export const derived = (secret: string, ...names: readonly (string | number)[]): string =>
  createHmac('sha256', secret).update(JSON.stringify(names)).digest('base64url')
