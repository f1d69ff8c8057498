// The server's secret. Tokens of runs and sandboxes are derived from it, so that the next process knows them without a file.
import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { configuredSecret } from './configured-secret.ts'

const FILE = 'secret'

/** BRIDLE_SECRET, else one that is made on first use and kept in the data folder. */
export const serverSecret = (folder: string, env: NodeJS.ProcessEnv = {}): string =>
  configuredSecret(env) ??
  readOrCreateSecret(folder, {
    file: FILE,
    make: () => randomBytes(32).toString('hex'),
    pattern: /^[0-9a-f]{64}$/,
    remedy: 'Remove it; runs under way are then lost.',
  })

export interface SecretFile {
  readonly file: string
  readonly make: () => string
  readonly pattern: RegExp
  /** Advice for a file that does not fit the pattern. */
  readonly remedy: string
}

/** A secret that only the file's owner can read, made once. The caller owns the data folder. Windows ignores the mode. */
export const readOrCreateSecret = (folder: string, { file: name, make, pattern, remedy }: SecretFile): string => {
  const path = join(folder, name)
  if (!existsSync(path)) writeAtomically(path, make())
  const text = readFileSync(path, 'utf8').trim()
  if (!pattern.test(text)) throw new Error(`${path} is damaged. ${remedy}`)
  return text
}

/** Writes the whole file or nothing, also in a power cut. */
const writeAtomically = (path: string, text: string): void => {
  const file = openSync(`${path}.new`, 'w', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
}

export const deriveSecret = (secret: string, ...names: readonly (string | number)[]): string =>
  createHmac('sha256', secret).update(JSON.stringify(names)).digest('base64url')
