// Speaks the answers of runs from the log, and reports interruptions back to the log.
import { AUDIO_BYTES_PER_MS, type VoiceClient, type VoiceRequest } from '@bridle/kernel/ports/voice'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import { statusOf } from '@bridle/kernel/projections/state'
import type { Listener } from '@bridle/kernel/session/subscribers'
import type { SpeechAmount } from '@bridle/model-data/speech-prices'
import type { LinePorts } from '../../engine.ts'
import type { AudioKeeper } from '../../keeping/audio-keeper.ts'
import { ANY_CHANGE, cutAnswer } from '../../spoken/absence.ts'
import { HeardAnswers } from '../../spoken/heard-answers.ts'
import { PLAYED_WAIT_MS } from '../../spoken/limits.ts'
import { AnswerReader, findAnswer } from './answer-reader.ts'
import { heardText } from './heard-text.ts'
import { positionOf } from './playback.ts'
import { SpeechQueue, type SpeechQueuePorts, type StoppedSpeech } from './speech-queue.ts'
import { noticesOf } from './utterance.ts'

export interface SpokenRunsPorts extends LinePorts, Pick<SpeechQueuePorts, 'synthesize'> {
  readonly request: VoiceRequest
  readonly client: VoiceClient
  readonly onFault: (cause: unknown) => void
  readonly charge: (amount: SpeechAmount) => void
  readonly keeper: AudioKeeper | null
}

export class SpokenRuns {
  readonly #ports: SpokenRunsPorts
  readonly #queue: SpeechQueue
  readonly #heard: HeardAnswers
  readonly #listener: Listener
  readonly #readers = new Map<string, AnswerReader>()
  #spent: SpeechAmount = NOTHING
  #interruption: Promise<void> = Promise.resolve()
  /** Interrupted speech, until the client has reported how much was heard. */
  #stopped: StoppedSpeech | null = null
  readonly #awaitedReports = new Map<string, (ms: number, isStopped: boolean) => void>()

