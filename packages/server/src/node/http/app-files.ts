// Reads the file on each request, so that a new build shows without a restart.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { basename, extname, join, resolve, sep } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import type { FileServer } from '@bridle/surfaces/http/router/pages'
import { isCheckout, packageFolder } from '@bridle/system/package-folder'

export type { FileServer } from '@bridle/surfaces/http/router/pages'

const types: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** The cockpit inside the package; false if it is not built. */
export const builtCockpit = (): string | false => {
  const folder = join(packageFolder, 'dist/cockpit')
  return !isCheckout && existsSync(join(folder, 'index.html')) && folder
}

export const appFiles = (folder: string): FileServer => {
  const root = resolve(folder)
  return async (request) => {
    const { pathname } = new URL(request.url)
    const path = join(root, pathname === '/' ? 'index.html' : decodedPath(pathname))
    const type = types[extname(path)]
    if (!path.startsWith(root + sep) || type === undefined) return notFound()
    const [home, real] = await Promise.all([root, path].map((each) => realpath(each).catch(() => null)))
    // Reject links that leave the folder. The folder may also vanish at this moment, when a build replaces it.
    if (!home || !real?.startsWith(home + sep)) return notFound()
    const content = await readFile(real).catch(() => null)
    if (content === null) return notFound()
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    const headers = { 'content-type': type, etag, 'cache-control': cachingOf(pathname) }
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(content), { headers })
  }
}

/** Serves the folder of the setting `cockpit`. Until it has an `index.html`, `/` explains what is missing. */
export const projectFiles = (folder: string): FileServer => {
  const files = appFiles(folder)
  // Only the folder's name: the full path is for the operator.
  const text = `${noIndexText(basename(resolve(folder)))}\n`
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return async (request) => {
    const file = await files(request)
    const isMissing = file.status === 404 && new URL(request.url).pathname === '/'
    return isMissing ? new Response(text, { status: 503, headers }) : file
  }
}

export const missingPageText = (folder: string): string | null =>
  existsSync(join(folder, 'index.html')) ? null : noIndexText(folder)

const noIndexText = (folder: string): string =>
  `The folder ${folder} of the setting "cockpit" has no index.html: build the page first.`

/** Names below `/assets` contain a content hash; every other file may change with the next version. */
const cachingOf = (pathname: string): string =>
  pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'

const notFound = (): Response => new Response(null, { status: 404 })

const decodedPath = (pathname: string): string => {
  const path = tryOr('', () => decodeURIComponent(pathname))
  return path.includes('\0') ? '' : path
}
