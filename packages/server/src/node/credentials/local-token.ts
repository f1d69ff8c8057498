// Only the server's user can read the address and token files. The address exists only while the server listens.
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret } from '@bridle/runners/secrets/server-secret'

const TOKEN = 'token'
const ADDRESS = 'address'
/** Second line of the address file, if the server requires the token beside it. */
const ASKS_TOKEN = 'token'

export interface LocalServer {
  readonly url: string
  /** Null if the server does not require the folder's token. */
  readonly token: string | null
}

export const tokenFile = (folder: string): string => join(folder, TOKEN)

/** Generated on first use. Only the process that owns the folder may call this. */
export const ensureLocalToken = (folder: string): string =>
  readOrCreateSecret(folder, {
    file: TOKEN,
    make: () => randomBytes(32).toString('base64url'),
    pattern: /^[A-Za-z0-9_-]{43}$/,
    remedy: 'Remove it; the next start makes another.',
  })

export const publishAddress = (folder: string, url: string, { asksToken }: { readonly asksToken: boolean }): void => {
  withdrawAddress(folder)
  writeFileSync(join(folder, ADDRESS), `${url}\n${asksToken ? `${ASKS_TOKEN}\n` : ''}`, { mode: 0o600, flag: 'wx' })
}

export const withdrawAddress = (folder: string): void => rmSync(join(folder, ADDRESS), { force: true })

/** Null if no server of this folder published its address. A published server may have been killed since. */
export const readLocalServer = (folder: string): LocalServer | null => {
  try {
    const [url = '', ...more] = readFileSync(join(folder, ADDRESS), 'utf8').split('\n')
    if (!URL.canParse(url)) return null
    const token = more.includes(ASKS_TOKEN) ? readFileSync(join(folder, TOKEN), 'utf8').trim() || null : null
    return { url, token }
  } catch {
    return null
  }
}
