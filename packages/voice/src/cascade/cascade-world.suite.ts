// Sessions of the scripted agent that are spoken with through stub services, on a clock of the test.

import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import { digest, flushPending, key, setUp, VirtualClock } from '@bridle/kernel/host/host.suite'
import { isVoiceFault, type VoiceClient, type VoiceFault, type VoiceRequest } from '@bridle/kernel/ports/voice'
import { expect } from 'vitest'
import { bytesOf, silence, voice } from '../audio/sounds.suite.ts'
import { cascadeEngine } from './cascade-line.ts'
import { SpeechStub } from './services/speech-stub.suite.ts'
import type { CascadeSettings } from './settings.ts'

/** A client that remembers what it got. */
export class RecordingClient implements VoiceClient {
  readonly items: { readonly item: string; ms: number }[] = []
  readonly states: string[] = []
  readonly stopped: string[] = []
  readonly faults: (VoiceFault & { readonly isFinal: boolean })[] = []
  bytes = 0
  onInterrupted: (item: string) => void = () => {}

  audio(item: string, bytes: Uint8Array): void {
    this.bytes += bytes.length
    const last = this.items.at(-1)
    if (last?.item === item) last.ms += bytes.length / 48
    else this.items.push({ item, ms: bytes.length / 48 })
  }

  speech(state: string): void {
    this.states.push(state)
  }

  interrupted(item: string): void {
    this.stopped.push(item)
    this.onInterrupted(item)
  }

  fault(fault: VoiceFault, isFinal: boolean): void {
    this.faults.push({ ...fault, isFinal })
  }

  get codes(): readonly string[] {
    return this.faults.map(({ code }) => code)
  }
}

export const SETTINGS: CascadeSettings = {
  transcription: { setting: 'BRIDLE_STT', url: 'http://stub/v1', key: 'stt-key', model: 'whisper-1' },
  synthesis: { setting: 'BRIDLE_TTS', url: 'http://stub/v1/', key: 'tts-key', model: 'tts-1' },
  voice: 'alloy',
}

export const script = (...steps: readonly object[]): string => `@script ${JSON.stringify(steps)}`

export const cascadeWorld = () => {
  const clock = new VirtualClock()
  const runner = scriptedRunner({ clock, digest })
  const { host, events } = setUp({ runner: () => runner }, undefined, clock)
  const stub = new SpeechStub()
  const engine = cascadeEngine(SETTINGS, stub.fetch)

  const requestOf = async (id: string, more: Partial<VoiceRequest> = {}): Promise<VoiceRequest> => {
    const session = await host.open(key(id))
    return { key: key(id), session, format: 'pcm16', turns: 'silence', user: 'ada', ...more }
  }
  const open = async (id: string, more: Partial<VoiceRequest> = {}) => {
    const request = await requestOf(id, more)
    const { session } = request
    const client = new RecordingClient()
    const line = await engine.open(request, client, { clock, send: (where, command) => host.send(where, command) })
    if (isVoiceFault(line)) throw new Error(line.message)
    /** Says something, and pauses. */
    const speak = async (level = 6_000) => {
      await line.hear(bytesOf(voice(600, level), silence(800)))
      await settle()
    }
    const messages = () =>
      session.state.conversation.messages.map(({ role, content, stopReason }) =>
        stopReason === undefined ? [role, content] : [role, content, stopReason],
      )
    return { session, client, line, speak, messages }
  }

  /** Everything that needs no time happens, also in the services. */
  const settle = async () => {
    for (let tries = 0; tries < 500; tries++) {
      await flushPending(20)
      if (stub.inFlight === 0) return flushPending(20)
    }
  }
  const pass = async (ms: number) => {
    await settle()
    await clock.pass(ms)
    await settle()
  }
  const eventsOf = async (id: string, type: string) =>
    (await events(key(id))).filter((event) => event.type === type).map(({ payload }) => payload)
  const numbersAreDense = async (id: string) => {
    const numbers = (await events(key(id))).map(({ seq }) => seq)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  }
  return { clock, host, stub, engine, requestOf, open, settle, pass, eventsOf, events, numbersAreDense }
}