  constructor(ports: SpokenRunsPorts) {
    const { clock, client, request } = ports
    const { session, format } = request
    this.#ports = ports
    this.#heard = new HeardAnswers({
      ...ports,
      playing: () => this.#playing(),
      heardMs: () => Number.POSITIVE_INFINITY,
    })
    this.#queue = new SpeechQueue({
      ...{ clock, client, format },
      synthesize: (speech) => this.#synthesize(speech),
      // Notices are not part of the answer.
      onAudio: ({ utterance: { runId, isNotice }, item }, bytes) => isNotice || this.#heard.add(runId, item, bytes),
      onFault: (runId, cause) => this.#mute(runId, cause),
      onQuiet: (runId) => this.#settle(runId),
    })
    this.#listener = {
      audience: ANY_CHANGE,
      send: () => this.#look(),
      unsent: () => 0,
      close: (why) => client.fault(why === 'removed' ? REMOVED_FAULT : MOVED_FAULT, true),
    }
    const { run } = session.state.lifecycle
    // The client reconnected during its answer and hears the rest.
    if (run?.spoken) this.follow(run.runId, findAnswer(session.state, run.runId)?.content.length ?? 0)
    session.subscribers.add(this.#listener, session.state.head)
  }

  follow(runId: string, skippedChars = 0): void {
    if (!this.#readers.has(runId)) this.#readers.set(runId, new AnswerReader(runId, skippedChars))
    this.#look()
  }

  ask(runId: string, words: readonly string[]): void {
    this.#queue.add(words.flatMap((text) => noticesOf(runId, text)))
  }

  /** Stops the audible answer when the user speaks. Resolves when the log has recorded it. */
  stopHeardAnswer(): Promise<void> {
    const stopped = this.#queue.stop()
    if (!stopped) return this.#interruption
    this.#stopped = stopped
    const report = this.#reportOf(stopped)
    for (const item of stopped.items) this.#ports.client.interrupted(item)
    for (const runId of stopped.answers) this.#setMuted(runId)
    return this.#next(async () => this.#recordInterruption(stopped, await report))
  }

  /** Cancels the answer, audible or not. */
  async interrupt(): Promise<void> {
    await this.stopHeardAnswer()
    const { state } = this.#ports.request.session
    const { run } = state.lifecycle
    const reader = run && this.#readers.get(run.runId)
    if (!run || !reader || reader.isMuted || run.phase === 'cancelling') return
    this.#setMuted(run.runId)
    const heard = this.#queue.playback.speech
    return this.#next(() => this.#cutAnswer(run.runId, heard, Number.POSITIVE_INFINITY))
  }

  played(item: string, ms: number, isStopped = false): void {
    const take = this.#awaitedReports.get(item)
    if (take) take(ms, isStopped)
    else this.#queue.playback.report(item, ms)
  }

  get isSpeaking(): boolean {
    return this.#queue.isSpeaking
  }

  pause(): void {
    this.#queue.playback.pause()
    this.#heard.mark()
  }

  resume(): void {
    this.#queue.playback.resume()
  }

  /** Returns how much was heard of each unfinished answer. `isPlayed`: treat all audio sent as heard. */
  close(isPlayed = false): readonly HeardMark[] {
    const { playback } = this.#queue
    const playedMs = isPlayed ? Number.POSITIVE_INFINITY : playback.playedMs
    const answers = this.#queue.unheardRuns
    this.#ports.request.session.subscribers.remove(this.#listener)
    this.#queue.close()
    this.#keepAudio(playback.speech, playedMs)
    this.#charge()
    const heard = answers.map((runId) => this.#heardOf(runId, playback.speech, playedMs))
    if (heard[0]) this.#heard.leave(heard[0])
    else this.#heard.settle()
    return heard
  }

  /** The answer that is audible now, or the last audible one if it continues. */
  #playing(): HeardMark | null {
    const [interrupted] = this.#stopped?.answers ?? []
    if (this.#stopped && interrupted !== undefined)
      return this.#heardOf(interrupted, this.#stopped.speech, this.#stopped.playedMs)
    const { speech, playedMs } = this.#queue.playback
    const { state } = this.#ports.request.session
    const { run } = state.lifecycle
    const isWriting = statusOf(state) === 'running' && speech.some(({ utterance }) => utterance.runId === run?.runId)
    const runId = this.#queue.unheardRuns[0] ?? (isWriting ? run?.runId : undefined)
    return runId === undefined ? null : this.#heardOf(runId, speech, playedMs)
  }

  #heardOf(runId: string, speech: StoppedSpeech['speech'], playedMs: number): HeardMark {
    const content = findAnswer(this.#ports.request.session.state, runId)?.content ?? ''
    return heardText(speech, { runId, playedMs, content })
  }

  #keepAudio(speech: StoppedSpeech['speech'], playedMs: number): void {
    this.#heard.keepAudio((item) => {
      const startMs = positionOf(speech, item, 0)
      // Speech no longer tracked was fully played.
      return startMs === null ? Number.POSITIVE_INFINITY : Math.max(0, playedMs - startMs)
    })
  }

  #look(): void {
    const { state } = this.#ports.request.session
    for (const reader of [...this.#readers.values()]) {
      const { runId } = reader
      this.#queue.add(reader.read(state))
      if (!reader.isOver) continue
      if (!reader.isMuted && isWithdrawn(findAnswer(state, runId))) this.#silence(runId)
      if (this.#queue.isQuiet(runId)) this.#settle(runId)
    }
  }

  /** Someone else cancelled the run, so silence it here too. */
  #silence(runId: string): void {
    if (this.#queue.isHeard(runId)) void this.stopHeardAnswer()
    else this.#queue.mute(runId)
  }

  async #recordInterruption(stopped: StoppedSpeech, reportedMs: number | null): Promise<void> {
    const { answers, speech, playedMs } = stopped
    const heardMs = reportedMs ?? playedMs
    if (this.#stopped === stopped) this.#stopped = null
    this.#keepAudio(speech, heardMs)
    for (const runId of answers) await this.#cutAnswer(runId, speech, heardMs)
    this.#heard.settle()
  }

  async #cutAnswer(runId: string, speech: StoppedSpeech['speech'], playedMs: number): Promise<void> {
    const { request, send, onFault } = this.#ports
    try {
      await cutAnswer(request, send, this.#heardOf(runId, speech, playedMs))
    } catch (cause) {
      onFault(cause)
    }
  }

  /** Waits for the client's final report of what it played. Null if it does not report. Earlier reports may be stale. */
  async #reportOf({ items: [item], speech }: StoppedSpeech): Promise<number | null> {
    if (item === undefined) return null
    const { promise, resolve } = Promise.withResolvers<void>()
    const clear = this.#ports.clock.after(PLAYED_WAIT_MS, resolve)
    let ms: number | null = null
    this.#awaitedReports.set(item, (reportedMs, isStopped) => {
      ms = reportedMs
      if (isStopped) resolve()
    })
    await promise
    clear()
    this.#awaitedReports.delete(item)
    return ms === null ? null : positionOf(speech, item, ms)
  }

  #next(task: () => Promise<void>): Promise<void> {
    this.#interruption = this.#interruption.then(task)
    return this.#interruption
  }

  async *#synthesize(request: Parameters<SpeechQueuePorts['synthesize']>[0]): AsyncGenerator<Uint8Array> {
    let chars = request.words.length
    for await (const audio of this.#ports.synthesize(request)) {
      const { audioMs, chars: spokenChars } = this.#spent
      this.#spent = { audioMs: audioMs + audio.length / AUDIO_BYTES_PER_MS.pcm16, chars: spokenChars + chars }
      chars = 0
      yield audio
    }
  }

  #mute(runId: string, cause: unknown): void {
    this.#setMuted(runId)
    this.#ports.onFault(cause)
  }

  #setMuted(runId: string): void {
    const reader = this.#readers.get(runId)
    if (reader) reader.isMuted = true
  }

  /** Charges a run that has finished speaking. */
  #settle(runId: string): void {
    if (!this.#readers.get(runId)?.isOver) return
    this.#readers.delete(runId)
    this.#charge()
  }

  #charge(): void {
    const amount = this.#spent
    this.#spent = NOTHING
    if (amount.audioMs > 0) this.#ports.charge(amount)
  }
}

/** The run was cancelled or its turn removed. */
const isWithdrawn = (answer: HarnessMessage | undefined): boolean =>
  !answer || (answer.status !== 'error' && answer.stopReason === 'cancelled')

const NOTHING: SpeechAmount = { audioMs: 0, chars: 0 }

const REMOVED_FAULT = { code: 'session_not_found', message: 'The session was deleted.' }
const MOVED_FAULT = { code: 'unavailable', message: 'The session has moved to another process; open the line again.' }
