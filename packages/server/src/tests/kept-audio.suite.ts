// The audio of sessions that ask for it, as a client of a server finds it. Each target plays it in its suites of voice.

import { wavContent } from '@bridle/voice/keeping/kept-audio.suite'
import { expect, vi } from 'vitest'

interface AudioArtifact {
  readonly id: string
  readonly kind: string
  readonly size: number
  readonly audio?: { readonly role: string; readonly message_id: string; readonly ms: number }
}

/** Makes a chat session that asks for its audio. */
export const makeAskingSession = async (url: string, session_id: string, agent: string): Promise<void> => {
  const answer = await fetch(`${url}/chat/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id, agent, voice: { keep_audio: true } }),
  })
  expect(answer.status).toBe(201)
}

export const audioArtifacts = async (url: string, id: string): Promise<readonly AudioArtifact[]> => {
  const answer = await fetch(`${url}/sessions/${id}/artifacts`)
  if (!answer.ok) return []
  const { artifacts } = (await answer.json()) as { artifacts: AudioArtifact[] }
  return artifacts.filter(({ kind }) => kind === 'spoken_audio').toReversed()
}

/** Waits for the artifacts, and reads each in whole and by range. */
export const readKeptAudio = async (url: string, id: string, count: number) => {
  await vi.waitFor(async () => expect(await audioArtifacts(url, id)).toHaveLength(count), {
    timeout: 20_000,
    interval: 50,
  })
  const list = await audioArtifacts(url, id)
  return Promise.all(
    list.map(async ({ id: artifact, audio, size }) => {
      const address = `${url}/sessions/${id}/artifacts/${artifact}`
      const whole = await fetch(address)
      const file = Buffer.from(await whole.arrayBuffer())
      expect([whole.headers.get('content-type'), file.length]).toEqual(['audio/wav', size])
      const part = await fetch(address, { headers: { range: 'bytes=40-99' } })
      expect(part.status).toBe(206)
      expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(40, 100))).toBe(true)
      return { role: audio?.role, ms: audio?.ms, ...wavContent(file) }
    }),
  )
}

/** A session that is deleted takes its audio with it. */
export const expectAudioGone = async (url: string, agent: string, id: string): Promise<void> => {
  const [first] = await audioArtifacts(url, id)
  expect((await fetch(`${url}/agents/${agent}/${id}`, { method: 'DELETE' })).ok).toBe(true)
  expect((await fetch(`${url}/sessions/${id}/artifacts/${first?.id}`)).status).toBe(404)
}
