// Uploaded files in the real runtime: of their tenant and user, kept for a day until a session uses them, and then as long as it.
import { createHash } from 'node:crypto'
import { HarnessClient } from '@bridle/client/index'
import { bearer, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  breakBucket,
  bucketNames,
  evict,
  evictFiles,
  loseDirectory,
  moveClock,
  reset,
  ringFiles,
  startTestWorker,
  storedBytes,
} from './test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './workerd.suite.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const tokens = [
  { token: 'ann', tenants: ['one'], user: 'ann' },
  { token: 'bob', tenants: ['one'], user: 'bob' },
  { token: 'two', tenants: ['two'] },
]

const randomBytes = (length: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}
const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.skipIf(noTools).each([
  ['in objects', false],
  ['in a bucket', true],
])('files %s', (_name, hasBucket) => {
  let world: WorkerdProcess
  beforeAll(async () => {
    const vars = {
      BRIDLE_AGENT: 'reader',
      TEST_OPTIONS: JSON.stringify({ tokens }),
      BRIDLE_SECRET: 'a secret of this test, which is long enough',
    }
    world = await startTestWorker({ vars, hasBucket })
  })
  afterEach(() => moveClock(world, 0))
  afterAll(() => world?.dispose())

  const upload = async (token: string, content: Uint8Array<ArrayBuffer> | string, filename = 'a.bin') => {
    const headers = { 'content-type': 'application/octet-stream', ...bearer(token) }
    const answer = await fetch(`${world.url}/files?filename=${filename}`, { method: 'POST', headers, body: content })
    return { status: answer.status, body: (await answer.json()) as { ref_id: string; size_bytes: number } }
  }
  const refIdOf = async (...args: Parameters<typeof upload>) => (await upload(...args)).body.ref_id
  const prompt = (token: string, id: string, input: object, agent = 'reader') =>
    post(`${world.url}/agents/${agent}/${id}`, { prompt: 'read', ...input }, bearer(token))
  const use = (token: string, id: string, ...refs: readonly string[]) =>
    prompt(token, id, { attachments: refs.map((ref_id) => ({ ref_id })) })
  const statusOf = async (...args: Parameters<typeof use>) => (await use(...args)).status
  const isStored = async (id: string) =>
    hasBucket ? (await bucketNames(world)).includes(`/file/${id}`) : (await storedBytes(world, id)) !== null
  const remove = (token: string, id: string) =>
    fetch(`${world.url}/agents/reader/${id}`, { method: 'DELETE', headers: bearer(token) })

  test('[CF26] a file of 25 MB reaches its function byte for byte; a larger one is refused', async () => {
    const bytes = randomBytes(25_000_000)
    const { status, body } = await upload('two', bytes, 'large.bin')
    expect([status, body.size_bytes]).toEqual([201, 25_000_000])
    const { result } = (await use('two', 'large', body.ref_id)).body
    expect(result).toBe(`large.bin application/octet-stream 25000000 25000000 ${sumOf(bytes)}`)
    expect(await isStored(body.ref_id)).toBe(true)
    if (hasBucket) return
    // A server that has refused a body may close before it has read it.
    const refused = await upload('two', randomBytes(25_000_001)).catch(() => null)
    expect(refused?.status ?? 413).toBe(413)
  })

  test('[CF26] three sessions of two tenants read their own files, also when every object was evicted', async () => {
    const sessions = [
      { token: 'ann', tenant: 'one', id: 'a1' },
      { token: 'two', tenant: 'two', id: 't1' },
      { token: 'ann', tenant: 'one', id: 'a2' },
    ]
    const files = await Promise.all(sessions.map(({ token, id }) => refIdOf(token, `content of ${id}`, `${id}.bin`)))
    const started = sessions.map(({ token, id }, index) =>
      post(
        `${world.url}/agents/reader/${id}`,
        { prompt: 'ask', attachments: [{ ref_id: files[index] }] },
        { prefer: 'respond-async', ...bearer(token) },
      ),
    )
    expect((await Promise.all(started)).map(({ status }) => status)).toEqual([202, 202, 202])
    const view = async ({ token, id }: (typeof sessions)[number]) =>
      (await (await fetch(`${world.url}/sessions/${id}`, { headers: bearer(token) })).json()) as {
        status: string
        approvals: { id: string }[]
        messages: { content: string }[]
      }
    for (const session of sessions) await expect.poll(async () => (await view(session)).approvals.length).toBe(1)
    const questions = await Promise.all(sessions.map(view))
    for (const [index, { id, tenant }] of sessions.entries()) {
      await evict(world, id, 'reader', tenant)
      if (!hasBucket) await evictFiles(world, `/file/${files[index]}`)
    }
    for (const tenant of ['one', 'two']) await evictFiles(world, `/files/${tenant}`)
    for (const [index, { token, id }] of sessions.entries())
      await post(
        `${world.url}/sessions/${id}/approvals/${questions[index]?.approvals[0]?.id}/approve`,
        {},
        bearer(token),
      )
    for (const session of sessions) {
      const content = `content of ${session.id}`
      const line = `${session.id}.bin application/octet-stream ${content.length} ${content.length} ${sumOf(Buffer.from(content))}`
      await expect.poll(async () => (await view(session)).messages.at(-1)?.content).toBe(line)
    }
  })

  test('[CF26] a model gets its files in every turn, also after its object was evicted', async () => {
    const headers = { 'content-type': 'image/png', ...bearer('two') }
    const image = await fetch(`${world.url}/files?filename=p.png`, { method: 'POST', headers, body: 'PNG' })
    const { ref_id } = (await image.json()) as { ref_id: string }
    const first = await prompt('two', 'seen', { attachments: [{ ref_id }] }, 'viewer')
    await evict(world, 'seen', 'viewer', 'two')
    const second = await prompt('two', 'seen', { prompt: 'again' }, 'viewer')
    const [shown, later] = [first, second].map(({ body }) => JSON.parse(String(body.result)) as unknown[][])
    expect(shown?.[0]?.at(-1)).toMatchObject({ type: 'file', mediaType: 'image/png', filename: 'p.png' })
    expect(JSON.stringify(shown?.[0]?.at(-1))).toContain('{"0":80,"1":78,"2":71}')
    expect([later?.length, later?.[0]]).toEqual([2, shown?.[0]])
  })

  test('[CF26] [T29] clients of the transport upload files and send them, also when their object was evicted', async () => {
    const clients = ['ann', 'two'].map((token) => ({
      token,
      client: new HarnessClient({ url: `${world.url.replace('http', 'ws')}/ws?sessionId=live`, authToken: token }),
    }))
    try {
      for (const turn of ['first', 'second']) {
        for (const { token, client } of clients) {
          const file = await client.upload(new File([`${turn} of ${token}`], 'live.txt', { type: 'text/plain' }))
          await client.submit('read', { attachments: [file] })
          const line = `live.txt text/plain ${file.size_bytes} ${file.size_bytes} ${sumOf(Buffer.from(`${turn} of ${token}`))}`
          await expect.poll(() => client.getSnapshot().messages.at(-1)?.content).toBe(line)
        }
        for (const tenant of ['one', 'two']) await evict(world, 'live', 'reader', tenant)
      }
    } finally {
      for (const { client } of clients) client.close()
    }
  })

  test('[CF27] a file is of its tenant, its user and the session that used it first', async () => {
    const ref = await refIdOf('ann', 'private')
    for (const token of ['bob', 'two']) expect(await statusOf(token, `foreign-${token}`, ref)).toBe(400)
    for (const unknown of ['file-unknown', '../secret', `/file/${ref}`])
      expect(await statusOf('ann', 'own', unknown)).toBe(400)
    expect(await statusOf('ann', 'own', ref)).toBe(200)
    expect(await statusOf('ann', 'own', ref)).toBe(200)
    expect(await statusOf('ann', 'other', ref)).toBe(400)
    const shell = await post(
      `${world.url}/v1/openharness`,
      {
        protocol_version: '1.0.0',
        request: { context: { session_id: 'shell', user_intent: 'go', attachments: [{ ref_id: ref }] } },
      },
      bearer('ann'),
    )
    expect(shell.body.response).toMatchObject({ error: { details: { field: 'context.attachments.0.ref_id' } } })
  })

  test('[CF27] an unused file is gone after a day, and a used one is not', async () => {
    const [used, unused, young, orphan] = await Promise.all(['u', 'v', 'w', 'x'].map((text) => refIdOf('ann', text)))
    expect(await statusOf('ann', 'keeper', String(used))).toBe(200)
    // The prompt is refused after its file was claimed, so its session never begins.
    const refused = await post(
      `${world.url}/agents/scripted/never`,
      { ...scriptBody(), prompt: '', attachments: [{ ref_id: orphan }] },
      bearer('ann'),
    )
    expect(refused.status).toBe(400)
    await moveClock(world, DAY_MS - 60_000)
    expect(await statusOf('ann', 'keeper', String(young))).toBe(200)
    await loseDirectory(world, 'one')
    await evictFiles(world, '/files/one')
    await moveClock(world, DAY_MS + 60_000)
    // Before its session tells the directory of itself again.
    await ringFiles(world, 'one')
    expect(await statusOf('ann', 'keeper', String(unused))).toBe(400)
    expect(await Promise.all([used, unused, young].map((id) => isStored(String(id))))).toEqual([true, false, true])
    expect(await isStored(String(orphan))).toBe(false)
    await moveClock(world, 3 * DAY_MS)
    await ringFiles(world, 'one')
    expect(await statusOf('ann', 'keeper', String(used), String(young))).toBe(200)
  })

  test('[CF27] files go with their session, and those of other sessions stay', async () => {
    const ids = ['gone-1', 'stays', 'gone-2']
    const files = await Promise.all(ids.map((id) => refIdOf('two', id)))
    for (const [index, id] of ids.entries()) expect(await statusOf('two', id, String(files[index]))).toBe(200)
    for (const id of ['gone-1', 'gone-2']) expect((await remove('two', id)).status).toBe(200)
    const stored = () => Promise.all(files.map((id) => isStored(id)))
    await expect.poll(stored).toEqual([false, true, false])
    expect(await statusOf('two', 'gone-1', String(files[0]))).toBe(400)
    expect(await statusOf('two', 'stays', String(files[1]))).toBe(200)
  })

  if (hasBucket)
    test('[CF27] a bucket that cannot be reached: bytes are erased later', async () => {
      const ref = await refIdOf('two', 'late')
      expect(await statusOf('two', 'late', ref)).toBe(200)
      await breakBucket(world, 'delete')
      expect((await remove('two', 'late')).status).toBe(200)
      await ringFiles(world, 'two')
      expect(await isStored(ref)).toBe(true)
      await reset(world, 'late', 'reader')
      await breakBucket(world, 'nothing')
      await ringFiles(world, 'two')
      expect(await isStored(ref)).toBe(false)
    })
})
