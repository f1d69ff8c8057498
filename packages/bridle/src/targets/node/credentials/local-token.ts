// The token that a server makes for its user, and the address that the token may be sent to. Both are files in the data folder,
// which only that user can read. The address is there only while the server listens.
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret } from '../../../runners/secrets/server-secret.ts'

const TOKEN = 'token'
const ADDRESS = 'address'

export interface LocalServer {
  /** The address that the server published. */
  readonly url: string
  readonly token: string
}

export const tokenFile = (folder: string): string => join(folder, TOKEN)

/** The token of this data folder. The first call makes it; only the process that owns the folder may call. */
export const ensureLocalToken = (folder: string): string =>
  readOrCreateSecret(folder, {
    file: TOKEN,
    make: () => randomBytes(32).toString('base64url'),
    pattern: /^[A-Za-z0-9_-]{43}$/,
    remedy: 'Remove it; the next start makes another.',
  })

/** Publishes the address of the server that requires the folder's token; null = no server listens. */
export const publishAddress = (folder: string, url: string | null): void => {
  const path = join(folder, ADDRESS)
  rmSync(path, { force: true })
  if (url !== null) writeFileSync(path, `${url}\n`, { mode: 0o600, flag: 'wx' })
}

/** Null = no server of this folder has published an address. The server may have been killed since. */
export const readLocalServer = (folder: string): LocalServer | null => {
  try {
    const [url, token] = [ADDRESS, TOKEN].map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return url && token && URL.canParse(url) ? { url, token } : null
  } catch {
    return null
  }
}
