// Requests that are refused leave every session's folder as it was, and start nothing that an agent put there.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import { SessionFolders } from '@bridle/runners/sandboxes/folders/session-folders'
import { sessionFolder } from '@bridle/runners/sandboxes/folders/session-paths'
import { hostileRepository } from '@bridle/runners/workspaces/hostile-repository.suite'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'

let folder: string
let data: string
let server: HarnessServer
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-refusals-')))
  data = join(folder, 'data')
  mkdirSync(join(folder, 'source'))
  writeFileSync(join(folder, 'source/a.txt'), 'a')
  server = await HarnessServer.start({
    port: 0,
    data,
    log: () => {},
    workspaces: { sources: [join(folder, 'source')] },
  })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const key = (id: string): Key => ({ tenant: 'default', agent: 'scripted', id })
const source = () => join(folder, 'source')
const start = (id: string, more: object = {}, headers: Record<string, string> = {}) =>
  post(
    `${server.url}/sessions`,
    { engine: 'scripted', session_id: id, ...scriptBody({ text: 'done' }), ...more },
    headers,
  )
const write = { workspace: { mode: 'write' } }

/** All files of all sessions: names, modes, owners and contents. */
const picture = (): string =>
  createHash('sha256')
    .update(
      execFileSync(
        'sh',
        ['-c', 'find . -printf "%p %m %u %y %l\\n" | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum'],
        { cwd: join(data, 'workspaces') },
      ),
    )
    .digest('hex')

/** As an agent leaves it: precious files, and a `.git` that leads to a repository full of programs. */
const agentWork = (id: string, evil: string) => {
  const work = join(sessionFolder(data, key(id)), 'work')
  writeFileSync(join(work, 'precious.txt'), `of ${id}`)
  rmSync(join(work, '.git'), { force: true, recursive: true })
  writeFileSync(join(work, '.git'), `gitdir: ${evil}/.git\n`)
}

const settled = async (id: string): Promise<Record<string, unknown>> => {
  for (;;) {
    const { body } = await get(`${server.url}/sessions/${id}`)
    if (body.status === 'completed') return body
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('[F30] a refused request removes nothing of three sessions and starts nothing that lies there', async () => {
  const evil = hostileRepository(join(folder, 'evil'))
  const folders = new SessionFolders(data)
  // Three sessions: without a workspace, with an empty one, and with a source; each as its agent left it.
  await start('plain')
  await folders.prepare(key('plain'), null)
  await start('empty', write)
  await start('sourced', { workspace: { mode: 'write', source: source() } }, { 'idempotency-key': 'k-sourced' })
  const sessions = ['plain', 'empty', 'sourced']
  const places = new Map<string, unknown>()
  for (const id of sessions) {
    places.set(id, (await settled(id)).lastEventId)
    agentWork(id, evil.top)
    evil.git('branch', `bridle/ws-${sessionFolder(data, key(id)).split('/').at(-1)?.slice(0, 16)}`)
  }
  for (const name of evil.ran()) rmSync(join(`${evil.top}.ran`, name))
  const before = picture()

  const branch = (from: string, to: string, more: object = {}, headers: Record<string, string> = {}) =>
    post(
      `${server.url}/chat/sessions/${from}/branch`,
      { from_event_id: places.get(from), session_id: to, ...more },
      headers,
    )
  const resume = (from: string, to: string, headers: Record<string, string> = {}) =>
    post(`${server.url}/sessions/${from}/resume`, { from_event_id: places.get(from), session_id: to }, headers)
  const statuses: number[] = []
  for (const [index, id] of sessions.entries()) {
    const other = sessions[(index + 1) % 3] ?? ''
    const replies = await Promise.all([
      start(id, write),
      start(id, write, { 'idempotency-key': `new-${id}` }),
      start(id, { workspace: { mode: 'write', source: source() } }, { 'idempotency-key': `source-${id}` }),
      start(id, { ...write, prompt: 5 }, { 'idempotency-key': `bad-${id}` }),
      start(id, { ...write, workspace: { mode: 'write', source: '/etc' } }, { 'idempotency-key': `etc-${id}` }),
      start(id, { ...write, workspace: { mode: 'all' } }),
      branch(id, other),
      branch(id, other, {}, { 'idempotency-key': `branch-${id}` }),
      branch(id, id),
      branch(id, other, { from_event_id: 'ev-9999' }),
      resume(id, other),
      resume(id, other, { 'idempotency-key': `resume-${id}` }),
      resume('nobody', other),
    ])
    statuses.push(...replies.map(({ status }) => status))
  }
  expect(new Set(statuses)).toEqual(new Set([400, 404, 409]))
  expect(picture()).toBe(before)
  expect(evil.ran()).toEqual([])

  // A new session that is refused late leaves nothing; the same request again is still the same session.
  expect((await start('never', { ...write, ...scriptBody({ text: 'x' }), prompt: '' })).status).toBe(400)
  expect(existsSync(sessionFolder(data, key('never')))).toBe(false)
  const again = await start(
    'sourced',
    { workspace: { mode: 'write', source: source() } },
    { 'idempotency-key': 'k-sourced' },
  )
  expect([again.status, again.body.session_id]).toEqual([202, 'sourced'])
  expect(picture()).toBe(before)

  // Deleting asks nothing in the folder either.
  for (const id of sessions) await fetch(`${server.url}/agents/scripted/${id}`, { method: 'DELETE' })
  expect(evil.ran()).toEqual([])
  expect(sessions.map((id) => existsSync(sessionFolder(data, key(id))))).toEqual([false, false, false])
})

test('[F30] requests for one new session at once make one workspace, and none throws it away', async () => {
  const replies = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      start('same', write, name === 'a' || name === 'b' ? { 'idempotency-key': 'k' } : {}),
    ),
  )
  const ok = replies.filter(({ status }) => status === 202)
  expect(ok.length).toBeGreaterThan(0)
  expect(replies.filter(({ status }) => status !== 202 && status !== 409)).toEqual([])
  const { workspace_path: path } = await settled('same')
  expect(existsSync(String(path))).toBe(true)
})

