// Sessions that are spoken with through the socket of a server and a realtime provider on loopback. Every target runs this suite.

import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { type RealtimeStub, startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { audioArtifacts, expectAudioGone, makeAskingSession, readKeptAudio } from './kept-audio.suite.ts'

const KEY = 'sk-very-secret'

interface Message {
  readonly type: string
  readonly [name: string]: unknown
}

const dial = async (server: string, id: string, query = '') => {
  const ws = new WebSocket(`${server.replace('http', 'ws')}/sessions/${id}/voice?turns=manual${query}`)
  const messages: Message[] = []
  let bytes = 0
  ws.on('message', (data: Buffer, isBinary) => {
    if (isBinary) bytes += data.length
    else messages.push(JSON.parse(String(data)) as Message)
  })
  const until = (type: string, count = 1) =>
    vi.waitFor(
      () => {
        const found = messages.filter((each) => each.type === type)
        expect(found.length, JSON.stringify(messages)).toBeGreaterThanOrEqual(count)
        return found
      },
      { timeout: 10_000, interval: 5 },
    )
  await new Promise((resolve) => ws.once('open', resolve))
  const say = (message: object) => ws.send(JSON.stringify(message))
  return { ws, messages, until, say, bytes: () => bytes }
}

export interface VoiceServer {
  readonly url: string
  /** The lines of the server's log, where the test can see them. */
  readonly lines?: readonly string[]
  /** Sends the object of a session to sleep, where the target has objects. */
  readonly sleep?: (id: string) => Promise<void>
  stop(): Promise<void>
}

/** `start` sets these variables. */
export const voiceContract = (start: (env: Record<string, string>) => Promise<VoiceServer>): void => {
  describe('[V10] voice on a server', () => {
    let stub: RealtimeStub
    let server: VoiceServer
    beforeAll(async () => {
      stub = await startRealtimeStub({ key: KEY, plan: (_n, _session, items) => turnOf(items.length) })
      server = await start({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: stub.url })
    })
    afterAll(async () => {
      await server.stop()
      await stub.close()
    })

    test('three sessions of the agent `voice` are spoken with at once, and the log has both sides', async () => {
      const ids = ['one', 'two', 'three']
      const clients = await Promise.all(ids.map((id) => dial(server.url, id)))
      for (const turn of [1, 2]) {
        for (const { ws, say } of clients) {
          ws.send(Buffer.alloc(9600, 7))
          say({ type: 'audio', end: true })
        }
        for (const { until, messages, say } of clients) {
          await until('response_done', turn)
          // The client has played everything.
          for (const { item } of messages.filter(({ type }) => type === 'audio_delta'))
            say({ type: 'played', item, ms: 1e6 })
        }
        if (turn === 2 || !server.sleep) continue
        // An object sleeps when its provider is gone. The client's socket goes on, and the next provider gets the transcript.
        stub.drop()
        for (const id of ids) await server.sleep(id)
      }
      for (const [index, { messages, bytes, ws }] of clients.entries()) {
        const transcripts = messages.filter(({ type }) => type === 'transcript')
        expect(transcripts.map(({ role, text }) => `${role}: ${text}`)).toEqual([
          'user: words 0',
          'assistant: Answer to 1.',
          expect.stringContaining('user: words'),
          'assistant: Answer to 3.',
        ])
        expect(messages[0]).toMatchObject({
          type: 'session_open',
          agent: 'voice',
          mode: 'realtime',
          model: 'gpt-realtime',
        })
        expect(bytes()).toBe(2 * 3 * 4800)
        expect(JSON.stringify(messages)).not.toContain(KEY)
        expect((await get(`${server.url}/sessions/${ids[index]}`)).body).toMatchObject({ agent: 'voice' })
        ws.close()
      }
      expect(server.lines?.join('\n') ?? '').not.toContain(KEY)
    })

    test('[V92] [V93] [V94] a session that asks for it has the audio of both sides, until it is deleted', async () => {
      const ids = ['kept-1', 'kept-2']
      for (const id of ids) await makeAskingSession(server.url, id, 'voice')
      const clients = await Promise.all([...ids, 'unkept'].map((id) => dial(server.url, id)))
      for (const { ws, say } of clients) {
        ws.send(Buffer.alloc(9600, 7))
        say({ type: 'audio', end: true })
      }
      for (const { until, messages, say } of clients) {
        await until('response_done')
        for (const { item } of messages.filter(({ type }) => type === 'audio_delta'))
          say({ type: 'played', item, ms: 1e6 })
      }
      for (const id of ids) {
        const kept = await readKeptAudio(server.url, id, 2)
        expect(kept.map(({ role, ms, sampleRate, data }) => [role, ms, sampleRate, data.length])).toEqual([
          ['user', 200, 24_000, 9_600],
          ['assistant', 300, 24_000, 3 * 4_800],
        ])
        expect(kept[0]?.data.equals(Buffer.alloc(9600, 7))).toBe(true)
      }
      expect(await audioArtifacts(server.url, 'unkept')).toEqual([])
      for (const { ws } of clients) ws.close()
      await expectAudioGone(server.url, 'voice', 'kept-1')
      expect(await audioArtifacts(server.url, 'kept-2')).toHaveLength(2)
    })

    test('[V50] a typed prompt is answered in writing by the same model, and a spoken one after it remembers', async () => {
      const ids = ['typed-a', 'typed-b', 'typed-c']
      for (const id of ids) await post(`${server.url}/agents/voice/${id}`, { prompt: 'Hello in writing.' })
      for (const id of ids) {
        const { ws, say, until, messages } = await dial(server.url, id, '&after=ev-1')
        await until('session_open')
        if (!messages.some(({ type }) => type === 'response_done')) await until('response_done')
        say({ type: 'text', text: 'And aloud.' })
        await until('response_done', 2)
        const answers = messages.filter(({ type, role }) => type === 'transcript' && role === 'assistant')
        // The stub says how many items it knows.
        expect(answers.map(({ text }) => text)).toEqual(['Answer to 1.', 'Answer to 3.'])
        ws.close()
      }
    })

    test('[V14] the agent `voice` is listed, and an agent that cannot speak gets one error', async () => {
      const { agents } = (await get(`${server.url}/ready`)).body as { agents: { name: string; available: boolean }[] }
      expect(agents.find(({ name }) => name === 'voice')).toMatchObject({ available: true })
      await post(`${server.url}/agents/scripted/written`, { prompt: 'Hi' })
      const { until } = await dial(server.url, 'written', '&agent=scripted')
      expect(await until('error')).toMatchObject([{ code: 'voice_unavailable' }])
    })
  })
}

/** The words of a turn and of its answer say how long the conversation was, and so whether the provider has all of it. */
const turnOf = (items: number) => ({ heard: `words ${items}`, says: `Answer to ${items}.` })
