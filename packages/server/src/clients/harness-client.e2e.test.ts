// The client against a real server, and through a proxy that cuts its connections wherever it likes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settledOutcome } from '@bridle/client/harness/fake-server.suite'
import { HarnessClient, type HarnessClientOptions, type HarnessState } from '@bridle/client/index'
import { cuttingProxy } from '@bridle/client/socket/cutting-proxy.suite'
import { get, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

const authToken = 'secret-1'
const auth = { authorization: `Bearer ${authToken}` }
const backoff = { firstMs: 1, longestMs: 5 }
let folder: string
let server: HarnessServer
const clients: HarnessClient[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-harness-client-'))
  server = await HarnessServer.start({ port: 0, data: folder, authToken, tokenPaceMs: 0, log: () => {} })
})
afterAll(async () => {
  for (const client of clients) client.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const connect = (user: string, options: Partial<HarnessClientOptions> = {}, base = server.url): HarnessClient => {
  const url = `${base.replace('http', 'ws')}/ws?userId=${user}`
  const client = new HarnessClient({ url, authToken, backoff, ...options })
  clients.push(client)
  return client
}

const until = async (client: HarnessClient, enough: (state: HarnessState) => boolean): Promise<HarnessState> => {
  while (!enough(client.getSnapshot())) await new Promise((resolve) => setTimeout(resolve, 2))
  return client.getSnapshot()
}
const isOpen = async (client: HarnessClient) => {
  while (client.connection.phase !== 'open') await new Promise((resolve) => setTimeout(resolve, 2))
}
const isDone = ({ status, messages }: HarnessState) =>
  status !== 'running' && messages.length > 0 && messages.every((message) => message.status === 'complete')
const messagesOf = async (user: string, base = server.url) =>
  (await get(`${base}/sessions/user:${user}`, auth)).body.messages

describe('a session', () => {
  test('[T29] [H65] three clients upload files, with their credentials, and send them with prompts', async () => {
    const users = ['ula', 'uwe', 'udo']
    const connected = users.map((user) => connect(user))
    const grants = await Promise.all(
      connected.map((client, index) =>
        client.upload(new File(['x'.repeat(index + 1)], 'a b.txt', { type: 'text/plain' })),
      ),
    )
    expect(grants.map(({ mime_type, size_bytes }) => [mime_type, size_bytes])).toEqual([
      ['text/plain', 1],
      ['text/plain', 2],
      ['text/plain', 3],
    ])
    const { prompt } = scriptBody({ text: 'Seen.' })
    for (const [index, client] of connected.entries())
      await client.submit(prompt, { attachments: [grants[index] as { ref_id: string }] })
    for (const client of connected) expect((await until(client, isDone)).messages.at(-1)?.content).toBe('Seen.')
    const [ula] = connected
    const [grant] = grants
    const fileOf = () => ula?.getSnapshot().messages.findLast(({ role }) => role === 'user')?.input
    const input = { prompt, attachments: [{ ref_id: grant?.ref_id }] }
    await ula?.edit(ula.getSnapshot().messages[0]?.id ?? '', prompt, { attachments: [{ ref_id: grant?.ref_id ?? '' }] })
    if (ula) await until(ula, isDone)
    expect([ula?.getSnapshot().messages.length, fileOf()]).toMatchObject([2, input])
    await ula?.steer(prompt, { attachments: [{ ref_id: grant?.ref_id ?? '' }] })
    if (ula) await until(ula, (state) => isDone(state) && state.messages.length === 4)
    expect(fileOf()).toMatchObject(input)
    await expect(
      connected[0]?.submit(prompt, { attachments: [grants[1] as { ref_id: string }] }),
    ).rejects.toMatchObject({ code: 'bad_request' })
    await expect(connect('u4', { authToken: 'wrong' }).upload(Uint8Array.of(1))).rejects.toMatchObject({
      name: 'HarnessError',
      code: 'unauthorized',
    })
    const nowhere = new HarnessClient({ url: 'ws://127.0.0.1:1/ws', backoff })
    clients.push(nowhere)
    await expect(nowhere.upload(Uint8Array.of(1))).rejects.toMatchObject({ code: 'network' })
  })

  test('[T3] a prompt, a reply that streams, and a second client that sees the same', async () => {
    const [one, two] = [connect('ann'), connect('ann')]
    await isOpen(two)
    const contents = new Set<string>()
    two.subscribe(() => contents.add(two.getSnapshot().messages[1]?.content ?? ''))
    const answer = await one.submit(scriptBody({ text: 'Hello there', chunks: 11, everyMs: 5 }).prompt)
    expect(answer).toMatchObject({ runId: expect.any(String) })
    const shown = await until(one, isDone)
    expect(shown.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', expect.stringContaining('@script')],
      ['assistant', 'Hello there'],
    ])
    expect(await until(two, isDone)).toEqual(shown)
    expect(contents.size).toBeGreaterThan(3)
    expect(await messagesOf('ann')).toEqual(shown.messages)
  })

  test('an approval, and one that is settled already', async () => {
    const client = connect('bob')
    await client.submit(scriptBody({ approve: 'deploy', args: { to: 'prod' } }, { text: 'Done' }).prompt)
    const [asked] = (await until(client, ({ approvals }) => approvals?.length === 1)).approvals ?? []
    expect(asked).toMatchObject({ toolName: 'deploy', arguments: { to: 'prod' } })
    await client.approve(asked?.id as string, 'approved')
    const { messages, approvals } = await until(client, isDone)
    expect(approvals).toEqual([])
    expect(messages[1]).toMatchObject({ content: 'Done', toolCalls: [{ approval: { status: 'approved' } }] })
    expect(await settledOutcome(client.approve(asked?.id as string, 'denied'))).toBe('approval_settled')
    expect(await settledOutcome(client.approve('nothing', 'denied'))).toBe('approval_not_found')
  })

  test('a cancel', async () => {
    const client = connect('cat')
    await client.submit(scriptBody({ text: 'Once' }, { sleepMs: 60_000 }, { text: 'more' }).prompt)
    await until(client, ({ messages }) => messages[1]?.content === 'Once')
    expect(await client.cancel()).toMatchObject({ cancelled: true })
    const { messages, status } = await until(client, isDone)
    expect([status, messages[1]?.content, messages[1]?.stopReason]).toEqual(['idle', 'Once', 'cancelled'])
  })

  test('refusals by their codes', async () => {
    const client = connect('dan')
    await isOpen(client)
    expect(await settledOutcome(client.submit(''))).toBe('prompt_empty')
    expect(await settledOutcome(client.edit('nothing', 'x'))).toMatch(/not_found/)
    await client.submit('Hi', { commandId: 'once' })
    expect(await settledOutcome(client.submit('Ho', { commandId: 'once' }))).toBe('command_conflict')
    expect(await settledOutcome(client.resume())).toBe('not_paused')
    let args = {}
    for (let depth = 0; depth < 200; depth++) args = { args }
    expect(await settledOutcome(client.approve('a', 'approved', { args }))).toBe('bad_command')
    expect(await settledOutcome(client.send({ type: 'explode' } as never))).toBe('bad_command')
    expect(client.connection.resyncs).toBe(0)
  })

  test('[T16] a branch is a session of its own', async () => {
    const client = connect('eve')
    await client.submit(scriptBody({ text: 'Trunk' }).prompt)
    await until(client, isDone)
    const { sessionId } = await client.branch()
    const url = `${server.url.replace('http', 'ws')}/ws?sessionId=${sessionId}`
    const child = new HarnessClient({ url, authToken })
    clients.push(child)
    const { messages } = await until(child, isDone)
    expect(messages.map(({ content }) => content)).toEqual(client.getSnapshot().messages.map(({ content }) => content))
  })

  test.each([
    ['a wrong token', { authToken: 'wrong' }, 'unauthorized'],
    ['a bad tenant', { tenantId: 'a b' }, 'bad_request'],
  ])('%s is the end, and told', async (_name, options, code) => {
    const client = connect('fay', options)
    const held = settledOutcome(client.submit('Hi'))
    expect(await held).toBe('not_sent')
    expect(client.connection).toMatchObject({ phase: 'closed', error: { code } })
  })
})

describe('coming back', () => {
  test('[T4] [T14] cut at random bytes 100 times: the same state, each prompt once', { timeout: 110_000 }, async () => {
    const proxy = await cuttingProxy(server.url)
    const client = connect('gus', { schedule: 'sync' }, proxy.url)
    await isOpen(client)
    proxy.cutAfter(() => 1 + Math.floor(Math.random() * 8_000))
    proxy.cutAll()
    const prompts: string[] = []
    while (proxy.cuts < 100) {
      const { prompt } = scriptBody(
        { text: `${prompts.length} `.repeat(100), chunks: 100 },
        { tool: 'read', result: 'x' },
      )
      prompts.push(prompt)
      await client.submit(prompt)
      // The server's queue has an end.
      await until(client, ({ messages }) => messages.filter(({ status }) => status === 'pending').length < 20)
    }
    proxy.cutAfter(null)
    const shown = await until(client, (state) => isDone(state) && state.messages.length === 2 * prompts.length)
    expect(shown.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(prompts)
    expect(shown.messages).toEqual(await messagesOf('gus'))
    const other = connect('gus')
    await isOpen(other)
    expect(other.getSnapshot()).toEqual(shown)
    expect(client.connection.resyncs).toBe(0)
    proxy.close()
  })

  test('what was asked while the server was away is sent when it is back', async () => {
    const data = join(folder, 'restarting')
    const options = { data, authToken, tokenPaceMs: 0, log: () => {} }
    const first = await HarnessServer.start({ port: 0, ...options })
    const client = connect('hal', {}, first.url)
    await client.submit(scriptBody({ text: 'one' }).prompt)
    await until(client, isDone)
    await first.close()
    while (client.connection.phase !== 'reconnecting') await new Promise((resolve) => setTimeout(resolve, 2))
    const held = client.submit(scriptBody({ text: 'two' }).prompt)
    expect(client.held).toHaveLength(1)
    expect(await settledOutcome(client.cancel())).toBe('not_sent')
    const second = await HarnessServer.start({ port: Number(new URL(first.url).port), ...options })
    await held
    const { messages } = await until(client, (state) => isDone(state) && state.messages.length === 4)
    expect(messages.map(({ content }) => content).filter((text) => !text.startsWith('@'))).toEqual(['one', 'two'])
    expect(messages).toEqual(await messagesOf('hal', first.url))
    expect(client.held).toEqual([])
    client.close()
    await second.close()
  })
})
