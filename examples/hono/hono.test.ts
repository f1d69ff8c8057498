// The whole app, as its users meet it: the app's own routes, its login, and Bridle behind both.
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasEvent, openTestSocket, upgradeAnswer } from '@bridle/server/tests/socket-client.suite'
import { type ServerType, serve } from '@hono/node-server'
import { fabricClient } from 'bridle/client'
import type { EmbeddedHarness } from 'bridle/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp, startHarness } from './app.ts'

let url: string
let harness: EmbeddedHarness
let server: ServerType
const data = mkdtempSync(join(tmpdir(), 'bridle-hono-'))
beforeAll(async () => {
  harness = await startHarness(data)
  await new Promise<void>((resolve) => {
    server = serve({ fetch: createApp(harness).fetch, hostname: '127.0.0.1', port: 0 }, () => resolve())
  })
  server.on('upgrade', (request, socket, head) => {
    if (!harness.upgrade(request, socket, head)) socket.destroy()
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await harness.close()
  server.close()
  rmSync(data, { recursive: true, force: true })
})

/** The cookie of a user, and a client that sends it. */
const signIn = async (name: string) => {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ name }),
    redirect: 'manual',
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const fabric = fabricClient({
    url: `${url}/bridle`,
    fetch: (to, init) => {
      const headers = new Headers(init.headers)
      headers.set('cookie', cookie)
      return fetch(to, { ...init, headers })
    },
  })
  return { name, cookie, fabric }
}

test('three users with two threads each, interleaved: streams, memory, and nobody sees another', async () => {
  const users = await Promise.all(['ada', 'bo', 'cy'].map(signIn))
  const threads = users.flatMap(({ name, fabric }) => [1, 2].map((number) => ({ id: `${name}-${number}`, fabric })))
  for (const count of [1, 2, 3])
    await Promise.all(
      threads.map(async ({ id, fabric }) => {
        const run = fabric.ask('assistant', id, `${id} says ${count}`)
        const deltas: string[] = []
        for await (const event of run) if (event.type === 'text_delta') deltas.push(event.data.delta)
        expect(deltas.join('')).toBe(`Noted, that makes ${count}.`)
      }),
    )
  for (const { name, fabric } of users) {
    const { sessions } = await fabric.sessions()
    expect(sessions.map(({ id }) => id).sort()).toEqual([`${name}-1`, `${name}-2`])
    await expect(fabric.session(name === 'ada' ? 'bo-1' : 'ada-1')).rejects.toMatchObject({ status: 404 })
  }
})

test('a socket and an approval, with the cookie of the app', async () => {
  const [ada, bo] = [await signIn('ada'), await signIn('bo')]
  const run = ada.fabric.ask('assistant', 'ada-1', 'publish')
  const headers = { cookie: ada.cookie }
  const socket = await openTestSocket(`${url}/bridle/sessions/ada-1/ws`, { headers })
  await socket.until(hasEvent('approval_requested'))
  const { approvals } = await ada.fabric.approvals()
  const [{ id = '' } = {}] = approvals
  expect((await bo.fabric.approvals()).approvals).toEqual([])
  await expect(bo.fabric.approve('ada-1', id)).rejects.toMatchObject({ status: 404 })
  await ada.fabric.approve('ada-1', id, { args: { title: 'My notes' } })
  expect((await run.result).result).toBe('Published "My notes".')
  socket.ws.close()
  expect((await upgradeAnswer(`${url}/bridle/sessions/ada-1/ws`)).status).toBe(401)
})

test("the app's own routes, and those who are not signed in", async () => {
  expect(await (await fetch(`${url}/`)).text()).toContain('<title>Notes</title>')
  expect(await (await fetch(`${url}/me`)).json()).toEqual({ user: null })
  expect((await fetch(`${url}/bridle/sessions`)).status).toBe(401)
  expect((await fetch(`${url}/sessions`)).status).toBe(404)
  const { cookie } = await signIn('ada')
  const evil = { cookie, origin: 'https://evil.example' }
  expect(
    (await fetch(`${url}/bridle/agents/assistant/x`, { method: 'POST', headers: evil, body: '{"prompt":"x"}' })).status,
  ).toBe(403)
})
