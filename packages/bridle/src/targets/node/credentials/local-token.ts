// The token that a server makes for its own user, and how that user's programs find it: both are files in the data folder,
// which is for that user alone. The address says where the token may be sent; it is there only while the server listens.
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret } from '../../../runners/secrets/server-secret.ts'

const TOKEN = 'token'
const ADDRESS = 'address'

export interface LocalServer {
  /** As the server itself names it. */
  readonly url: string
  readonly token: string
}

export const tokenFile = (folder: string): string => join(folder, TOKEN)

/** The token of this data folder; made with the first question, by the process that owns the folder. */
export const ensureLocalToken = (folder: string): string =>
  readOrCreateSecret(folder, {
    file: TOKEN,
    make: () => randomBytes(32).toString('base64url'),
    pattern: /^[A-Za-z0-9_-]{43}$/,
    remedy: 'Remove it; the next start makes another.',
  })

/** Where the server of this folder listens and asks for the folder's token; null = nowhere. */
export const publishAddress = (folder: string, url: string | null): void => {
  const path = join(folder, ADDRESS)
  rmSync(path, { force: true })
  if (url !== null) writeFileSync(path, `${url}\n`, { mode: 0o600, flag: 'wx' })
}

/** Null = no server of this folder has said that it asks for this token. Does not tell whether it still runs. */
export const readLocalServer = (folder: string): LocalServer | null => {
  try {
    const [url, token] = [ADDRESS, TOKEN].map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return url && token && URL.canParse(url) ? { url, token } : null
  } catch {
    return null
  }
}
