// Chats that work with folders, behind a server of one user: made on each wire, gone on with, refused, removed.
import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HarnessServer } from '../index.ts'
import type { ServerOptions } from '../server-options.ts'

/** Leaves a file in its workspace with each prompt, and tells the folder. */
const writer = agent({
  name: 'writer',
  run: ({ input, workspace }) => {
    const prompt = String((input as { prompt?: unknown }).prompt)
    if (workspace) writeFileSync(join(workspace, `${prompt}.txt`), prompt)
    return workspace ?? 'nowhere'
  },
})

let folder: string
let repo: string
let server: HarnessServer
const bearer = { authorization: 'Bearer mine' }
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-chats-')))
  repo = join(folder, 'repo')
  mkdirSync(join(repo, 'src'), { recursive: true })
  mkdirSync(join(folder, 'plain'))
  writeFileSync(join(folder, 'plain/p.txt'), 'plain')
  writeFileSync(join(repo, 'src/a.txt'), 'committed')
  writeFileSync(join(repo, '.env'), 'KEY=secret')
  git('init', '--quiet')
  git('add', 'src')
  git('commit', '--quiet', '-m', 'one')
  server = await start()
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = (more: Partial<ServerOptions> = {}, data = 'data') =>
  HarnessServer.start({
    ...{ port: 0, data: join(folder, data), log: () => {}, agents: [writer], cockpit: false },
    ...(more.tokens ? {} : { ownerToken: 'mine' }),
    ...more,
  })
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
const ask = (path: string, body: unknown, headers: Record<string, string> = bearer) =>
  post(`${server.url}${path}`, body, headers)
const read = async (path: string) => (await get(`${server.url}${path}`, bearer)).body
const chat = (body: object) => ask('/chat/sessions', { agent: 'writer', ...body })
const turn = (id: string, prompt: string) => ask(`/agents/writer/${id}`, { prompt })
/** In place an agent writes as its own user, who is another one under root. */
const give = (path: string) => {
  const user = sandboxUser()
  if (user) chownSync(path, user.uid, user.gid)
}
const worktrees = () => git('worktree', 'list').trim().split('\n').length

describe('[H110] a chat with a workspace', () => {
  test('has a branch, a copy or an empty folder of its own, and each turn works there', async () => {
    const made = await Promise.all([
      chat({ session_id: 'w1', workspace: { mode: 'write', source: repo } }),
      chat({ session_id: 'w2', workspace: { source: join(folder, 'plain') } }),
      chat({ session_id: 'w3', workspace_mode: 'write' }),
    ])
    expect(made.map(({ status, body }) => [status, body.workspace_kind, body.workspace_source])).toEqual([
      [201, 'git_worktree', repo],
      [201, 'copy', join(folder, 'plain')],
      [201, 'empty', undefined],
    ])
    expect(made[0]?.body).toMatchObject({
      workspace_mode: 'write',
      workspace_id: expect.stringMatching(/^ws-/),
      workspace_branch: `bridle/${made[0]?.body.workspace_id}`,
      task_graph_id: null,
    })
    for (const prompt of ['one', 'two'])
      for (const [index, { body }] of made.entries())
        expect((await turn(`w${index + 1}`, prompt)).body.result).toBe(body.workspace_path)
    const [first] = made
    expect(readFileSync(join(String(first?.body.workspace_path), 'src/a.txt'), 'utf8')).toBe('committed')
    expect(existsSync(join(repo, 'one.txt'))).toBe(false)
    // The views of files that background work has.
    const report = await read('/sessions/w1/workspace')
    expect(report).toMatchObject({ mode: 'write', kind: 'git_worktree', is_compared: true })
    expect((report.changes as { path: string }[]).map(({ path }) => path)).toEqual(['one.txt', 'two.txt'])
    const { artifacts } = (await read('/sessions/w1')) as unknown as { artifacts: { artifact_type: string }[] }
    expect(artifacts.map(({ artifact_type: type }) => type)).toEqual(['workspace'])
    // Each goes with its session, and no other.
    expect(worktrees()).toBe(2)
    await fetch(`${server.url}/agents/writer/w1`, { method: 'DELETE', headers: bearer })
    await expect.poll(worktrees).toBe(1)
    expect(git('branch', '--list', 'bridle/*')).toBe('')
    expect(made.map(({ body }) => existsSync(String(body.workspace_path)))).toEqual([false, true, true])
  })

  test('is made once by a key, and leaves nothing where it is refused', async () => {
    const keyed = () =>
      ask('/chat/sessions', { agent: 'writer', workspace: { source: repo } }, { ...bearer, 'idempotency-key': 'k' })
    const [first, again] = [await keyed(), await keyed()]
    expect(again.body.workspace_id).toBe(first.body.workspace_id)
    expect((await chat({ session_id: first.body.session_id, workspace: { source: repo } })).status).toBe(409)
    expect(worktrees()).toBe(2)
    expect(existsSync(String(first.body.workspace_path))).toBe(true)
  })

  test('has a branch with a folder of its own', async () => {
    const { body } = await chat({ session_id: 'parent', workspace: { source: repo } })
    await turn('parent', 'one')
    const branch = await ask('/chat/sessions/parent/branch', {
      from_event_id: (await read('/sessions/parent')).lastEventId,
    })
    expect([branch.status, branch.body.workspace_kind]).toEqual([201, 'git_worktree'])
    expect(branch.body.workspace_path).not.toBe(body.workspace_path)
    expect(branch.body.workspace_branch).toBe(`bridle/${branch.body.workspace_id}`)
    expect(readFileSync(join(String(branch.body.workspace_path), 'one.txt'), 'utf8')).toBe('one')
  })
})

