// The address of the server that works on a data folder, and the token that such a server makes for its user. Both are files in the folder,
// which only that user can read. The address is there only while the server listens.
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreateSecret } from '@bridle/runners/secrets/server-secret'

const TOKEN = 'token'
const ADDRESS = 'address'
/** The second line of the address, where the server asks for the token beside it. */
const ASKS_TOKEN = 'token'

export interface LocalServer {
  readonly url: string
  /** The token that this server asks for; null = it does not ask for the one of the folder. */
  readonly token: string | null
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

/** Publishes the address of the server, and whether it asks for the folder's token. */
export const publishAddress = (folder: string, url: string, { asksToken }: { readonly asksToken: boolean }): void => {
  withdrawAddress(folder)
  writeFileSync(join(folder, ADDRESS), `${url}\n${asksToken ? `${ASKS_TOKEN}\n` : ''}`, { mode: 0o600, flag: 'wx' })
}

/** No server of the folder listens. */
export const withdrawAddress = (folder: string): void => rmSync(join(folder, ADDRESS), { force: true })

/** Null = no server of this folder has published an address. The server may have been killed since. */
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
