// The answers of a realtime line. The agent loop calls the line as its model, one provider response per request. Text
// goes to the log, audio to the client. An interruption truncates both to what was heard.

import type { LanguageModel, ModelCallOptions, ModelStream } from '@bridle/agents/model/model'
import type { VoiceClient, VoiceFault, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import { answerOf } from '@bridle/kernel/projections/message-parts'
import { statusOf } from '@bridle/kernel/projections/state'
import type { LinePorts } from '../engine.ts'
import type { AudioKeeper } from '../keeping/audio-keeper.ts'
import { cutAfterAbsence, cutAnswer } from '../spoken/absence.ts'
import { HeardAnswers } from '../spoken/heard-answers.ts'
import { PLAYED_WAIT_MS } from '../spoken/limits.ts'
import { isFinalFault } from './faults.ts'
import { LineNotices } from './line-notices.ts'
import { LineResponses } from './line-responses.ts'
import type { ResponseEvent, ResponseUsage } from './provider.ts'
import type { ProviderLink } from './provider-link.ts'
import { ProviderResponse } from './provider-response.ts'
import { responseCharge } from './response-charge.ts'
import { SpokenAnswer } from './spoken-answer.ts'

/** Polls until the heard text is in the log: 300 ms, longer than a slow write. */
const WRITTEN_LOOK_MS = 10
const WRITTEN_LOOKS = 30

export interface LineAnswersPorts extends LinePorts {
  readonly request: VoiceRequest
  readonly client: VoiceClient
  readonly link: ProviderLink
  readonly label: string
  readonly modelId: string
  /** Resolves when everything said has been transcribed. */
  readonly whenHeard: () => Promise<void>
  readonly keeper: AudioKeeper | null
}

export class LineAnswers {
  readonly model: LanguageModel
  readonly responses: LineResponses
  readonly notices: LineNotices
  readonly #ports: LineAnswersPorts
  #answer: SpokenAnswer | null = null
  #isHungUp = false
  #pausedAt: number | null = null
  #onPlayed: ((item: string, isStopped: boolean) => void) | null = null
  #interruption: Promise<void> | null = null
  readonly #heard: HeardAnswers
  /** The spoken run in progress when the line opened, started by another process or line. */
  readonly #inheritedRunId: string | null

  constructor(ports: LineAnswersPorts) {
    this.#ports = ports
    const { run } = ports.request.session.state.lifecycle
    this.#inheritedRunId = run?.spoken ? run.runId : null
    this.#heard = new HeardAnswers({
      ...ports,
      playing: () => this.#playing(),
      heardMs: (item) => this.#answer?.heardItems(this.#now).get(item) ?? 0,
    })
    this.notices = new LineNotices(ports, (usage) => this.#charge(usage))
    this.responses = new LineResponses({
      ...ports,
      newResponse: (cancel) => this.#newResponse(cancel),
      onUnsaid: () => this.#forgetAnswer(),
      onGivenUp: (fault) => this.#giveUp(fault),
    })
    this.model = {
      specificationVersion: 'v4',
      provider: ports.label,
      modelId: ports.modelId,
      doStream: (options) => this.#respond(options),
    }
  }

  get isHeard(): boolean {
    return this.responses.isSpeaking || Boolean(this.#answer?.playing(this.#ports.clock.now()))
  }

  pause(): void {
    this.#pausedAt = this.#ports.clock.now()
    this.#heard.mark()
  }

  resume(awayMs: number): void {
    this.#pausedAt = null
    this.#answer?.delay(this.#ports.clock.now() - awayMs, awayMs)
  }

  /** The response in progress is still written, but no longer heard. `isPlayed`: treat all audio sent as heard. */
  hangUp(isPlayed = false): void {
    const { clock, request, send } = this.#ports
    this.#isHungUp = true
    this.notices.hangUp()
    const answer = this.#answer
    const leftAt = this.#pausedAt ?? clock.now()
    const heardAt = isPlayed ? Number.POSITIVE_INFINITY : leftAt
    this.#keepAudio(answer, heardAt)
    if (!answer || !(this.responses.isBusy || answer.playing(leftAt))) return this.#heard.settle()
    const heard = answer.heard(heardAt)
    this.#heard.leave(heard)
    cutAfterAbsence(request, send, heard)
  }

  handle(event: ResponseEvent): void {
    if (!this.notices.handle(event)) this.responses.handle(event)
  }

  /** Also charges tokens that no run reports. */
  #charge(tokens: ResponseUsage): void {
    const { send, request, modelId } = this.#ports
    const usage = responseCharge(tokens, modelId)
    if (usage) send(request.key, { type: 'charge', usage }).catch(() => {})
  }

  played(itemId: string, ms: number, isStopped = false): void {
    const item = this.#answer?.item(itemId)
    if (!item) return this.notices.played(itemId, ms)
    item.playedMs = ms
    this.#onPlayed?.(itemId, isStopped)
  }

  /** `speech`: the user talks over the answer; open approvals and tools continue. `request`: the client cancels the answer. */
  interrupt(cause: 'speech' | 'request'): Promise<void> {
    this.#interruption ??= this.#interrupt(cause).finally(() => {
      this.#interruption = null
    })
    return this.#interruption
  }

  async #interrupt(cause: 'speech' | 'request'): Promise<void> {
    const { clock, client, link, request } = this.#ports
    const { state } = request.session
    const { run } = state.lifecycle
    const now = clock.now()
    this.notices.stop(now)
    const answer = this.#answer
    const playing = answer?.playing(now) ?? null
    const { isBusy } = this.responses
    const isWaiting = statusOf(state) === 'awaiting_approval'
    const runId = answer?.runId ?? (run?.spoken ? run.runId : null)
    const isAtWork = run?.runId === runId && (cause === 'request' || this.#isInheritedText())
    if (runId === null || !(playing || isBusy || isAtWork)) return
    this.responses.silence()
    if (playing) {
      const report = this.#waitForReport(playing.id)
      client.interrupted(playing.id)
      await report
    }
    this.#keepAudio(answer, now)
    if (this.#answer === answer) this.#answer = null
    if (isWaiting && cause === 'speech') return this.#heard.settle()
    const heard = answer?.heard(now)
    for (const { item, text, ms } of heard?.cut ?? []) link.current?.api.cut(item.id, text, ms)
    await this.#keepHeard(heard ?? this.#heardBefore(runId))
    this.#heard.settle()
  }

  /** A spoken run that this line did not start is writing its answer. */
  #isInheritedText(): boolean {
    const { state } = this.#ports.request.session
    const { run, tools } = state.lifecycle
    if (!run || run.runId !== this.#inheritedRunId || statusOf(state) !== 'running') return false
    return Object.keys(tools).length === 0
  }

  /** The part spoken by earlier lines and completed steps. */
  #heardBefore(runId: string): HeardMark {
    const { course, listening } = this.#ports.request.session.state
    const { chars, audioMs } = listening.answer?.runId === runId ? listening.answer : NOTHING
    return { runId, chars: Math.max(chars, runId === this.#inheritedRunId ? course.kept.chars : 0), audioMs }
  }

  get #now(): number {
    return this.#pausedAt ?? this.#ports.clock.now()
  }

  #playing(): HeardMark | null {
    const answer = this.#answer
    const isOpen = this.responses.isBusy || this.#interruption !== null || this.#pausedAt !== null
    if (!answer || !(isOpen || answer.playing(this.#now))) return null
    return answer.heard(this.#now)
  }

  #keepAudio(answer: SpokenAnswer | null, now: number): void {
    const heard = answer?.heardItems(now)
    this.#heard.keepAudio((item) => heard?.get(item) ?? 0)
  }

  async #keepHeard(heard: HeardMark): Promise<void> {
    const { request, send } = this.#ports
    await this.#writtenUpTo(heard)
    await cutAnswer(request, send, heard)
  }

  /** Audio is sent slightly before its text is logged. Wait, so that the log can be truncated to what was heard. */
  async #writtenUpTo({ runId, chars }: HeardMark): Promise<void> {
    const { clock, request } = this.#ports
    for (let looks = 0; looks < WRITTEN_LOOKS && answerChars(request, runId) < chars; looks++)
      await new Promise<void>((resolve) => clock.after(WRITTEN_LOOK_MS, resolve))
  }

  /** A report sent before the item stopped is too low. The last one counts. */
  #waitForReport(itemId: string): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancelTimer()
        this.#onPlayed = null
        resolve()
      }
      const cancelTimer = this.#ports.clock.after(PLAYED_WAIT_MS, end)
      this.#onPlayed = (reported, isStopped) => {
        if (reported !== itemId) return
        const item = this.#answer?.item(itemId)
        if (item) item.stoppedMs = item.playedMs
        if (isStopped) end()
      }
    })
  }

  async #respond(options: ModelCallOptions): Promise<ModelStream> {
    await this.#interruption
    return this.responses.ask(options)
  }

  #forgetAnswer(): void {
    const playing = this.#answer?.playing(this.#ports.clock.now())
    if (playing) this.#ports.client.interrupted(playing.id)
    this.#answer = null
  }

  /** The client plays its buffered audio to the end, the log keeps that much, and the client receives the fault. */
  async #giveUp(fault: VoiceFault): Promise<void> {
    if (this.#answer) await this.#keepHeard(this.#answer.heard(Number.POSITIVE_INFINITY))
    this.#ports.client.fault(fault, isFinalFault(fault))
  }

  #newResponse(cancel: () => void): ProviderResponse {
    const { request, client, clock, link } = this.#ports
    const runId = request.session.state.lifecycle.run?.runId ?? ''
    if (this.#answer?.runId !== runId) {
      this.#keepAudio(this.#answer, clock.now())
      this.#answer = new SpokenAnswer(runId, request.format)
    }
    return new ProviderResponse(
      {
        answer: this.#answer,
        baseChars: answerChars(request, runId),
        now: () => clock.now(),
        audio: (item, bytes) => {
          link.touch()
          if (this.#isHungUp) return
          client.audio(item, bytes)
          this.#heard.add(runId, item, bytes)
        },
        onUnused: (usage) => this.#charge(usage),
      },
      cancel,
    )
  }
}

const NOTHING = { chars: 0, audioMs: 0 }

const answerChars = ({ session }: VoiceRequest, runId: string): number =>
  answerOf(session.state.conversation.messages, runId)?.content.length ?? 0