describe('[H112] a first invoke', () => {
  test('makes the session with its workspace; later ones go on in it', async () => {
    const at = `/agents/writer/i1?workspace=${encodeURIComponent(repo)}`
    const first = await ask(at, { prompt: 'one' })
    const { workspace_path: path, kind } = (await read('/sessions/i1')) as Record<string, unknown>
    expect([first.status, first.body.result, kind]).toEqual([200, path, 'chat'])
    expect((await ask(at, { prompt: 'two' })).body.result).toBe(path)
    expect((await turn('i1', 'three')).body.result).toBe(path)
    // By another name of the same folder, too.
    symlinkSync(repo, join(folder, 'link'))
    const byLink = `/agents/writer/i1?workspace=${encodeURIComponent(join(folder, 'link'))}&workspace_mode=write`
    expect((await ask(byLink, { prompt: 'four' })).status).toBe(200)
  })

  test('of a session that exists with another workspace, or without one, is refused', async () => {
    await turn('bare', 'one')
    await chat({ session_id: 'plain', workspace: { source: join(folder, 'plain') } })
    const before = [(await read('/sessions/bare')).lastEventId, (await read('/sessions/plain')).lastEventId]
    const query = `workspace=${encodeURIComponent(repo)}`
    for (const at of [
      `/agents/writer/bare?${query}`,
      `/agents/writer/plain?${query}`,
      '/agents/writer/plain?workspace_mode=none',
    ]) {
      const { status, body } = await ask(at, { prompt: 'x' })
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('exists with another workspace')])
    }
    expect([(await read('/sessions/bare')).lastEventId, (await read('/sessions/plain')).lastEventId]).toEqual(before)
  })
})

test('[H110] a branch that a page makes on its socket has a folder of its own, too', async () => {
  const { body } = await chat({ session_id: 'page', workspace: { source: repo } })
  await turn('page', 'one')
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?sessionId=page&agent=writer&token=mine`)
  const answer = await new Promise<{ sessionId: string }>((resolve, reject) => {
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: 'commands', commands: [{ type: 'branch', commandId: 'b1' }] }))
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as { type: string; ok?: boolean; answer: { sessionId: string } }
      if (message.type === 'ack') message.ok ? resolve(message.answer) : reject(new Error(String(data)))
    }
  })
  socket.close()
  const branch = await read(`/sessions/${answer.sessionId}`)
  expect(branch.workspace_path).not.toBe(body.workspace_path)
  expect((await turn(answer.sessionId, 'two')).body.result).toBe(branch.workspace_path)
  expect(readFileSync(join(String(branch.workspace_path), 'one.txt'), 'utf8')).toBe('one')
})

/** The first message on the socket, or `refused`. */
const upgrade = (path: string): Promise<number | string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}${path}${path.includes('?') ? '&' : '?'}token=mine`,
    )
    socket.onmessage = ({ data }) => {
      socket.close()
      resolve(String(data).slice(0, 80))
    }
    socket.onerror = () => resolve('refused')
  })

test('[H113] a socket makes a new session with its workspace, opens one that has it, and refuses any other', async () => {
  const query = `workspace=${encodeURIComponent(repo)}`
  expect(await upgrade(`/ws?sessionId=s1&agent=writer&${query}`)).toContain('state')
  const { workspace_path: path } = await read('/sessions/s1')
  expect((await turn('s1', 'one')).body.result).toBe(path)
  expect(await upgrade(`/ws?sessionId=s1&agent=writer&${query}`)).toContain('state')
  expect(await upgrade(`/sessions/s1/ws?${query}`)).not.toBe('refused')
  for (const at of [
    `/ws?sessionId=s1&agent=writer&workspace=${encodeURIComponent(join(folder, 'plain'))}`,
    `/ws?sessionId=s2&agent=writer&workspace=/nowhere`,
    `/ws?sessionId=s2&agent=writer&workspace_mode=in_place`,
    `/sessions/s1/ws?workspace=/nowhere`,
    `/sessions/s1/ws?${query}&workspace_mode=all`,
  ])
    expect([at, await upgrade(at)]).toEqual([at, 'refused'])
  expect((await get(`${server.url}/sessions/s2`, bearer)).status).toBe(404)
  // A voice line says on the open socket why it is refused.
  expect(await upgrade('/sessions/v1/voice?agent=writer&workspace=/nowhere')).toContain('error')
  expect((await get(`${server.url}/sessions/v1`, bearer)).status).toBe(404)
})

