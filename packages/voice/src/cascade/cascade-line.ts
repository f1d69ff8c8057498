// A line through services: speech becomes text, the text a prompt of the session, and the answer in the log becomes speech.
import type { VoiceClient, VoiceFault, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { SpeechAmount } from '@bridle/model-data/speech-prices'
import { RestOfTurn } from '../audio/rest-of-turn.ts'
import { type TurnListener, turnListener } from '../audio/turn-listener.ts'
import { type TurnAudio, turnAudioMs, wavFile } from '../audio/wav.ts'
import type { EngineLine, LinePorts, VoiceEngine } from '../engine.ts'
import { AudioKeeper } from '../keeping/audio-keeper.ts'
import { cutAfterAbsence } from '../spoken/absence.ts'
import { LinePrompts, NOT_SAVED, TURN_LOST } from '../spoken/prompts.ts'
import { speechUsage } from '../spoken/speech-usage.ts'
import { SpeechServiceError } from './services/speech-service.ts'
import { synthesize } from './services/synthesis.ts'
import { transcribe } from './services/transcription.ts'
import type { CascadeSettings } from './settings.ts'
import { SpokenRuns } from './speaking/spoken-runs.ts'

/** Turns that wait for their text. A client that says more waits. */
const TURNS_WAITING_MAX = 3

/** Lines through the services of the settings. Opening one asks no service: faults come with the first words. */
export const cascadeEngine = (
  settings: CascadeSettings,
  request: CascadePorts['fetch'] = (input, init) => fetch(input, init),
): VoiceEngine<CascadeLine> => ({
  open: async (wishes, client, ports, onClosed = () => {}) =>
    new CascadeLine(settings, wishes, client, { ...ports, fetch: request, onClosed }),
})

interface CascadePorts extends LinePorts {
  readonly fetch: typeof fetch
  readonly onClosed: () => void
}

class CascadeLine implements EngineLine {
  readonly kind = 'cascade'
  readonly model: string
  readonly voice: string
  readonly #request: VoiceRequest
  readonly #client: VoiceClient
  readonly #ports: CascadePorts
  readonly #settings: CascadeSettings
  #turns: TurnListener
  /** The rest of a sentence in the middle of which the client broke off. Null: there is none. */
  #rest: RestOfTurn | null = null
  readonly #runs: SpokenRuns
  readonly #prompts: LinePrompts
  /** Null: the session does not ask for audio. */
  readonly #keeper: AudioKeeper | null
  readonly #closing = new AbortController()
  /** Never aborted: a transcription outlives its line, since words are not lost because a client leaves. */
  readonly #transcribing = new AbortController()
  /** Prompts go to the log in the order in which they were said. */
  #lastPrompt: Promise<void> = Promise.resolve()
  #waitingTurns = 0

  constructor(settings: CascadeSettings, request: VoiceRequest, client: VoiceClient, ports: CascadePorts) {
    this.model = settings.synthesis.model
    this.voice = request.voice ?? settings.voice
    this.#settings = settings
    this.#request = request
    this.#client = openClient(client, this.#closing.signal)
    this.#ports = ports
    this.#prompts = new LinePrompts(request, this.#client, ports, (runId, words) => this.#runs.ask(runId, words))
    this.#keeper = AudioKeeper.of(request, ports)
    this.#turns = this.#listen()
    this.#runs = new SpokenRuns({
      ...{ clock: ports.clock, send: ports.send, request, client: this.#client },
      synthesize: ({ words, signal }) => synthesize(ports, settings.synthesis, { words, voice: this.voice, signal }),
      onFault: (cause) => this.#fault(cause),
      charge: (amount) => this.#charge('synthesis', amount),
      keeper: this.#keeper,
    })
  }

  hear(audio: Uint8Array): Promise<void> | undefined {
    const next = this.#rest ? this.#rest.hear(audio) : audio
    if (next === null) return
    this.#rest = null
    this.#turns.hear(next)
    return this.#waitingTurns >= TURNS_WAITING_MAX ? this.#lastPrompt : undefined
  }

  endTurn(): void {
    this.#turns.end()
  }

  say(text: string): Promise<void> {
    const interruption = this.#runs.stopHeardAnswer()
    return this.#submitNext(async () => text, interruption)
  }

  interrupt(): Promise<void> {
    return this.#runs.interrupt()
  }

  played(item: string, ms: number, isStopped?: boolean): void {
    this.#runs.played(item, ms, isStopped)
  }

  get isInUse(): boolean {
    return this.#runs.isSpeaking || this.#isMidSentence
  }

  pause(): void {
    if (this.#isMidSentence) {
      this.#rest = new RestOfTurn(this.#request.format, this.#request.turns)
      this.#client.fault(TURN_LOST, false)
    }
    this.#turns = this.#listen()
    this.#runs.pause()
  }

  resume(): void {
    this.#runs.resume()
  }

  /** Words that were said before still become a prompt. */
  close(isPlayed = false): void {
    if (this.#closing.signal.aborted) return
    for (const heard of this.#runs.close(isPlayed)) cutAfterAbsence(this.#request, this.#ports.send, heard)
    this.#closing.abort()
    this.#ports.onClosed()
  }

  /** An open microphone is in the middle of a sentence. A client that ends its turns itself begins anew with each socket. */
  get #isMidSentence(): boolean {
    return this.#request.turns === 'silence' && (this.#rest !== null || this.#turns.isOpen)
  }

  #listen(): TurnListener {
    return turnListener(this.#request.format, this.#request.turns, {
      started: () => this.#startTurn(),
      stopped: (turn) => this.#endTurn(turn),
    })
  }

  #startTurn(): void {
    this.#client.speech('started')
    void this.#runs.stopHeardAnswer()
  }

  #endTurn(turn: TurnAudio | null): void {
    this.#client.speech('stopped')
    if (turn === null) {
      if (this.#request.turns === 'manual') this.#client.fault(NOTHING_HEARD, false)
      return
    }
    this.#waitingTurns += 1
    const words = transcribe(this.#ports, this.#settings.transcription, turn, this.#transcribing.signal)
    void this.#submitNext(() => words, this.#runs.stopHeardAnswer(), turn).finally(() => {
      this.#waitingTurns -= 1
    })
  }

  /** Submits what was said, after everything that was said before and after the interruption of what it answers. */
  #submitNext(words: () => Promise<string>, interruption: Promise<void>, turn: TurnAudio | null = null): Promise<void> {
    const audioMs = turn ? turnAudioMs(turn) : 0
    const before = this.#lastPrompt
    const submitted = (async () => {
      try {
        const text = await words()
        await Promise.all([before, interruption])
        if (audioMs > 0 && text === '') this.#client.fault(NOT_UNDERSTOOD, false)
        else await this.#submit(text, turn)
        // The first prompt of a session makes it: nobody could be charged before.
        if (audioMs > 0) this.#charge('transcription', { audioMs, chars: text.length })
      } catch (cause) {
        this.#fault(cause)
      }
    })()
    this.#lastPrompt = submitted
    return submitted
  }

  async #submit(prompt: string, turn: TurnAudio | null): Promise<void> {
    const runId = await this.#prompts.submit(prompt)
    if (runId === null) return
    // The detector ends a turn before it is longer than an artifact may be.
    if (turn)
      this.#keeper?.keep(runId, 'user', () => ({ bytes: wavFile(turn), audioMs: turnAudioMs(turn), isCut: false }))
    if (!this.#closing.signal.aborted) this.#runs.follow(runId)
  }

  #charge(kind: 'transcription' | 'synthesis', amount: SpeechAmount): void {
    const usage = speechUsage(kind, this.#settings[kind].model, amount)
    // A session that is gone pays nothing.
    this.#ports.send(this.#request.key, { type: 'charge', usage }).catch(() => {})
  }

  #fault(cause: unknown): void {
    this.#client.fault(cause instanceof SpeechServiceError ? cause.fault : NOT_SAVED, false)
  }
}

/** A client that hears nothing after its line was closed. */
const openClient = (client: VoiceClient, closed: AbortSignal): VoiceClient => ({
  audio: (item, bytes) => closed.aborted || client.audio(item, bytes),
  speech: (state) => closed.aborted || client.speech(state),
  interrupted: (item) => closed.aborted || client.interrupted(item),
  fault: (fault, isFinal) => closed.aborted || client.fault(fault, isFinal),
})

const NOTHING_HEARD: VoiceFault = {
  code: 'speech_not_understood',
  message: 'Nothing was heard. Check the microphone, and speak before you end the turn.',
}
const NOT_UNDERSTOOD: VoiceFault = {
  code: 'speech_not_understood',
  message: 'The speech service understood no words. Say it again.',
}
