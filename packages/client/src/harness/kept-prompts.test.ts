// Prompts without an answer survive a reload of the page: a second client with the same storage stands for it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HarnessClientOptions, PromptStorage } from '../index.ts'
import { fakeClientOf, fakeServer, openClient, settledOutcome, state } from './fake-server.suite.ts'

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const fakeStorage = (): PromptStorage & { readonly texts: Map<string, string> } => {
  const texts = new Map<string, string>()
  return {
    texts,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
    removeItem: (key) => void texts.delete(key),
  }
}
const offline = (options: Partial<HarnessClientOptions>) => {
  const server = fakeServer()
  return { server, client: fakeClientOf(server, options) }
}
/** The address is asked for before anything is read. */
const settle = () => new Promise((resolve) => setImmediate(resolve))
const ok = (commandId: string) => ({ type: 'ack', commandId, ok: true }) as never
const url = (user: string) => `ws://fake/ws?userId=${user}`

test('[H134] held prompts of three sessions are held again, in order, and each is sent once', async () => {
  const storage = fakeStorage()
  for (const user of ['ada', 'bo', 'cy']) {
    const { client } = offline({ storage, url: url(user) })
    await settle()
    for (const number of [1, 2]) void client.submit(`${user} ${number}`, { commandId: `${user}-${number}` })
  }
  const { client, server } = offline({ storage, url: `${url('bo')}&token=secret` })
  await settle()
  expect(client.held).toEqual([
    { id: 'bo-1', prompt: 'bo 1', since: expect.any(Number), sent: false },
    { id: 'bo-2', prompt: 'bo 2', since: expect.any(Number), sent: false },
  ])
  void client.submit('bo 3', { commandId: 'bo-3' })
  const line = (await server.socket(1)).open(state(0))
  expect(line.commands.map(({ commandId }) => commandId)).toEqual(['bo-1', 'bo-2', 'bo-3'])
  line.tell(ok('bo-1'), ok('bo-2'), ok('bo-3'))
  expect([...storage.texts.keys()].sort()).toEqual([
    'bridle.held ws://fake/ws?userId=ada',
    'bridle.held ws://fake/ws?userId=cy',
  ])
  expect(JSON.stringify([...storage.texts])).not.toContain('secret')
  client.close()
})

test('[H134] a prompt that was sent without an answer is sent again under its id, with its files', async () => {
  const storage = fakeStorage()
  const { client: first, line } = await openClient({ storage })
  void first.submit('Hi', { attachments: [{ ref_id: 'f' }] })
  const { client, server } = offline({ storage })
  const again = (await server.socket(1)).open(state(0))
  expect(again.commands).toEqual(line.commands)
  again.tell(ok(line.commands[0]?.commandId ?? ''))
  expect(storage.texts.size).toBe(0)
  client.close()
})

test('[H134] what is taken back, refused or closed is not kept', async () => {
  const storage = fakeStorage()
  const { client, server } = offline({ storage })
  await settle()
  const asked = ['a', 'b', 'c'].map((id) => settledOutcome(client.submit(id, { commandId: id })))
  expect(client.discard('a')).toBe(true)
  const line = (await server.socket(1)).open(state(0))
  line.tell({ type: 'ack', commandId: 'b', ok: false, code: 'queue_full', message: 'No.' } as never)
  expect(JSON.parse([...storage.texts.values()][0] ?? '')).toMatchObject([{ command: { commandId: 'c' }, sent: true }])
  client.close()
  expect(await Promise.all(asked)).toEqual(['removed', 'queue_full', 'unknown_outcome'])
  expect(storage.texts.size).toBe(0)
})

test.each<[string, string]>([
  ['no JSON', '{'],
  ['no list', '{"a":1}'],
  ['other commands', '[{"command":{"type":"cancel","commandId":"x"},"since":1,"sent":false}]'],
  ['parts', '[null, {}, {"command":{"type":"submit"}}]'],
])('[H134] a text of something else is ignored: %s', async (_name, text) => {
  const storage = fakeStorage()
  storage.texts.set('bridle.held ws://fake/ws?userId=ann', text)
  const { client, server } = offline({ storage })
  expect((await server.socket(1)).open(state(0)).commands).toEqual([])
  expect(client.held).toEqual([])
  client.close()
})

test('[H134] a storage that is full or forbidden costs nothing, false keeps nothing, and there is a limit', async () => {
  const broken: PromptStorage = {
    getItem: () => {
      throw new Error('forbidden')
    },
    setItem: () => {
      throw new Error('full')
    },
    removeItem: () => {},
  }
  for (const storage of [broken, false] as const) {
    const { client, server } = offline({ storage })
    await settle()
    void client.submit('Hi')
    expect((await server.socket(1)).open(state(0)).commands).toMatchObject([{ prompt: 'Hi' }])
    client.close()
  }
  const storage = fakeStorage()
  const { client } = offline({ storage })
  await settle()
  for (const letter of ['a', 'b', 'c']) void client.submit(letter.repeat(400_000)).catch(() => {})
  expect(JSON.parse([...storage.texts.values()][0] ?? '')).toHaveLength(2)
  client.close()
})

test('[H134] a session of the same id in another tenant gets no prompt of the first', async () => {
  const storage = fakeStorage()
  for (const tenantId of ['acme', 'bolt', undefined]) {
    const { client } = offline({ storage, url: url('ada'), tenantId })
    await settle()
    expect(client.held).toEqual([])
    void client.submit(`for ${tenantId}`)
  }
  const { client } = offline({ storage, url: url('ada'), tenantId: 'bolt' })
  await settle()
  expect(client.held.map(({ prompt }) => prompt)).toEqual(['for bolt'])
})
