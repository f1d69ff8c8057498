// Builds the cockpit of a checkout in the background and shows the progress. The package contains a built one.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { appFiles, type FileServer } from '@bridle/server/node/http/app-files'
import { checkoutFolder } from '@bridle/system/package-folder'
import { elapsedText } from '@bridle/words/index'

/** The error is at the end of a failed build's output. */
const BUILD_OUTPUT_CHARS_MAX = 20_000

const root = checkoutFolder ?? ''
const app = join(root, 'apps/cockpit')
const dist = join(app, 'dist')
const isCheckout = (): boolean => checkoutFolder !== null && existsSync(join(app, 'vite.config.ts'))

/** Null in an installed package, which contains the built cockpit. */
export const checkoutCockpit = (): FileServer | null => (isCheckout() ? buildingFiles() : null)

/** Builds the app if it is outdated. Null in an installed package, or if the build fails. */
export const buildInCheckout = async (): Promise<string | null> => {
  if (!isCheckout()) return null
  const problem = isCurrent() ? null : await runBuild()
  return problem === null ? dist : null
}

/** Builds on the first page request, because most servers of a checkout never see a browser. */
const buildingFiles = (): FileServer => {
  const files = appFiles(dist)
  let build: AppBuild | null = null
  return async (request) => {
    build ??= startBuild()
    if (build.state === 'built') return files(request)
    if (new URL(request.url).pathname !== '/') return new Response(null, { status: 404 })
    return build.state === 'building' ? buildingPage(Date.now() - build.startedAt) : buildFailedPage(build.problem)
  }
}

interface AppBuild {
  readonly startedAt: number
  state: 'building' | 'built' | 'failed'
  problem: string
}

const startBuild = (): AppBuild => {
  const build: AppBuild = { startedAt: Date.now(), state: isCurrent() ? 'built' : 'building', problem: '' }
  if (build.state === 'building')
    void runBuild().then((problem) => {
      build.state = problem === null ? 'built' : 'failed'
      build.problem = problem ?? ''
    })
  return build
}

/** Returns the output of a failed build, or null. Replaces the app atomically, because another server may be reading it. */
const runBuild = async (): Promise<string | null> => {
  const fresh = `${dist}.${process.pid}`
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const args = ['build', '--logLevel', 'error', '--config', join(app, 'vite.config.ts'), '--outDir', fresh]
  const problem = await outputOfFailure(spawn(process.execPath, [vite, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }))
  if (problem === null) {
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
  }
  rmSync(fresh, { recursive: true, force: true })
  return problem
}

const outputOfFailure = (child: ChildProcessByStdio<null, Readable, Readable>): Promise<string | null> =>
  new Promise((resolve) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-BUILD_OUTPUT_CHARS_MAX)
      })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? null : output))
  })

const isCurrent = (): boolean => {
  const index = join(dist, 'index.html')
  if (!existsSync(index)) return false
  const sources = [
    ...globSync(['*.{html,ts}', '{src,public}/**/*.*'], { cwd: app }).map((file) => join(app, file)),
    ...globSync('packages/{assistant-ui,bridle,client,events,history,kernel,react,wire,words}/src/**/*.{ts,tsx}', {
      cwd: root,
    }).map((file) => join(root, file)),
    join(root, 'package-lock.json'),
  ]
  const builtAt = statSync(index).mtimeMs
  return sources.every((file) => statSync(file).mtimeMs <= builtAt)
}

const buildingPage = (elapsedMs: number): Response =>
  page(
    503,
    'The cockpit is being built',
    `<p>It takes a few seconds after the first start; ${elapsedText(elapsedMs)} so far. The server already answers: <a href="/docs">every route</a>.</p>`,
    { refresh: '1', 'retry-after': '1' },
  )

export const buildFailedPage = (problem: string): Response =>
  page(
    500,
    'The cockpit could not be built',
    `<p>Run <code>npm ci</code> and start again. The server itself works: <a href="/docs">every route</a>.</p><pre>${escaped(problem)}</pre>`,
  )

/** Both pages contain inline styles and no scripts. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

const STYLE = `body{font:14px/22px system-ui,sans-serif;max-width:36em;margin:20vh auto 0;padding:0 16px;color:#2b2926;background:#fdfcfb}
h1{font-size:20px}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}
@media(prefers-color-scheme:dark){body{color:#eceae7;background:#161513}a{color:#9db8f5}}`

const page = (status: number, title: string, body: string, headers: Record<string, string> = {}): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Bridle</title><style>${STYLE}</style><main><h1>${title}</h1>${body}</main></html>`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': POLICY,
        ...headers,
      },
    },
  )

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
