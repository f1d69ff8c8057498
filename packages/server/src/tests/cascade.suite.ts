// A server whose variables name services that hear and speak: sessions are spoken with over its socket. Each target plays it.

import { connectFabricVoice } from '@bridle/client/voice/fabric-voice'
import type { FabricVoiceEvent } from '@bridle/client/voice/options'
import { bytesOf, voice } from '@bridle/voice/audio/sounds.suite'
import { SpeechStub } from '@bridle/voice/cascade/services/speech-stub.suite'
import { expect, test, vi } from 'vitest'
import { audioArtifacts, expectAudioGone, makeAskingSession, readKeptAudio } from './kept-audio.suite.ts'

/** A server of the target, which runs with these variables. */
export type StartCascadeServer = (
  env: Record<string, string>,
) => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>

const script = (...steps: readonly object[]) => `@script ${JSON.stringify(steps)}`

const dial = (url: string, id: string, audioFormat: 'pcm16' | 'g711_ulaw' = 'pcm16') => {
  const events: FabricVoiceEvent[] = []
  const line = connectFabricVoice({
    ...{ url: `${url}/sessions/${id}/voice`, agent: 'scripted', turns: 'manual', audioFormat },
    onEvent: (event) => events.push(event),
  })
  const audioBytes = () =>
    events.reduce((sum, event) => sum + (event.type === 'audio_delta' ? event.audio.length : 0), 0)
  const found = (type: FabricVoiceEvent['type']) => events.filter((event) => event.type === type)
  return { line, events, audioBytes, found }
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 })

export const cascadeContract = (start: StartCascadeServer): void => {
  const withServer = async (env: Record<string, string>, play: (url: string) => Promise<void>) => {
    const server = await start(env)
    await play(server.url.replace('http', 'ws')).finally(() => server.stop())
  }

  test('[V67] [V68] [V93] three clients speak with sessions of a server, and one interrupts its second answer', async () => {
    const stub = new SpeechStub()
    stub.transcript = () => script({ text: 'One two three. Four five six.' })
    const service = await stub.listen()
    const env = {
      BRIDLE_STT_URL: service.url,
      BRIDLE_TTS_URL: `${service.url}/`,
      BRIDLE_TTS_KEY: 'k',
      BRIDLE_TTS_MODEL: 'tts-1',
    }
    await withServer(env, async (url) => {
      const http = url.replace('ws', 'http')
      for (const id of ['a', 'c']) await makeAskingSession(http, id, 'scripted')
      const lines = [dial(url, 'a'), dial(url, 'b'), dial(url, 'c', 'g711_ulaw')]
      for (const [index, { line }] of lines.entries()) {
        line.sendAudio(index === 2 ? new Uint8Array(4_000).fill(0x9f) : bytesOf(voice(500)))
        line.endTurn()
      }
      // 14 characters and 14 more, of 50 ms each.
      const bytes = 28 * 50 * 48
      for (const [index, { audioBytes, found, line }] of lines.entries()) {
        await until(() => expect(audioBytes()).toBe(index === 2 ? bytes / 6 : bytes))
        await until(() => expect(found('response_done')).toMatchObject([{ status: 'completed' }]))
        expect(found('session_open')).toMatchObject([{ mode: 'cascade', model: 'tts-1', voice: 'alloy' }])
        const { item } = found('audio_delta')[0] as { item: string }
        line.played(item, 1_400)
      }
      const [a, b] = lines as [(typeof lines)[0], (typeof lines)[0]]
      for (const { line } of [a, b]) line.sendText(script({ text: 'Seven eight nine. Ten.' }))
      for (const { audioBytes } of [a, b]) await until(() => expect(audioBytes()).toBe(bytes + 21 * 50 * 48))
      const { item } = a.found('audio_delta').at(-1) as { item: string }
      a.line.cancelResponse()
      await until(() => expect(a.found('audio_stop')).toEqual([{ type: 'audio_stop', item }]))
      a.line.played(item, 600, true)
      await until(() =>
        expect(a.found('transcript').at(-1)).toMatchObject({
          role: 'assistant',
          text: 'Seven eight',
          interrupted: true,
        }),
      )
      expect(b.found('transcript').at(-1)).toMatchObject({ role: 'assistant', text: 'Seven eight nine. Ten.' })
      const spoken = await readKeptAudio(http, 'a', 3)
      expect(spoken.map(({ role, ms }) => [role, ms])).toEqual([
        ['user', 500],
        ['assistant', 1_400],
        ['assistant', 600],
      ])
      const telephone = await readKeptAudio(http, 'c', 2)
      expect(telephone.map(({ role, ms, sampleRate }) => [role, ms, sampleRate])).toEqual([
        ['user', 500, 8_000],
        ['assistant', 1_400, 8_000],
      ])
      expect(await audioArtifacts(http, 'b')).toEqual([])
      for (const { line, found } of lines) {
        expect(found('error')).toEqual([])
        line.close()
      }
      await expectAudioGone(http, 'scripted', 'a')
    })
    await service.close()
  }, 30_000)

  test('[V66] a key that is refused is one error, and the line stays open', async () => {
    const stub = new SpeechStub()
    stub.transcript = () => script({ text: 'Fine.' })
    stub.transcriptionReplies.push(() => Response.json({ error: { message: 'bad key' } }, { status: 401 }))
    const service = await stub.listen()
    await withServer({ BRIDLE_STT_URL: service.url, BRIDLE_TTS_URL: service.url }, async (url) => {
      const { line, found, audioBytes } = dial(url, 'a')
      const speak = () => {
        line.sendAudio(bytesOf(voice(500)))
        line.endTurn()
      }
      speak()
      await until(() => expect(found('error')).toMatchObject([{ code: 'provider_key' }]))
      speak()
      await until(() => expect(audioBytes()).toBe(5 * 50 * 48))
      expect(found('error')).toHaveLength(1)
      line.close()
    })
    await service.close()
  })
}
