// A cascade: speech to text, a prompt to the session, and its answer to speech.
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

/** Turns awaiting transcription. Further audio is held back. */
const TURNS_WAITING_MAX = 3

/** Opens lines without contacting the services. Their faults surface with the first speech. */
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
  /** The rest of a sentence cut off by a disconnect. Null: none. */
  #rest: RestOfTurn | null = null
  readonly #runs: SpokenRuns
  readonly #prompts: LinePrompts
  readonly #keeper: AudioKeeper | null
  readonly #closing = new AbortController()
  /** Never aborted: speech is not lost when the client leaves before it is transcribed. */
  readonly #transcribing = new AbortController()
  /** Serialises prompts, so that they are logged in the order they were spoken. */
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

  /** Speech already received still becomes a prompt. */
  close(isPlayed = false): void {
    if (this.#closing.signal.aborted) return
    for (const heard of this.#runs.close(isPlayed)) cutAfterAbsence(this.#request, this.#ports.send, heard)
    this.#closing.abort()
    this.#ports.onClosed()
  }

  /** True for an open microphone. A push-to-talk client starts over on each socket. */
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

  /** Submits speech in order, and after the interruption of the answer it replies to. */
  #submitNext(words: () => Promise<string>, interruption: Promise<void>, turn: TurnAudio | null = null): Promise<void> {
    const audioMs = turn ? turnAudioMs(turn) : 0
    const before = this.#lastPrompt
    const submitted = (async () => {
      try {
        const text = await words()
        await Promise.all([before, interruption])
        if (audioMs > 0 && text === '') this.#client.fault(NOT_UNDERSTOOD, false)
        else await this.#submit(text, turn)
        // Charge after submitting, because the first prompt creates the session.
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
    // The detector ends a turn before it exceeds the artifact limit.
    if (turn)
      this.#keeper?.keep(runId, 'user', () => ({ bytes: wavFile(turn), audioMs: turnAudioMs(turn), isCut: false }))
    if (!this.#closing.signal.aborted) this.#runs.follow(runId)
  }

  #charge(kind: 'transcription' | 'synthesis', amount: SpeechAmount): void {
    const usage = speechUsage(kind, this.#settings[kind].model, amount)
    // The session may be gone.
    this.#ports.send(this.#request.key, { type: 'charge', usage }).catch(() => {})
  }

  #fault(cause: unknown): void {
    this.#client.fault(cause instanceof SpeechServiceError ? cause.fault : NOT_SAVED, false)
  }
}

/** Silences a client once its line has closed. */
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
