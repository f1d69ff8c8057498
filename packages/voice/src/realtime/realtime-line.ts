// A line with a realtime model. The provider listens, detects turns and transcribes them. The words become prompts, and
// the agent loop requests answers from the same provider.

import type { Payloads } from '@bridle/events/schemas'
import type { VoiceClient, VoiceFault, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { EngineLine, LinePorts, VoiceEngine } from '../engine.ts'
import { AudioKeeper } from '../keeping/audio-keeper.ts'
import { LinePrompts, TURN_LOST } from '../spoken/prompts.ts'
import { speechUsage } from '../spoken/speech-usage.ts'
import { type LineNotice, watchApprovals } from './approval-watch.ts'
import { isFinalFault, LOST, TURN_EMPTY } from './faults.ts'
import { LineAnswers } from './line-answers.ts'
import type { ProviderAccess, RealtimeEvent, SpeakerEvent } from './provider.ts'
import { ProviderLink } from './provider-link.ts'
import { SpeakerAudio } from './speaker-audio.ts'
import { SpeakerInput } from './speaker-input.ts'
import { SpeakerTurns } from './speaker-turns.ts'

export const realtimeEngine = (access: ProviderAccess): VoiceEngine<RealtimeLine> => ({
  open: async (request, client, ports, onClosed = () => {}) => {
    const line = new RealtimeLine(request, client, { ...ports, onClosed }, access)
    const fault = request.isResumed ? null : await line.connect()
    if (fault) line.close()
    return fault ?? line
  },
})

interface RealtimeLinePorts extends LinePorts {
  readonly onClosed: () => void
}

export class RealtimeLine implements EngineLine {
  readonly model: string
  readonly voice: string
  readonly kind = 'realtime'
  readonly answers: LineAnswers
  readonly #request: VoiceRequest
  readonly #client: VoiceClient
  readonly #ports: RealtimeLinePorts
  readonly #link: ProviderLink
  readonly #prompts: LinePrompts
  readonly #turns: SpeakerTurns
  readonly #keeper: AudioKeeper | null
  readonly #speaker: SpeakerAudio | null
  /** Transcription usage by turn, until the turn is logged. */
  readonly #transcriptions = new Map<string, Payloads['usage']>()
  readonly #input: SpeakerInput
  #isClosed = false
  readonly #stopWatch: () => void

  constructor(request: VoiceRequest, client: VoiceClient, ports: RealtimeLinePorts, access: ProviderAccess) {
    const { provider } = access
    const { model = provider.defaultModel, voice = provider.defaultVoice, format, turns } = request
    this.model = provider.currentModel?.(model) ?? model
    this.voice = voice
    this.#request = request
    this.#client = client
    this.#ports = ports
    this.#prompts = new LinePrompts(request, client, ports, (_runId, asks) => this.#announce({ asks }))
    this.#keeper = AudioKeeper.of(request, ports)
    this.#speaker = this.#keeper && new SpeakerAudio(request.format, request.turns)
    this.#turns = new SpeakerTurns({
      clock: ports.clock,
      onTurn: (id, text) => this.#addTurn(id, text),
      onLost: (id) => this.#loseTurn(id),
    })
    this.#link = new ProviderLink({
      ...{ access, model: this.model, clock: ports.clock, audio: { format, turns, voice } },
      onEvent: (event) => this.#handle(event),
      onLost: () => this.#handleLoss(),
      isBusy: () => this.answers.responses.isBusy || this.#turns.size > 0,
    })
    this.#input = new SpeakerInput({
      ...{ request, link: this.#link, speaker: this.#speaker },
      onBegin: () => void this.answers.interrupt('speech'),
      onLost: (fault) => {
        this.#turns.settleEnd()
        this.#client.fault(fault, isFinalFault(fault))
      },
    })
    this.answers = new LineAnswers({
      ...{ ...ports, request, client, link: this.#link, keeper: this.#keeper },
      ...{ label: provider.label, modelId: this.model },
      whenHeard: () => this.#turns.whenKnown(),
    })
    this.#stopWatch = watchApprovals(request.session, (notice) => this.#announce(notice))
  }

  async connect(): Promise<VoiceFault | null> {
    const opened = await this.#link.connect()
    return 'code' in opened ? opened : null
  }

  hear(audio: Uint8Array): Promise<void> | undefined {
    if (this.#isClosed || audio.length === 0) return
    return this.#input.hear(audio)
  }

  endTurn(): void {
    if (this.#isClosed) return
    if (!this.#input.end()) return this.#client.fault(TURN_EMPTY, false)
    if (this.#input.isEnding) this.#turns.end()
  }

  async say(text: string): Promise<void> {
    if (this.#isClosed) return
    this.#link.touch()
    await this.#prompts.submit(text, this.answers.interrupt('speech'))
  }

  interrupt(): Promise<void> {
    return this.answers.interrupt('request')
  }

  played(item: string, ms: number, isStopped?: boolean): void {
    this.answers.played(item, ms, isStopped)
  }

  get isInUse(): boolean {
    return this.answers.isHeard || this.#input.isMidSentence
  }

  pause(): void {
    if (this.#input.leave()) this.#client.fault(TURN_LOST, false)
    this.answers.pause()
  }

  resume(awayMs: number): void {
    this.answers.resume(awayMs)
  }

  close(isPlayed = false): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopWatch()
    this.#input.leave()
    this.answers.hangUp(isPlayed)
    this.#closeConnection()
    this.#ports.onClosed()
  }

  /** Pending speech still becomes a prompt, and an answer in progress is completed. */
  #closeConnection(): void {
    if (this.#input.isEnding || this.#turns.size > 0) return
    void this.answers.responses.whenIdle().then(() => this.#link.close())
  }

  #announce(notice: LineNotice): void {
    this.answers.notices.announce(notice).catch(() => {})
  }

  #handle(event: RealtimeEvent): void {
    if ('response' in event) return this.answers.handle(event)
    if (this.#isClosed && !ENDS_OF_TURNS.has(event.type)) return
    this.#link.touch()
    this.#speaker?.handle(event)
    this.#handleSpeaker(event)
    if (this.#isClosed) this.#closeConnection()
  }

  #handleSpeaker(event: SpeakerEvent): void {
    switch (event.type) {
      case 'speech_started':
        this.#client.speech('started')
        return this.#input.begin(this.#link.current)
      case 'speech_stopped':
        return this.#client.speech('stopped')
      case 'turn_committed':
        // A turn without an id never gets a transcript.
        if (event.turn === '') return
        this.#input.confirm()
        return this.#turns.committed(event.turn)
      case 'turn_text':
        // Charged after the prompt, which may create the session.
        if (event.transcription) {
          const { model, audioMs } = event.transcription
          const usage = speechUsage('transcription', model, { audioMs, chars: event.text.length })
          this.#transcriptions.set(event.turn, usage)
        }
        return this.#turns.transcribed(event.turn, event.text)
      case 'fault':
        return this.#handleFault(event.fault, event.request)
    }
  }

  #handleFault(fault: VoiceFault, request: string | null): void {
    if (fault.code === TURN_EMPTY.code) {
      this.#input.refuse()
      this.#turns.settleEnd()
    }
    if (!this.answers.responses.refuse(request, fault)) this.#client.fault(fault, isFinalFault(fault))
  }

  #addTurn(id: string, text: string): void {
    this.#link.current?.api.keepTurn(id, text)
    const usage = this.#transcriptions.get(id)
    this.#transcriptions.delete(id)
    const audio = this.#speaker?.take(id)
    void this.#prompts.submit(text, this.answers.interrupt('speech')).then((runId) => {
      if (audio && runId !== null) this.#keeper?.keep(runId, 'user', audio)
      if (usage) this.#ports.send(this.#request.key, { type: 'charge', usage }).catch(() => {})
    })
  }

  #loseTurn(id: string): void {
    this.#transcriptions.delete(id)
    this.#speaker?.take(id)
    this.#link.current?.api.dropTurn(id)
    this.#client.fault(NOT_UNDERSTOOD, false)
  }

  #handleLoss(): void {
    if (this.#request.turns === 'silence' && this.#input.isOpen) this.#client.speech('stopped')
    const isTurnLost = this.#input.lose() || this.#turns.size > 0
    this.#turns.clear()
    this.#transcriptions.clear()
    this.#speaker?.clear()
    this.answers.responses.handleLoss()
    if (isTurnLost && !this.#isClosed) this.#client.fault(LOST, false)
  }
}

/** Handled even after the client left, because they complete its turns. */
const ENDS_OF_TURNS: ReadonlySet<string> = new Set(['turn_committed', 'turn_text', 'fault'])

const NOT_UNDERSTOOD: VoiceFault = {
  code: 'speech_not_understood',
  message: 'Nobody could understand what was said. Say it again.',
}
