import { type FabricClient, FabricError } from '@bridle/client/index'
import { expect, test } from 'vitest'
import { chooseTarget } from './chat-target.ts'

const missing = async () => {
  throw new FabricError(404, 'not_found', 'No.')
}
const serverWith = (acts: object) => {
  const calls: unknown[] = []
  const createChat = async (body: { agent?: string; session_id?: string }) => {
    calls.push(body)
    return { id: body.session_id ?? 'new', agent: body.agent ?? 'default' }
  }
  const remove = async (...session: string[]) => void calls.push(['removed', ...session])
  return { calls, fabric: { createChat, remove, session: missing, ...acts } as unknown as FabricClient }
}
const choice = { agent: undefined, id: undefined, continues: false, workspace: null, serverFlags: '' }
const workspace = { mode: 'write', source: '/here' } as const

test('[C190] a new chat of the default agent, of a named one, and of a named session', async () => {
  const { fabric, calls } = serverWith({})
  expect(await chooseTarget(fabric, choice)).toEqual({ id: 'new', agent: 'default', isNew: true })
  expect(await chooseTarget(fabric, { ...choice, agent: 'scripted' })).toEqual({
    id: 'new',
    agent: 'scripted',
    isNew: true,
  })
  expect(await chooseTarget(fabric, { ...choice, agent: 'scripted', id: 'mine' })).toEqual({
    id: 'mine',
    agent: 'scripted',
    isNew: true,
  })
  expect(calls).toEqual([{}, { agent: 'scripted' }, { agent: 'scripted', session_id: 'mine' }])
})

test.each([
  ['loko', 'Did you mean look?'],
  ['nothing', 'Try bridle sessions, or name another server with --url.'],
])('[C371] an id that the server does not have, %s, is answered with the nearest one', async (id, advice) => {
  const { fabric } = serverWith({
    session: missing,
    sessions: async ({ search }: { search?: string }) => ({
      sessions: search === undefined ? [{ id: 'look', agent: 'a' }] : [],
    }),
  })
  await expect(chooseTarget(fabric, { ...choice, id })).rejects.toMatchObject({
    code: 1,
    message: expect.stringMatching(
      new RegExp(`^There is no session ${id} on the server at .*\\. ${advice.replace('?', '\\?')}$`),
    ),
  })
})

test('[C150] [C190] without an agent, --id may be the beginning of an id', async () => {
  const ids = ['north-1', 'north-2', 'south-1']
  const { fabric, calls } = serverWith({
    session: async (id: string) => (ids.includes(id) ? { id, agent: 'a' } : missing()),
    sessions: async ({ search }: { search: string }) => ({
      sessions: ids.filter((id) => id.includes(search)).map((id) => ({ id, agent: 'a' })),
    }),
  })
  expect(await chooseTarget(fabric, { ...choice, id: 'south' })).toEqual({ id: 'south-1', agent: 'a', isNew: false })
  await expect(chooseTarget(fabric, { ...choice, id: 'north' })).rejects.toMatchObject({
    code: 2,
    message: expect.stringContaining('north-1\n  north-2'),
  })
  await expect(chooseTarget(fabric, { ...choice, id: 'west' })).rejects.toMatchObject({
    code: 1,
    message: expect.stringMatching(/^There is no session west on the server at .* with --url\.$/),
  })
  expect(calls).toEqual([])
  // With an agent the same text names a new session.
  expect(await chooseTarget(fabric, { ...choice, agent: 'a', id: 'south' })).toMatchObject({ id: 'south', isNew: true })
  const remarks: string[] = []
  const say = (text: string) => void remarks.push(text)
  for (const id of ['south', 'north', 'west', 'south-1'])
    await chooseTarget(fabric, { ...choice, agent: 'a', id, say, serverFlags: ' --tenant t' })
  expect(remarks).toEqual([
    'south is a new session. If you meant the one that begins so, leave with Ctrl+D and type\n  bridle chat a --id south-1 --tenant t',
    'north is a new session. If you meant one of the 2 that begin so, leave with Ctrl+D and type\n  bridle chat a --id north-1 --tenant t\n  bridle chat a --id north-2 --tenant t',
  ])
})

test('[C190] --id goes on with a session, --continue with the newest chat', async () => {
  const asked: unknown[] = []
  const { fabric, calls } = serverWith({
    session: async (id: string) => ({ id, agent: 'a' }),
    sessions: async (filter: { agent?: string }) => {
      asked.push(filter)
      return { sessions: filter.agent === 'empty' ? [] : [{ id: 'newest', agent: filter.agent ?? 'x' }] }
    },
  })
  expect(await chooseTarget(fabric, { ...choice, id: 's' })).toEqual({ id: 's', agent: 'a', isNew: false })
  expect(await chooseTarget(fabric, { ...choice, continues: true, agent: 'b' })).toEqual({
    id: 'newest',
    agent: 'b',
    isNew: false,
  })
  expect(await chooseTarget(fabric, { ...choice, continues: true, agent: 'empty' })).toMatchObject({ isNew: true })
  expect(asked).toContainEqual({ kind: 'chat', limit: 1, agent: 'b' })
  expect(calls).toEqual([{ agent: 'empty' }])
})

test('[C201] a server that refuses the folder, or ignores it, is reported in a line', async () => {
  const refuses = serverWith({
    createChat: async () => {
      throw new FabricError(400, 'bad_request', 'body: workspace: No folders here.')
    },
  })
  const asked = { ...choice, agent: 'claude', workspace }
  await expect(chooseTarget(refuses.fabric, asked)).rejects.toMatchObject({
    code: 1,
    message: 'The server does not take /here as a workspace: No folders here. Go without it with --no-workspace.',
  })
  const ignores = serverWith({ workspace: async () => ({ mode: 'none' }) })
  await expect(chooseTarget(ignores.fabric, asked)).rejects.toMatchObject({
    message: expect.stringContaining('--no-workspace'),
  })
  expect(ignores.calls.at(-1)).toEqual(['removed', 'claude', 'new'])
  const takes = serverWith({ workspace: async () => ({ mode: 'write' }) })
  expect(await chooseTarget(takes.fabric, asked)).toMatchObject({ agent: 'claude' })
  expect(takes.calls).toEqual([{ agent: 'claude', workspace }])
})

test('[C165] the words of the server about an agent that is not there are shown', async () => {
  const { fabric } = serverWith({
    createChat: async () => {
      throw new FabricError(400, 'bad_request', 'body: agent: There is no agent nobody; there are claude, scripted.')
    },
  })
  await expect(chooseTarget(fabric, { ...choice, agent: 'nobody' })).rejects.toMatchObject({
    code: 1,
    message: 'There is no agent nobody; there are claude, scripted.',
  })
})
