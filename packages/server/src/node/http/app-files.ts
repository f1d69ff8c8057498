// Serves the built web app from a folder. Each request reads its file, so a build that ends while the server runs shows at once.
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

/** The app of the package, beside its compiled code; false where there is none. */
export const builtCockpit = (): string | false => {
  const folder = join(packageFolder, 'dist/cockpit')
  return !isCheckout && existsSync(join(folder, 'index.html')) && folder
}

/** Answers with the files of a folder, `index.html` for `/`; 404 for everything else. */
export const appFiles = (folder: string): FileServer => {
  const root = resolve(folder)
  return async (request) => {
    const { pathname } = new URL(request.url)
    const path = join(root, pathname === '/' ? 'index.html' : decodedPath(pathname))
    const type = types[extname(path)]
    if (!path.startsWith(root + sep) || type === undefined) return notFound()
    const [home, real] = await Promise.all([root, path].map((each) => realpath(each).catch(() => null)))
    // A link out of the folder is no file of the app. A build may replace the folder at this moment.
    if (!home || !real?.startsWith(home + sep)) return notFound()
    const content = await readFile(real).catch(() => null)
    if (content === null) return notFound()
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    const headers = { 'content-type': type, etag, 'cache-control': cachingOf(pathname) }
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(content), { headers })
  }
}

/** The files of the folder that the setting `cockpit` names. While it has no `index.html`, `/` says so, and a build shows at once. */
export const projectFiles = (folder: string): FileServer => {
  const files = appFiles(folder)
  // The whole path is for the operator alone.
  const text = `${noIndexText(basename(resolve(folder)))}\n`
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return async (request) => {
    const file = await files(request)
    const isMissing = file.status === 404 && new URL(request.url).pathname === '/'
    return isMissing ? new Response(text, { status: 503, headers }) : file
  }
}

/** A sentence about a folder of the setting `cockpit` that is not built; null = it has its `index.html`. */
export const missingPageText = (folder: string): string | null =>
  existsSync(join(folder, 'index.html')) ? null : noIndexText(folder)

const noIndexText = (folder: string): string =>
  `The folder ${folder} of the setting "cockpit" has no index.html: build the page first.`

/** The names below `/assets` contain a digest of their content; every other file may change with the next version. */
const cachingOf = (pathname: string): string =>
  pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'

const notFound = (): Response => new Response(null, { status: 404 })

const decodedPath = (pathname: string): string => {
  const path = tryOr('', () => decodeURIComponent(pathname))
  return path.includes('\0') ? '' : path
}
