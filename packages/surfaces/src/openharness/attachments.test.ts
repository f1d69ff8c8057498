// Uploaded files as attachments of a shell's request.

import { agent, type RunContext } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import type { JsonObject } from '@bridle/events/json'
import { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { memoryUploadFolder } from '@bridle/stores/uploads/upload-folder'
import { describe, expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import { messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const user_intent = script({ text: 'Fine.' })

const uploadingEngine = (...options: Parameters<typeof testEngine>) => {
  const engine = testEngine(...options)
  const upload = (content: string, headers: Record<string, string> = {}, query = '') =>
    engine.ask('POST', `/files${query}`, content, { 'content-type': 'text/plain', ...headers })
  const refIdOf = async (...args: Parameters<typeof upload>) => String((await upload(...args)).body.ref_id)
  /** The field that is wrong; null = the request succeeded. */
  const fieldFor = async (context: object, headers: Record<string, string> = {}, more: object = {}) => {
    const { status, body } = await engine.send(messageOf({ user_intent, ...context }, more), headers)
    if (status === 200) return null
    expect([status, body.response.error?.code]).toEqual([400, 'invalid_request'])
    return body.response.error?.details?.field
  }
  return { ...engine, upload, refIdOf, fieldFor }
}

describe('[H65] POST /files', () => {
  test('answers with a reference, the type and the size', async () => {
    const { upload } = uploadingEngine()
    const files = await Promise.all(['a', 'bc', 'déf'].map((content) => upload(content)))
    expect(files.map(({ status, body }) => [status, body.mime_type, body.size_bytes])).toEqual([
      [201, 'text/plain', 1],
      [201, 'text/plain', 2],
      [201, 'text/plain', 4],
    ])
    expect(new Set(files.map(({ body }) => body.ref_id)).size).toBe(3)
  })
  test.each<[string, string, Record<string, string>, string, number]>([
    ['an empty file', '', {}, '', 400],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, '', 400],
    ['several parts', 'x', { 'content-type': 'multipart/form-data; boundary=x' }, '', 400],
    ['no type', 'x', { 'content-type': 'text' }, '', 400],
    ['a long name', 'x', {}, `?filename=${'n'.repeat(256)}`, 400],
    ['an encoding', 'x', { 'content-encoding': 'gzip' }, '', 415],
    ['25 MB and a byte', 'x'.repeat(25_000_001), {}, '', 413],
  ])('%s is refused', async (_, content, headers, query, status) => {
    expect((await uploadingEngine().upload(content, headers, query)).status).toBe(status)
  })
  test('takes 25 MB, also where other bodies are smaller', async () => {
    const { upload } = uploadingEngine({ maxBodyBytes: 10_000 })
    expect((await upload('x'.repeat(25_000_000))).status).toBe(201)
  })
  test('needs the scope operate', async () => {
    const { upload } = uploadingEngine({ tokens: [{ token: 'reader', scopes: ['observe'] }] })
    expect((await upload('x', bearer('reader'))).status).toBe(403)
    expect((await upload('x')).status).toBe(401)
  })
})

describe('[OH60] an uploaded file', () => {
  test('reaches the log as a reference, with the facts of the server and not of the shell', async () => {
    const { fieldFor, refIdOf, host } = uploadingEngine()
    const ref_id = await refIdOf('content of the file', {}, '?filename=a.txt')
    const attachments = [{ ref_id, mime_type: 'image/png', size_bytes: 7 }, { asset_id: 'logo' }]
    expect(await fieldFor({ session_id: 's', attachments })).toBeNull()
    const session = await host.find({ tenant: 'default', agent: 'scripted', id: 's' })
    const events = (await session?.read(0, 1_000)) ?? []
    expect(events.find(({ type }) => type === 'prompt_queued')?.payload).toMatchObject({
      input: {
        openharness: {
          attachments: [{ ref_id, filename: 'a.txt', mime_type: 'text/plain', size_bytes: 19 }, { asset_id: 'logo' }],
        },
      },
    })
    expect(JSON.stringify(events)).not.toContain('content of the file')
  })
  test('belongs to the session that used it first, for any number of turns', async () => {
    const { fieldFor, refIdOf } = uploadingEngine()
    const attachments = [{ ref_id: await refIdOf('x') }]
    const first = { session_id: 's', attachments }
    expect(await fieldFor(first, {}, { request_id: 'r' })).toBeNull()
    expect(await fieldFor(first, {}, { request_id: 'r' })).toBeNull()
    expect(await fieldFor(first)).toBeNull()
    expect(await fieldFor({ session_id: 't', attachments })).toBe('context.attachments.0.ref_id')
  })
  test('expires after a day, and not once it is used', async () => {
    const { fieldFor, refIdOf, advance } = uploadingEngine()
    const [used, unused, young] = [await refIdOf('x'), await refIdOf('y'), await refIdOf('z')]
    expect(await fieldFor({ session_id: 's', attachments: [{ ref_id: used }] })).toBeNull()
    advance(DAY_MS)
    expect(await fieldFor({ session_id: 's', attachments: [{ ref_id: young }] })).toBeNull()
    advance(1)
    expect(await fieldFor({ session_id: 's', attachments: [{ ref_id: unused }] })).toBe('context.attachments.0.ref_id')
    expect(await fieldFor({ session_id: 's', attachments: [{ ref_id: used }] })).toBeNull()
  })
  test('is of its tenant and of its user alone', async () => {
    const tokens = [
      { token: 'a', tenants: ['one'], user: 'ann' },
      { token: 'b', tenants: ['one'], user: 'bob' },
      { token: 'c', tenants: ['two'], user: 'ann' },
      { token: 'd', tenants: ['one'] },
    ]
    const { fieldFor, refIdOf } = uploadingEngine({ tokens })
    const attachments = [{ asset_id: 'x' }, { ref_id: await refIdOf('x', bearer('a')) }]
    const wrong = 'context.attachments.1.ref_id'
    for (const token of ['b', 'c']) expect(await fieldFor({ attachments }, bearer(token))).toBe(wrong)
    expect(await fieldFor({ session_id: 's', attachments }, bearer('a'))).toBeNull()
  })
  test('that is unknown is refused, and then no other file of the request is used', async () => {
    const { fieldFor, refIdOf } = uploadingEngine()
    const ref_id = await refIdOf('x')
    for (const unknown of ['att_upload_01', '../owner', `${ref_id}.json`])
      expect(await fieldFor({ session_id: 's', attachments: [{ ref_id }, { ref_id: unknown }] })).toBe(
        'context.attachments.1.ref_id',
      )
    expect(await fieldFor({ session_id: 't', attachments: [{ ref_id }] })).toBeNull()
  })
})

test('[OH61] a run reads the files of its prompt, as text and as bytes', async () => {
  const uploads = new StoredUploads(memoryUploadFolder(), () => 0)
  const clock = { now: () => 0, after: () => () => {} }
  const reader = agent({
    name: 'reader',
    run: async ({ attachments }: RunContext<JsonObject>) => {
      const lines = attachments.map(async (file) => {
        const bytes = await file.bytes()
        return [file.name, file.mimeType, file.sizeBytes, await file.text(), bytes.byteLength].join(' ')
      })
      return (await Promise.all(lines)).join('\n')
    },
  })
  const ports = { clock, digest: async (text: string) => text, uploads }
  const { send, refIdOf } = uploadingEngine({ uploads }, { reader: nativeRunner(reader, ports) })
  const attachments = [
    { ref_id: await refIdOf('one', {}, '?filename=1.txt') },
    { asset_id: 'no file' },
    { ref_id: await refIdOf('zwölf', { 'content-type': 'text/csv' }) },
  ]
  const context = { user_intent: 'Read.', task_hint: { plugin_id: 'reader' }, attachments }
  const { body } = await send(messageOf(context))
  expect(body.response.action_directives?.map(({ payload }) => payload?.text)).toEqual([
    '1.txt text/plain 3 one 3\n text/csv 6 zwölf 6',
  ])
})

describe('[H67] a prompt on another wire', () => {
  const submitters = {
    'POST /agents/:name/:id': (id: string, input: object) =>
      [`/agents/scripted/${id}`, { prompt: user_intent, ...input }] as const,
    'POST /sessions': (id: string, input: object) =>
      ['/sessions', { session_id: id, prompt: user_intent, input }] as const,
  }
  test.each(Object.entries(submitters))('%s takes files, and refuses those of others', async (_, requestOf) => {
    const { post, refIdOf, host } = uploadingEngine()
    const ref_id = await refIdOf('one', {}, '?filename=1.txt')
    const [path, body] = requestOf('s', { attachments: [{ ref_id }, 'own', { id: 7 }] })
    expect((await post(path, body)).status).toBeLessThan(300)
    const session = await host.find({ tenant: 'default', agent: 'scripted', id: 's' })
    const prompt = (await session?.read(0, 1_000))?.find(({ type }) => type === 'prompt_queued')
    expect(prompt?.payload).toMatchObject({
      input: { attachments: [{ ref_id, filename: '1.txt', mime_type: 'text/plain', size_bytes: 3 }, 'own', { id: 7 }] },
    })
    for (const [id, input, field] of [
      ['t', { attachments: [{ ref_id }] }, 'attachments.0.ref_id'],
      ['u', { attachments: ['own', { ref_id: 'file-unknown' }] }, 'attachments.1.ref_id'],
      ['v', { openharness: { attachments: [{ ref_id }] } }, 'openharness.attachments.0.ref_id'],
    ] as const) {
      const [place, wrong] = requestOf(id, input)
      const reply = await post(place, wrong)
      expect([reply.status, String(reply.body.error).split(':')[0]]).toEqual([400, field])
    }
  })
})

test('[OH100] an address that is not fetched is kept without its credentials, and with every other query', async () => {
  const engine = testEngine()
  const kept: [string, string][] = [
    ['https://bucket.example/a?X-Amz-Date=1&X-Amz-Signature=canary', 'https://bucket.example/a'],
    ['https://bucket.example/a?sv=1&sig=canary#page=2', 'https://bucket.example/a#page=2'],
    ['https://ann:canary@files.example/b?id=7', 'https://files.example/b?id=7'],
    ['app://docs?access_token=canary', 'app://docs'],
    ['https://video.example/watch?v=7&list=2', 'https://video.example/watch?v=7&list=2'],
    ['app:7', 'app:7'],
  ]
  const attachments = kept.map(([uri]) => ({ uri }))
  const request = messageOf(
    { session_id: 's', user_intent: script({ text: 'Fine.' }), attachments },
    { request_id: 'q' },
  )
  for (const reply of [await engine.send(request), await engine.send(request)])
    expect(summaryOf(reply)).toEqual([200, ['Fine.']])
  const session = await engine.host.find({ tenant: 'default', agent: 'scripted', id: 's' })
  const log = JSON.stringify([await session?.read(0, 1_000), session?.state])
  expect(log).not.toContain('canary')
  for (const [, uri] of kept) expect(log).toContain(`"${uri}"`)
})