describe('[H114] nothing that is asked for is passed over', () => {
  test.each<[string, object, RegExp]>([
    ['a folder that is not there', { workspace: { source: '/nowhere' } }, /There is no such folder/],
    ['the data folder', { workspace: { source: 'DATA' } }, /data folder/],
    ['a source that is only read', { workspace: { mode: 'read', source: '.' } }, /needs the mode write or in_place/],
    ['a source and no access', { workspace: { mode: 'none', source: '.' } }, /needs the mode write or in_place/],
    ['in place without a folder', { workspace: { mode: 'in_place' } }, /needs a source/],
    ['in place at home', { workspace: { mode: 'in_place', source: process.env.HOME ?? '/' } }, /home folder/],
    ['a mode that is none', { workspace: { mode: 'all' } }, /mode/],
    ['a text', { workspace: '.' }, /workspace/],
    ['a number as source', { workspace: { source: 5 } }, /source/],
  ])('%s is 400', async (_name, body, message) => {
    const asked = JSON.parse(JSON.stringify(body).replace('DATA', join(folder, 'data')))
    const { status, body: answer } = await chat({ session_id: 'bad', ...asked })
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringMatching(message)])
    expect((await get(`${server.url}/sessions/bad`, bearer)).status).toBe(404)
    expect(existsSync(join(folder, 'data/workspaces'))).toBe(false)
  })

  test('background work is asked in the same words', async () => {
    const asked = { engine: 'scripted', ...scriptBody({ text: 'x' }) }
    const read = await ask('/sessions', { ...asked, workspace: { mode: 'read', source: repo } })
    expect(read.status).toBe(400)
    const implied = await ask('/sessions', { ...asked, workspace: { source: repo } })
    expect([implied.status, implied.body.workspace_mode, implied.body.workspace_kind]).toEqual([
      202,
      'write',
      'git_worktree',
    ])
  })
})

describe('[H115] in place', () => {
  test('the agent works in the folder itself, which stays when the session is removed', async () => {
    give(repo)
    const { status, body } = await chat({ session_id: 'p1', workspace: { mode: 'in_place', source: repo } })
    expect([status, body.workspace_kind, body.workspace_path, body.workspace_branch]).toEqual([
      201,
      'in_place',
      repo,
      null,
    ])
    expect((await turn('p1', 'one')).body.result).toBe(repo)
    expect(readFileSync(join(repo, 'one.txt'), 'utf8')).toBe('one')
    // People see what changed, and nothing of the owner's secrets.
    const report = await read('/sessions/p1/workspace')
    expect(report).toMatchObject({ kind: 'in_place', mode: 'in_place', source: repo, is_compared: true })
    expect((report.changes as { path: string }[]).map(({ path }) => path)).toEqual(['one.txt'])
    const { entries } = (await read('/sessions/p1/workspace/files')) as unknown as { entries: { name: string }[] }
    expect(entries.map(({ name }) => name)).toEqual(['src', 'one.txt'])
    for (const path of ['.env', '.git/config', 'src/../.env'])
      expect((await get(`${server.url}/sessions/p1/workspace/file?path=${path}`, bearer)).status).not.toBe(200)
    // A branch works there as well.
    const branch = await ask('/chat/sessions/p1/branch', { from_event_id: (await read('/sessions/p1')).lastEventId })
    expect([branch.status, branch.body.workspace_path]).toEqual([201, repo])
    for (const id of ['p1', branch.body.session_id])
      expect((await fetch(`${server.url}/agents/writer/${id}`, { method: 'DELETE', headers: bearer })).status).toBe(200)
    await expect.poll(() => readdirSync(join(folder, 'data/workspaces'))).toEqual([])
    expect(readdirSync(repo).sort()).toEqual(['.env', '.git', 'one.txt', 'src'])
  })

  test('is for the user of the server alone', async () => {
    give(repo)
    const asked = { agent: 'writer', workspace: { mode: 'in_place', source: repo } }
    // A listed source is one to begin with, not one to write into.
    const listed = await start({ tokens: [{ token: 'theirs' }], workspaces: { sources: [repo] } }, 'other')
    const open = await HarnessServer.start({ port: 0, data: join(folder, 'open'), log: () => {}, agents: [writer] })
    try {
      const theirs = await post(`${listed.url}/chat/sessions`, asked, { authorization: 'Bearer theirs' })
      expect([theirs.status, JSON.stringify(theirs.body)]).toEqual([
        400,
        expect.stringContaining('Use the mode write.'),
      ])
      expect((await post(`${open.url}/chat/sessions`, asked)).status).toBe(400)
      const offers = await Promise.all([
        get(`${listed.url}/workspaces`, { authorization: 'Bearer theirs' }),
        get(`${open.url}/workspaces`),
        get(`${server.url}/workspaces`, bearer),
      ])
      // [H111]
      expect(offers.map(({ body }) => body)).toEqual([
        { modes: ['write'], sources: [repo], any_source: false },
        { modes: ['write', 'in_place'], sources: [realpathSync(process.cwd())], any_source: false },
        { modes: ['write', 'in_place'], sources: [realpathSync(process.cwd())], any_source: true },
      ])
    } finally {
      await Promise.all([listed.close(), open.close()])
    }
  })
})
