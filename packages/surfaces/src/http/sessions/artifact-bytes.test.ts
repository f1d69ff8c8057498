// Artifacts that are bytes: the audio of sessions that ask for it.

import { isRefusal } from '@bridle/kernel/commands'
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'

const acme = { 'x-fabric-tenant': 'acme' }
/** No text: all 256 bytes, in pieces that end anywhere. */
const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256))
const chunks = [bytes.subarray(0, 333), bytes.subarray(333, 334), bytes.subarray(334)].map((each) =>
  each.toString('base64'),
)

const spokenSessions = async () => {
  const it = testApp({ tenantRequired: true })
  const keep = async (id: string) => {
    const key = { tenant: 'acme', agent: 'scripted', id }
    const prompt = await it.host.send(key, { type: 'submit', prompt: 'Said.', spoken: true })
    if (isRefusal(prompt)) throw new Error(prompt.message)
    const { runId } = prompt
    return it.host.send(key, { type: 'keep_audio', runId, role: 'user', chunks, size: bytes.length, audioMs: 20 })
  }
  for (const [id, keep_audio] of [
    ['one', true],
    ['two', true],
    ['three', false],
  ] as const)
    await it.post('/chat/sessions', { session_id: id, voice: { keep_audio } }, acme)
  for (const id of ['one', 'two', 'three']) await keep(id)
  const audio = async (id: string, headers: Record<string, string> = acme) => {
    const { body } = await it.get(`/sessions/${id}/artifacts`, headers)
    return ((body.artifacts ?? []) as { id: string; kind: string }[]).filter(({ kind }) => kind === 'spoken_audio')
  }
  const read = async (id: string, artifact: string, headers: Record<string, string> = {}) => {
    const url = `http://127.0.0.1/sessions/${id}/artifacts/${artifact}`
    const response = await it.app.fetch(new Request(url, { headers: { ...acme, ...headers } }))
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  return { ...it, audio, read }
}

test('[V92] a session asks for audio when it is made, and says so; any other keeps none', async () => {
  const { get, audio } = await spokenSessions()
  const voices = await Promise.all(['one', 'two', 'three'].map(async (id) => (await get(`/sessions/${id}`, acme)).body))
  expect(voices.map(({ voice }) => voice)).toEqual([{ keep_audio: true }, { keep_audio: true }, undefined])
  expect(await audio('three')).toEqual([])
  expect(await audio('one')).toMatchObject([
    {
      contentType: 'audio/wav',
      size: bytes.length,
      audio: { role: 'user', run_id: expect.stringMatching(/^r-/), message_id: expect.stringMatching(/^m-/), ms: 20 },
    },
  ])
})

test.each([[true], [{ keep_audio: 'yes' }], [{ keep_audio: 1 }], [{ keepAudio: true }], [null]])(
  '[V92] %j is no setting of voice',
  async (voice) => {
    const { post, get } = testApp()
    for (const path of ['/chat/sessions', '/sessions']) {
      const { status, body } = await post(path, { session_id: 's', prompt: 'Hi', voice })
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('voice')])
    }
    expect((await get('/sessions/s')).status).toBe(404)
  },
)

test('[V93] bytes are served as they were, in whole and by range, as a download of their type', async () => {
  const { audio, read } = await spokenSessions()
  for (const id of ['one', 'two']) {
    const [{ id: artifact = '' } = {}] = await audio(id)
    const whole = await read(id, artifact)
    expect(whole.bytes.equals(bytes)).toBe(true)
    expect(whole.headers.get('content-type')).toBe('audio/wav')
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''turn-m-\d+\.wav$/)
    expect(whole.headers.get('content-security-policy')).toBe('sandbox')
    for (const [range, from, to] of [
      ['bytes=0-43', 0, 43],
      ['bytes=300-400', 300, 400],
      ['bytes=-5', 995, 999],
    ] as const) {
      const part = await read(id, artifact, { range })
      expect(part.status).toBe(206)
      expect(part.bytes.equals(bytes.subarray(from, to + 1))).toBe(true)
    }
  }
})

test('[V94] audio belongs to its tenant, and goes with its session', async () => {
  const { audio, read, ask, get } = await spokenSessions()
  const [{ id: artifact = '' } = {}] = await audio('one')
  expect((await read('one', artifact, { 'x-fabric-tenant': 'other' })).status).toBe(404)
  expect((await get('/sessions/one/artifacts', { 'x-fabric-tenant': 'other' })).status).toBe(404)
  expect((await ask('DELETE', '/agents/scripted/one', undefined, acme)).status).toBeLessThan(300)
  expect((await read('one', artifact)).status).toBe(404)
  expect(await audio('two')).toHaveLength(1)
})
