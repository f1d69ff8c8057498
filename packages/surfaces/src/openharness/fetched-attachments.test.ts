// Attachments that come as addresses, with a fetcher of the test.

import { agent, type RunContext } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import type { JsonObject } from '@bridle/events/json'
import { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { memoryUploadFolder } from '@bridle/stores/uploads/upload-folder'
import { describe, expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import type { FetchedFile, FetchProblem, FileFetcher } from '../http/uploads/file-fetcher.ts'
import { messageOf, script, testEngine } from './engine.suite.ts'

const user_intent = script({ text: 'Fine.' })
const bytes = new TextEncoder().encode('secret content')

const fetchingEngine = (
  options: Parameters<typeof testEngine>[0] = {},
  runners: Parameters<typeof testEngine>[1] = {},
) => {
  const fetched: string[] = []
  const answers: { next: FetchedFile | FetchProblem; failing?: string } = { next: { mimeType: 'text/csv', bytes } }
  const fileFetcher: FileFetcher = {
    allows: (uri) => uri.startsWith('https://files.test/'),
    fetch: async (uri) => {
      fetched.push(uri)
      return uri === answers.failing ? { outcome: 'failed', problem: 'Later.' } : answers.next
    },
  }
  const engine = testEngine({ fileFetcher, ...options }, runners)
  const promptsOf = async (id: string) => {
    const session = await engine.host.find({ tenant: 'default', agent: 'scripted', id })
    const events = (await session?.read(0, 1_000)) ?? []
    expect(JSON.stringify(events)).not.toMatch(/secret content|signature/)
    return events.filter(({ type }) => type === 'prompt_queued').map(({ payload }) => payload as JsonObject)
  }
  return { ...engine, fetched, answers, promptsOf }
}

describe('[OH103] a fetched file', () => {
  test('is an uploaded file of the session: the log has its reference, and no bytes and no signature', async () => {
    const { send, promptsOf, fetched } = fetchingEngine()
    const attachments = [
      { asset_id: 'logo' },
      { uri: 'https://files.test/a/b%20c.csv?signature=x#y', mime_type: 'image/png', size_bytes: 7 },
      { uri: 'https://elsewhere.test/d' },
      { uri: 'https://files.test/e', filename: 'named.csv' },
    ]
    expect((await send(messageOf({ user_intent, session_id: 's', attachments }))).status).toBe(200)
    expect(fetched).toEqual(['https://files.test/a/b%20c.csv?signature=x#y', 'https://files.test/e'])
    const file = { ref_id: expect.stringMatching(/^file-/), mime_type: 'text/csv', size_bytes: bytes.byteLength }
    expect(await promptsOf('s')).toMatchObject([
      {
        input: {
          openharness: {
            attachments: [
              { asset_id: 'logo' },
              { ...file, uri: 'https://files.test/a/b%20c.csv', filename: 'b c.csv' },
              { uri: 'https://elsewhere.test/d' },
              { ...file, uri: 'https://files.test/e', filename: 'named.csv' },
            ],
          },
        },
      },
    ])
  })
  test('reaches an agent like an uploaded one', async () => {
    const uploads = new StoredUploads(memoryUploadFolder(), () => 0)
    const ports = { clock: { now: () => 0, after: () => () => {} }, digest: async (text: string) => text, uploads }
    const reader = agent({
      name: 'reader',
      run: async ({ attachments }: RunContext<JsonObject>) =>
        (await Promise.all(attachments.map(async (file) => `${file.name} ${await file.text()}`))).join('\n'),
    })
    const { send } = fetchingEngine({ uploads }, { reader: nativeRunner(reader, ports) })
    const attachments = [
      { uri: 'https://files.test/1' },
      { uri: 'https://elsewhere.test/' },
      { uri: 'https://files.test/2' },
    ]
    const { body } = await send(messageOf({ user_intent: 'Read.', task_hint: { plugin_id: 'reader' }, attachments }))
    expect(body.response.action_directives?.map(({ payload }) => payload?.text)).toEqual([
      '1 secret content\n2 secret content',
    ])
  })
  test('belongs to its user', async () => {
    const tokens = [
      { token: 'a', tenants: ['one'], user: 'ann' },
      { token: 'b', tenants: ['one'], user: 'bob' },
    ]
    const { send, host } = fetchingEngine({ tokens })
    const attachments = [{ uri: 'https://files.test/1' }]
    const { body } = await send(messageOf({ user_intent, session_id: 's', attachments }), bearer('a'))
    expect(body.response.status).toBe('success')
    const session = await host.find({ tenant: 'one', agent: 'scripted', id: 's' })
    const [prompt] = ((await session?.read(0, 1_000)) ?? []).filter(({ type }) => type === 'prompt_queued')
    const [ref_id] = /file-[0-9a-f-]+/.exec(JSON.stringify(prompt?.payload)) ?? []
    expect(ref_id).toBeDefined()
    const foreign = await send(messageOf({ user_intent, attachments: [{ ref_id }] }), bearer('b'))
    expect(foreign.body.response.error?.details).toMatchObject({ field: 'context.attachments.0.ref_id' })
  })
  test('is fetched once for a request that is repeated, also where the address is gone since', async () => {
    const { send, fetched, answers, promptsOf } = fetchingEngine()
    const message = (request_id: string) =>
      messageOf({ user_intent, session_id: 's', attachments: [{ uri: 'https://files.test/1' }] }, { request_id })
    const first = await send(message('r'))
    answers.next = { outcome: 'refused', problem: 'Gone.' }
    const again = await send(message('r'))
    expect([again.status, again.body.response.action_directives]).toEqual([200, first.body.response.action_directives])
    expect((await send(message('q'))).status).toBe(400)
    expect(fetched).toHaveLength(2)
    expect(await promptsOf('s')).toHaveLength(1)
  })
  test('is not fetched where the attachment has a ref_id, or the server keeps no files', async () => {
    const { ask, send, fetched } = fetchingEngine()
    const { body } = await ask('POST', '/files', 'x', { 'content-type': 'text/plain' })
    const attachments = [{ ref_id: body.ref_id, uri: 'https://files.test/1' }]
    expect((await send(messageOf({ user_intent, attachments }))).status).toBe(200)
    expect(fetched).toEqual([])
  })
})

describe('[OH104] a file that cannot be fetched', () => {
  test.each([
    ['refused', 400, 'invalid_request', false],
    ['failed', 503, 'engine_unavailable', true],
  ] as const)('is named where the fetch is %s, and no turn begins', async (outcome, status, code, retryable) => {
    const { send, answers, promptsOf } = fetchingEngine()
    answers.next = { outcome, problem: 'So it is.' }
    const attachments = [{ asset_id: 'x' }, { uri: 'https://files.test/1' }]
    const reply = await send(messageOf({ user_intent, session_id: 's', attachments }, { request_id: 'r' }))
    expect([reply.status, reply.body.request_id]).toEqual([status, 'r'])
    expect(reply.body.response.error).toEqual({
      code,
      message: 'So it is.',
      retryable,
      details: { field: 'context.attachments.1.uri' },
    })
    expect(await promptsOf('s')).toEqual([])
  })
  test('leaves nothing of the others, however often the shell tries', async () => {
    const folder = memoryUploadFolder()
    const written: string[] = []
    const write = (id: string, content: Uint8Array) => {
      written.push(id)
      return folder.write(id, content)
    }
    const uploads = new StoredUploads({ ...folder, write }, () => 0)
    const { send, answers } = fetchingEngine({ uploads })
    answers.failing = 'https://files.test/2'
    const attachments = [{ uri: 'https://files.test/1' }, { uri: answers.failing }]
    for (let turn = 0; turn < 3; turn++) expect((await send(messageOf({ user_intent, attachments }))).status).toBe(503)
    const unknown = [{ uri: 'https://files.test/1' }, { ref_id: 'file-unknown' }]
    expect((await send(messageOf({ user_intent, attachments: unknown }))).status).toBe(400)
    expect(written).toHaveLength(4)
    expect(await Promise.all(written.map((id) => folder.read(id)))).toEqual([null, null, null, null])
  })
  test('is the sixth of a message', async () => {
    const { send, fetched } = fetchingEngine()
    const attachments = Array.from({ length: 6 }, (_, index) => ({ uri: `https://files.test/${index}` }))
    const reply = await send(messageOf({ user_intent, attachments }))
    expect(reply.body.response.error?.details).toEqual({ field: 'context.attachments.5.uri' })
    expect(fetched).toEqual([])
  })
})
