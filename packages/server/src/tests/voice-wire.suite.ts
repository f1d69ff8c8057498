// The rules of the voice wire through real sockets, with a provider on loopback. Every target runs this suite; the tables of the rules
// stand beside the wire.

import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { type RealtimeStub, startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import type { VoiceServerMessage } from '@bridle/wire/voice/wire'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

const callers: WebSocket[] = []

/** A client of a line, with everything that it got. */
export interface VoiceCaller {
  readonly ws: WebSocket
  readonly messages: VoiceServerMessage[]
  bytes: number
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  say(message: object): void
  until(type: VoiceServerMessage['type'], times?: number): Promise<void>
}

/** Pings at once, as a client should: a runtime may let a close wait for a client that has not said anything. */
export const callVoice = async (url: string): Promise<VoiceCaller> => {
  const ws = new WebSocket(url.replace(/^http/, 'ws'))
  callers.push(ws)
  const messages: VoiceServerMessage[] = []
  const caller: VoiceCaller = {
    ws,
    messages,
    bytes: 0,
    closed: new Promise((resolve) => ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))),
    say: (message) => ws.send(JSON.stringify(message)),
    until: async (type, times = 1) => {
      while (messages.filter((each) => each.type === type).length < times) {
        if (ws.readyState === WebSocket.CLOSED) throw new Error(`closed: ${JSON.stringify(messages)}`)
        await new Promise(setImmediate)
      }
    },
  }
  ws.on('message', (data: Buffer, isBinary) => {
    const message = isBinary ? null : (JSON.parse(data.toString()) as VoiceServerMessage)
    if (!message) caller.bytes += data.length
    else if (message.type !== 'pong') messages.push(message)
  })
  ws.on('error', () => {})
  await new Promise((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('unexpected-response', (_request, { statusCode }) => reject(new Error(String(statusCode))))
  })
  ws.send('{"type":"ping"}')
  return caller
}

/** Ends every client of the test. */
export const hangUpAll = (): void => {
  for (const ws of callers.splice(0)) ws.terminate()
}

const transcripts = ({ messages }: VoiceCaller) =>
  messages.flatMap((each) => (each.type === 'transcript' ? [[each.role, each.text]] : []))
const errors = ({ messages }: VoiceCaller) => messages.flatMap((each) => (each.type === 'error' ? [each.code] : []))
const FRAME = new Uint8Array(960).fill(7)
const SAYS = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')

/** `start` sets these variables. */
export const voiceWireContract = (
  start: (env: Record<string, string>) => Promise<{ readonly url: string; stop(): Promise<void> }>,
): void => {
  describe('the voice wire', () => {
    let stub: RealtimeStub
    let server: Awaited<ReturnType<typeof start>>
    const dial = (id: string, query = '') => callVoice(`${server.url}/sessions/${id}/voice?${query}`)
    const conversation = async (id: string) => {
      const { body } = await get(`${server.url}/sessions/${id}`)
      return (body as unknown as { messages: { content: string }[] }).messages.map(({ content }) => content)
    }
    beforeAll(async () => {
      const turn = { heard: 'What time is it?', says: SAYS, chunkBytes: 960, chunkMs: 0 }
      stub = await startRealtimeStub({ models: ['gpt-realtime'], plan: () => turn })
      server = await start({ OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: stub.url })
    })
    afterEach(hangUpAll)
    afterAll(async () => {
      await server.stop()
      await stub.close()
    })

    test('[V33] [V36] [V42] a thousand frames of 20 ms pass, as do those of the answer, on three lines at once', async () => {
      const lines = await Promise.all(['a', 'b', 'c'].map((id) => dial(id, 'turns=manual')))
      for (const line of lines) {
        await line.until('session_open')
        for (let frame = 0; frame < 1_000; frame++) line.ws.send(FRAME)
        line.say({ type: 'audio', end: true })
      }
      for (const line of lines) {
        await line.until('response_done')
        expect(transcripts(line)).toEqual([
          ['user', 'What time is it?'],
          ['assistant', SAYS],
        ])
        expect(errors(line)).toEqual([])
      }
      await expect.poll(() => lines.map(({ bytes }) => bytes)).toEqual([38_400, 38_400, 38_400])
      expect(await conversation('a')).toEqual(['What time is it?', SAYS])
    })

    test('[V41] another client is refused; the same one comes back under the name of its line, and the conversation goes on', async () => {
      const first = await dial('s', 'line=mine')
      await first.until('session_open')
      first.say({ type: 'text', text: 'One' })
      await first.until('response_done')
      const other = await dial('s', 'line=other')
      expect([(await other.closed).code, errors(other)]).toEqual([1008, ['line_busy']])
      // The server does not know yet that the first socket is gone.
      first.ws.pause()
      const second = await dial('s', 'line=mine')
      await second.until('session_open')
      second.say({ type: 'text', text: 'Two' })
      // The answer to the first prompt may still be playing: the second prompt then ends it, which is another `response_done`.
      await expect.poll(async () => (await conversation('s')).at(3)).toMatch(/^word/)
      expect((await conversation('s')).filter((text) => !text.startsWith('word'))).toEqual(['One', 'Two'])
    })

    test('[V39] a query that is wrong, an agent and a model that do not exist get one error', async () => {
      const refused = [
        await dial('bad', 'audioFormat=mp3'),
        await dial('bad', 'agent=nobody'),
        await dial('bad', 'model=no-such-model'),
      ]
      for (const line of refused) expect((await line.closed).code).toBe(1008)
      expect(refused.map(errors)).toEqual([['bad_request'], ['bad_request'], ['provider_model']])
      expect(JSON.stringify(refused.map(({ messages }) => messages))).not.toContain('sk-')
      expect((await post(`${server.url}/agents/scripted/other`, { prompt: 'Hi' })).status).toBe(200)
    })

    test('[V40] [V42] [V111] odd frames, text that is none, a flood and a frame of 10 MB get an error each; others go on', async () => {
      const [odd, flood, large, other] = await Promise.all(['odd', 'flood', 'large', 'well'].map((id) => dial(id)))
      for (const line of [odd, flood, large, other]) await line?.until('session_open')
      odd?.ws.send(new Uint8Array(3))
      odd?.ws.send('hello')
      odd?.say({ type: 'audio', audio: '!' })
      await odd?.until('error', 3)
      for (let second = 0; second < 70; second++) flood?.ws.send(new Uint8Array(48_000))
      large?.ws.send(new Uint8Array(10_000_000))
      expect(await large?.closed).toEqual({ code: 1009, reason: 'The message is too large.' })
      expect(await flood?.closed).toEqual({ code: 1008, reason: 'Too much audio.' })
      expect([odd, flood, large].map((line) => line && errors(line))).toEqual([
        ['bad_audio', 'bad_message', 'bad_audio'],
        ['audio_flood'],
        ['frame_too_large'],
      ])
      other?.say({ type: 'text', text: 'Are you there?' })
      await other?.until('response_done')
      await (await dial('large')).until('session_open')
    })
  })
}
