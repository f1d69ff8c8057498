// examples/express with the real Express, which only this test installs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasEvent, openTestSocket, upgradeAnswer } from '@bridle/server/tests/socket-client.suite'
import { fabricClient } from 'bridle/client'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bridle-express-'))
let app: ChildProcess
let url = ''
beforeAll(async () => {
  cpSync(join(root, 'examples/express/main.js'), join(folder, 'main.js'))
  const { dependencies } = JSON.parse(readFileSync(join(root, 'examples/express/package.json'), 'utf8'))
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', `express@${dependencies.express}`], {
    cwd: folder,
    stdio: 'ignore',
  })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(join(root, 'packages/bridle'), join(folder, 'node_modules/bridle'))
  app = spawn(process.execPath, ['--conditions=bridle-source', 'main.js'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', DATA: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  url = await new Promise((resolve, reject) => {
    app.stdout?.once('data', (line) => resolve(/http:\S+/.exec(String(line))?.[0] ?? ''))
    app.once('exit', (code) => reject(new Error(`The app ended with ${code}.`)))
  })
})
afterAll(() => {
  app?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const signIn = async (name: string) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/login`, { method: 'POST', headers, body: JSON.stringify({ name }) })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const fabric = fabricClient({
    url: `${url}/bridle`,
    fetch: (to, init) => {
      const withCookie = new Headers(init.headers)
      withCookie.set('cookie', cookie)
      return fetch(to, { ...init, headers: withCookie })
    },
  })
  return { name, cookie, fabric }
}

test('three users with two threads each, behind the parser of the app; a stream, a socket, an approval', async () => {
  const users = await Promise.all(['ada', 'bo', 'cy'].map(signIn))
  const threads = users.flatMap(({ name, fabric }) => [1, 2].map((number) => ({ id: `${name}-${number}`, fabric })))
  for (const count of [1, 2])
    await Promise.all(
      threads.map(async ({ id, fabric }) => {
        let text = ''
        for await (const event of fabric.ask('assistant', id, `says ${count}`))
          if (event.type === 'text_delta') text += event.data.delta
        expect(text).toBe(`Noted, that makes ${count}.`)
      }),
    )
  for (const { name, fabric } of users)
    expect((await fabric.sessions()).sessions.map(({ id }) => id).sort()).toEqual([`${name}-1`, `${name}-2`])
  const [ada] = users as [(typeof users)[number]]
  const run = ada.fabric.ask('assistant', 'ada-1', 'publish')
  const socket = await openTestSocket(`${url}/bridle/sessions/ada-1/ws`, { headers: { cookie: ada.cookie } })
  await socket.until(hasEvent('approval_requested'))
  const { approvals } = await ada.fabric.approvals()
  await ada.fabric.approve('ada-1', approvals[0]?.id ?? '', { args: { title: 'Notes' } })
  expect((await run.result).result).toBe('Published "Notes".')
  socket.ws.close()
  expect((await upgradeAnswer(`${url}/bridle/sessions/ada-1/ws`)).status).toBe(401)
  expect((await fetch(`${url}/bridle/sessions`)).status).toBe(401)
  expect((await fetch(`${url}/bridle/nowhere`, { headers: { cookie: ada.cookie } })).status).toBe(404)
})
