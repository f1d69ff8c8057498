// The built files of the app: which paths are files, and how long a browser may keep them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { appFiles, missingPageText, projectFiles } from './app-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-app-files-'))
const dist = join(folder, 'dist')
mkdirSync(join(dist, 'assets'), { recursive: true })
for (const [file, text] of [
  ['dist/index.html', '<h1>app</h1>'],
  ['dist/assets/a-1x.js', 'run()'],
  ['dist/.env', 'SECRET=1'],
  ['secret.txt', 'secret'],
] as const)
  writeFileSync(join(folder, file), text)
symlinkSync(join(folder, 'secret.txt'), join(dist, 'assets/way-out.txt'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files = appFiles(dist)
const ask = (path: string, init?: RequestInit) => files(new Request(`http://here${path}`, init))

test.each([
  ['/', 200, 'text/html; charset=utf-8', 'no-cache'],
  ['/index.html', 200, 'text/html; charset=utf-8', 'no-cache'],
  ['/assets/a-1x.js', 200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  ['/assets/gone.js', 404, null, null],
  ['/assets', 404, null, null],
  ['/.env', 404, null, null],
  ['/%2e%2e/secret.txt', 404, null, null],
  ['/..%2fsecret.txt', 404, null, null],
  ['/%2e%2e%2fsecret.txt', 404, null, null],
  ['/%2E%2E%2Fsecret%2Etxt', 404, null, null],
  ['/%2e%2e%5csecret.txt', 404, null, null],
  ['/..\\secret.txt', 404, null, null],
  ['/%252e%252e%252fsecret.txt', 404, null, null],
  ['/%c0%ae%c0%ae/secret.txt', 404, null, null],
  ['/assets/%2e%2e/%2e%2e/secret.txt', 404, null, null],
  ['/assets%2f..%2f..%2fsecret.txt', 404, null, null],
  ['//secret.txt', 404, null, null],
  ['/assets/way-out.txt', 404, null, null],
  ['/%00.html', 404, null, null],
  ['/%E0%A4%A.html', 404, null, null],
])('[H28] %s is %i', async (path, status, type, caching) => {
  const { status: found, headers } = await ask(path)
  expect([found, headers.get('content-type'), headers.get('cache-control')]).toEqual([status, type, caching])
})

test('[H28] a browser that has the file gets 304, and HEAD gets no body', async () => {
  const etag = (await ask('/')).headers.get('etag') ?? ''
  expect((await ask('/', { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect(await (await ask('/', { method: 'HEAD' })).text()).toBe('')
})

test('[H28] a folder that is not there, or is replaced this moment, has no files', async () => {
  const missing = appFiles(join(folder, 'none'))
  for (const path of ['/', '/index.html', '/assets/a-1x.js'])
    expect((await missing(new Request(`http://here${path}`))).status).toBe(404)
})

test('[H28] the folder of a setting without index.html says so at /, without its whole path; once it is built, it is served', async () => {
  const web = join(folder, 'web')
  const page = projectFiles(web)
  const ask = async (path: string) => {
    const answer = await page(new Request(`http://here${path}`))
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  const sentence = 'The folder web of the setting "cockpit" has no index.html: build the page first.'
  expect(await ask('/')).toEqual([503, 'text/plain; charset=utf-8', `${sentence}\n`])
  expect((await ask('/assets/a.js'))[0]).toBe(404)
  expect(missingPageText(web)).toContain(`The folder ${web} of`)
  mkdirSync(web)
  writeFileSync(join(web, 'index.html'), '<h1>mine</h1>')
  expect(await ask('/')).toEqual([200, 'text/html; charset=utf-8', '<h1>mine</h1>'])
  expect(missingPageText(web)).toBe(null)
})
