// Files of several sessions in the real runtime: trees are in objects of their own, and files look as those of a server on Node.

import { testApp } from '@bridle/surfaces/http/test-app.suite'
import { scriptBody } from '@bridle/surfaces/http/test-client.suite'
import type { ImportReceipt } from '@bridle/wire/http/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evict, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'

const TENANTS = ['acme', 'globex', 'initech', 'hooli'] as const
type Tenant = (typeof TENANTS)[number]
const tokens = [
  ...TENANTS.map((tenant) => ({ token: tenant, tenants: [tenant] })),
  { token: 'reader', tenants: ['acme'], scopes: ['observe'] },
]

describe.skipIf(noTools)('in the real runtime', () => {
  let world: WorkerdProcess
  let file = ''
  const ask = (token: string, path: string, init: RequestInit = {}) =>
    fetch(`${world.url}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } })
  const post = async (tenant: Tenant, path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(tenant, path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const say = (tenant: Tenant, id: string, text: string) =>
    post(tenant, `/agents/scripted/${id}`, scriptBody({ text }, { artifact: { name: 'a.txt', content: `of ${id}` } }))
  const head = async (tenant: Tenant, id: string) =>
    String(((await (await ask(tenant, `/sessions/${id}`)).json()) as { lastEventId: string }).lastEventId)
  const branch = async (tenant: Tenant, from: string, id: string) =>
    expect(
      (await post(tenant, `/chat/sessions/${from}/branch`, { from_event_id: await head(tenant, from), session_id: id }))
        .status,
    ).toBe(201)
  const exported = async (tenant: Tenant, query = '') => (await ask(tenant, `/export${query}`)).text()
  const load = async (token: string, text: string, query = '') => {
    const answer = await ask(token, `/import${query}`, { method: 'POST', body: text })
    const body = (await answer.json()) as ImportReceipt & { error?: unknown }
    return { status: answer.status, error: body.error, sessions: body.sessions }
  }
  const ids = async (tenant: Tenant) => {
    const answer = await ask(tenant, '/sessions?archived=all&limit=100')
    return ((await answer.json()) as { sessions: { id: string }[] }).sessions.map(({ id }) => id).toSorted()
  }

  beforeAll(async () => {
    world = await startTestWorker({ vars: { TEST_OPTIONS: JSON.stringify({ tokens }) } })
    // Two trees and a session of its own, interleaved; an id that was used again; a tree whose root is gone.
    await say('acme', 'a', 'first of a')
    await say('acme', 'x', 'first of x')
    await branch('acme', 'a', 'a1')
    await say('acme', 'plain', 'alone')
    await branch('acme', 'x', 'x1')
    await say('acme', 'a1', 'second of a1')
    await say('acme', 'x', 'second of x')
    await branch('acme', 'a1', 'a2')
    await say('acme', 'again', 'life 1')
    await branch('acme', 'again', 'again1')
    await ask('acme', '/agents/scripted/again', { method: 'DELETE' })
    await ask('acme', '/agents/scripted/x', { method: 'DELETE' })
    await say('acme', 'last', 'alone, too')
    await say('acme', 'again', 'life 2')
    await say('globex', 'other', 'of another tenant')
    file = await exported('acme')
  })
  afterAll(() => world?.dispose())

  test('[X18] trees of several objects are one file, in the order of their birth, which Node imports and writes again', async () => {
    const names = file.split('\n').filter((line) => line.startsWith('{"session"'))
    expect(names.map((line) => JSON.parse(line).session.id)).toEqual([
      ...['a', 'a1', 'a2', 'x', 'x1', 'plain', 'again-from-1', 'again1', 'last', 'again'],
    ])
    const node = testApp({ clock: { now: Date.now, after: () => () => {} } })
    const { status, body } = await node.post('/import', file)
    expect([status, body.error]).toEqual([200, undefined])
    expect((await node.get('/export')).body.text).toBe(file)
    const alone = (await exported('acme', '?search=alone')).match(/\{"session":\{"id":"[a-z0-9]+"/g)
    expect(alone).toEqual(['plain', 'last'].map((id) => `{"session":{"id":"${id}"`))
    // Half a tree brings what it continues.
    const half = (await exported('acme', '?parent=a1')).match(/\{"session":\{"id":"[a-z0-9]+"/g)
    expect(half).toEqual(['a', 'a1', 'a2'].map((id) => `{"session":{"id":"${id}"`))
    expect((await exported('globex')).match(/^\{"session"/gm)).toHaveLength(1)
  })

  test('[X18] a file is cut by tree, and export, import, export gives the same bytes', async () => {
    const checked = await load('initech', file, '?check=1')
    expect([checked.status, checked.sessions.length]).toEqual([200, 10])
    expect(await ids('initech')).toEqual([])
    const first = await load('initech', file)
    expect([first.status, first.error]).toEqual([200, undefined])
    expect(first.sessions).toEqual(checked.sessions)
    expect(await exported('initech')).toBe(file)
    await evict(world, 'a', 'scripted', 'initech')
    expect(await exported('initech')).toBe(file)
    const second = await load('initech', file)
    expect(second.sessions.map(({ existing }) => existing)).toEqual(Array.from({ length: 10 }, () => true))
    // They are sessions like any other.
    expect((await say('initech', 'a2', 'on it goes')).status).toBe(200)
    const tree = (await (await ask('initech', '/sessions/a2/tree')).json()) as { sessions: { id: string }[] }
    expect(tree.sessions.map(({ id }) => id)).toEqual(['a', 'a1', 'a2'])
    expect(await (await ask('initech', '/sessions/plain/artifacts/a.txt')).text()).toBe('of plain')
  })

  test('[X13] ids that are taken in other objects are a 409 before anything is written, or get other ids', async () => {
    await say('hooli', 'a1', 'mine')
    await say('hooli', 'plain', 'mine, too')
    const refused = await load('hooli', file)
    expect([refused.status, refused.error]).toEqual([
      409,
      { type: 'conflict', message: expect.stringMatching(/^Line \d+: .*"a1".*rename=1/) },
    ])
    const line = Number(/\d+/.exec((refused.error as { message: string }).message)?.[0])
    expect(file.split('\n')[line - 1]).toContain('{"session":{"id":"a1"')
    expect(await ids('hooli')).toEqual(['a1', 'plain'])
    const { sessions } = await load('hooli', file, '?rename=1')
    expect(sessions.filter((each) => each.renamed_from).map(({ id }) => id)).toEqual(['a1-2', 'plain-2'])
    const tree = (await (await ask('hooli', '/sessions/a2/tree')).json()) as { sessions: { id: string }[] }
    expect(tree.sessions.map(({ id }) => id)).toEqual(['a', 'a1-2', 'a2'])
    expect(await ids('hooli')).toHaveLength(12)
  })

  test.each([
    ['a damaged line', (lines: string[]) => lines.with(12, '{"seq":'), /^Line 13: The line is not JSON/],
    ['a line that is missing', (lines: string[]) => lines.toSpliced(4, 1), /^Line 5: Event/],
    ['a file that is cut off', (lines: string[]) => lines.slice(0, -2), /^Line \d+: The file is cut off/],
    ['no file at all', () => [''], /^Line 1: /],
    [
      'a digest of another file',
      (lines: string[]) => lines.with(-2, lines.at(-2)?.replace(/.{5}"\}\}$/, '00000"}}') ?? ''),
      /digest/,
    ],
  ])('[X11] %s is refused with its line, and nothing is written', async (_name, change, words) => {
    const { status, error } = await load('globex', change(file.split('\n')).join('\n'))
    expect([status, error]).toEqual([400, expect.stringMatching(words)])
    expect(await ids('globex')).toEqual(['other'])
  })

  test('[X14] a credential that may not approve imports nothing, and nobody names a part of a file', async () => {
    expect((await load('reader', file)).status).toBe(403)
    const part = { 'x-bridle-tree': '*', 'x-bridle-file': '{"digest":"x","linesBefore":9}' }
    const whole = await (await ask('acme', '/export', { headers: part })).text()
    expect(whole).toBe(file)
  })
})