test('[F29] without a source a workspace is empty, and both artifacts are there', async () => {
  const open = await HarnessServer.start({ port: 0, data: join(folder, 'other'), log: () => {} })
  try {
    for (const id of ['a', 'b', 'c']) {
      const { status, body } = await post(`${open.url}/sessions`, {
        engine: 'scripted',
        session_id: id,
        ...scriptBody({ text: 'x' }),
        workspace: { mode: 'write' },
      })
      expect(status).toBe(202)
      expect(execFileSync('find', [String(body.workspace_path), '-mindepth', '1'], { encoding: 'utf8' })).toBe('')
      expect(body.workspace_source).toBeUndefined()
      const { body: list } = await get(`${open.url}/sessions/${id}/artifacts`)
      const artifacts = list.artifacts as { artifact_type: string; id: string }[]
      expect(artifacts.map(({ artifact_type }) => artifact_type)).toEqual(
        expect.arrayContaining(['workspace', 'task_graph']),
      )
      const of = artifacts.find(({ artifact_type }) => artifact_type === 'workspace')?.id
      expect((await get(`${open.url}/sessions/${id}/artifacts/${of}`)).body).toMatchObject({
        kind: 'empty',
        source: null,
      })
    }
    // Without a token anybody of this machine may ask: no folder outside of the one that the server was started in.
    const named = await post(`${open.url}/sessions`, {
      engine: 'scripted',
      ...scriptBody({ text: 'x' }),
      workspace: { mode: 'write', source: source() },
    })
    expect(named.status).toBe(400)
    expect(JSON.stringify(named.body)).toContain('Start a server in your folder')
    // Not by way of a tenant, and never the data folder.
    const asTenant = await post(
      `${open.url}/sessions`,
      { engine: 'scripted', ...scriptBody({ text: 'x' }), workspace: { mode: 'write', source: source() } },
      { 'x-fabric-tenant': 'ta' },
    )
    const ofData = await post(`${open.url}/sessions`, {
      engine: 'scripted',
      ...scriptBody({ text: 'x' }),
      workspace: { mode: 'write', source: join(folder, 'other') },
    })
    expect([asTenant.status, ofData.status]).toEqual([400, 400])
    for (const { body } of [asTenant, ofData]) expect(JSON.stringify(body)).not.toContain(folder)
  } finally {
    await open.close()
  }
})
