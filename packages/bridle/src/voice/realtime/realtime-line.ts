// A line whose model hears and speaks. The provider hears the speaker, says where turns end, and writes them down; the words become
// prompts of the session, and the session's loop asks the same provider for the answers.
import {
  AUDIO_BYTES_PER_MS,
  type AudioFormat,
  type VoiceClient,
  type VoiceFault,
  type VoiceRequest,
} from '../../kernel/ports/voice.ts'
import type { Payloads } from '../../kernel/schemas.ts'
import { levelOf } from '../audio/level.ts'
import { LEAD_IN_MS, VOICE_LEVEL_MIN } from '../audio/limits.ts'
import { SampleReader } from '../audio/samples.ts'
import type { EngineLine, LinePorts, VoiceEngine } from '../engine.ts'
import { AudioKeeper } from '../keeping/audio-keeper.ts'
import { EARLY_AUDIO_BYTES_MAX } from '../limits.ts'
import { LinePrompts } from '../prompts.ts'
import { watchApprovals } from './approval-watch.ts'
import type { RealtimeConnection } from './connection.ts'
import { LineAnswers } from './line-answers.ts'
import { LineConnection } from './line-connection.ts'
import { objectOf, type RealtimeEvent, textOf } from './provider-events.ts'
import { EMPTY_TURN, eventFault, isFinalFault, lostFault } from './provider-faults.ts'
import type { RealtimeProvider } from './provider-socket.ts'
import { transcriptionCharge } from './response-usage.ts'
import { audioSettings, DEFAULT_MODEL, DEFAULT_VOICE } from './session-settings.ts'
import { SpeakerAudio } from './speaker-audio.ts'
import { SpeakerTurns } from './speaker-turns.ts'

export const realtimeEngine = (provider: RealtimeProvider): VoiceEngine<RealtimeLine> => ({
  open: async (request, client, ports, onClosed = () => {}) => {
    const line = new RealtimeLine(request, client, { ...ports, onClosed }, provider)
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
  readonly #connection: LineConnection
  readonly #prompts: LinePrompts
  readonly #turns: SpeakerTurns
  /** Null: the session does not ask for audio. */
  readonly #keeper: AudioKeeper | null
  readonly #speaker: SpeakerAudio | null
  /** The usage of words that are not in the log yet, by turn. */
  readonly #transcriptions = new Map<string, Payloads['usage']>()
  /** Audio that waits for a connection. */
  #early: Uint8Array[] = []
  #earlyBytes = 0
  /** The speaker has begun a turn, and not ended it. */
  #isTurnOpen = false
  /** The end of the turn is sent, and the provider has not confirmed it. */
  #isTurnEnding = false
  #isClosed = false
  readonly #stopWatch: () => void

  constructor(request: VoiceRequest, client: VoiceClient, ports: RealtimeLinePorts, provider: RealtimeProvider) {
    const { model = DEFAULT_MODEL, voice = DEFAULT_VOICE } = request
    this.model = model
    this.voice = voice
    this.#request = request
    this.#client = client
    this.#ports = ports
    this.#prompts = new LinePrompts(request, client, ports)
    this.#keeper = AudioKeeper.of(request, ports)
    this.#speaker = this.#keeper && new SpeakerAudio(request.format, request.turns)
    this.#turns = new SpeakerTurns({
      clock: ports.clock,
      onTurn: (id, text) => this.#addTurn(id, text),
      onLost: (id) => this.#loseTurn(id),
    })
    this.#connection = new LineConnection({
      ...{ provider, model, clock: ports.clock, settings: audioSettings(request) },
      onEvent: (event) => this.#handle(event),
      onLost: () => this.#handleLoss(),
      isBusy: () => this.answers.isBusy || this.#turns.size > 0,
    })
    this.answers = new LineAnswers({
      ...{
        ...ports,
        request,
        client,
        connection: this.#connection,
        modelId: model,
        whenHeard: () => this.#turns.whenKnown(),
      },
      keeper: this.#keeper,
    })
    this.#stopWatch = watchApprovals(request.session, (approval) => {
      this.answers.announce(approval).catch(() => {})
    })
  }

  /** Null: the provider is connected. */
  async connect(): Promise<VoiceFault | null> {
    const opened = await this.#connection.connect()
    return 'code' in opened ? opened : null
  }

  hear(audio: Uint8Array): Promise<void> | undefined {
    if (this.#isClosed || audio.length === 0) return
    if (this.#request.turns === 'manual') this.#openTurn()
    const connection = this.#connection.current
    if (!connection) return this.#hearLater(audio)
    // An open microphone sends silence, too: there the provider says when somebody speaks.
    if (this.#request.turns === 'manual') this.#connection.touch()
    this.#speaker?.hear(audio, connection)
    return connection.append(audio)
  }

  endTurn(): void {
    if (this.#isClosed) return
    if (!this.#isTurnOpen) return this.#client.fault(eventFault({ code: EMPTY_TURN }, this.model), false)
    this.#isTurnOpen = false
    this.#isTurnEnding = true
    this.#turns.end()
    const commit = (connection: RealtimeConnection) => {
      this.#speaker?.end(null)
      connection.send({ type: 'input_audio_buffer.commit' })
    }
    const connection = this.#connection.current
    // Audio of the next turn may follow at once.
    if (connection) commit(connection)
    else void this.#withConnection(commit)
  }

  async say(text: string): Promise<void> {
    if (this.#isClosed) return
    this.#connection.touch()
    await this.#prompts.submit(text, this.answers.interrupt('speech'))
  }

  interrupt(): Promise<void> {
    return this.answers.interrupt('request')
  }

  played(item: string, ms: number): void {
    this.answers.played(item, ms)
  }

  get isSpeaking(): boolean {
    return this.answers.isHeard
  }

  pause(): void {
    if (!this.#isTurnEnding) this.#dropEarly()
    if (this.#isTurnOpen) {
      this.#connection.current?.send({ type: 'input_audio_buffer.clear' })
      this.#speaker?.drop()
    }
    this.#isTurnOpen = false
    this.answers.pause()
  }

  resume(awayMs: number): void {
    this.answers.resume(awayMs)
  }

  close(isPlayed = false): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopWatch()
    if (!this.#isTurnEnding) this.#dropEarly()
    this.answers.hangUp(isPlayed)
    this.#closeConnection()
    this.#ports.onClosed()
  }

  /** Words that were said become a prompt all the same, and an answer that is being written is written to its end. */
  #closeConnection(): void {
    if (this.#isTurnEnding || this.#turns.size > 0) return
    void this.answers.whenIdle().then(() => this.#connection.close())
  }

  /** Silence opens no connection; the last moment of it belongs to the words that do. */
  #hearLater(audio: Uint8Array): Promise<void> | undefined {
    const { turns, format } = this.#request
    const isQuiet = turns === 'silence' && !this.#connection.isOpening && !isVoice(audio, format)
    const bytesMax = isQuiet ? LEAD_IN_MS * AUDIO_BYTES_PER_MS[format] : EARLY_AUDIO_BYTES_MAX
    this.#early.push(audio.slice())
    this.#earlyBytes += audio.length
    while (this.#early.length > 1 && this.#earlyBytes > bytesMax) this.#earlyBytes -= this.#early.shift()?.length ?? 0
    return isQuiet ? undefined : this.#withConnection(() => {})
  }

  #dropEarly(): void {
    this.#early = []
    this.#earlyBytes = 0
  }

  /** Connects where there is no connection; the audio that waited goes first. */
  async #withConnection(use: (connection: RealtimeConnection) => void): Promise<void> {
    const opened = await this.#connection.connect()
    const early = this.#early.splice(0)
    this.#earlyBytes = 0
    if (this.#isClosed && !this.#isTurnEnding) return
    if ('code' in opened) {
      this.#isTurnOpen = false
      this.#isTurnEnding = false
      // Several pieces of audio may have waited: the client hears of the fault once.
      if (early.length > 0) this.#client.fault(opened, isFinalFault(opened))
      return
    }
    for (const audio of early) {
      this.#speaker?.hear(audio, opened)
      opened.append(audio)
    }
    use(opened)
  }

  #handle(event: RealtimeEvent): void {
    if (event.type.startsWith('response.')) return this.answers.handle(event)
    if (this.#isClosed && !ENDS_OF_TURNS.has(event.type)) return
    this.#handleTurn(event)
    if (this.#isClosed) this.#closeConnection()
  }

  #handleTurn(event: RealtimeEvent): void {
    this.#connection.touch()
    this.#speaker?.handle(event)
    const id = textOf(event.item_id)
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this.#client.speech('started')
        return this.#openTurn()
      case 'input_audio_buffer.speech_stopped':
        return this.#client.speech('stopped')
      case 'input_audio_buffer.committed':
        if (this.#request.turns === 'silence') this.#isTurnOpen = false
        this.#isTurnEnding = false
        this.#connection.current?.conversation.addAudio(id)
        return this.#turns.committed(id)
      case 'conversation.item.input_audio_transcription.completed':
        // The prompt may create the session, which then pays for its words.
        this.#transcriptions.set(id, transcriptionCharge(objectOf(event.usage), textOf(event.transcript)))
        return this.#turns.transcribed(id, textOf(event.transcript))
      case 'conversation.item.input_audio_transcription.failed':
        return this.#turns.transcribed(id, '')
      case 'error':
        return this.#handleError(event)
    }
  }

  #handleError(event: RealtimeEvent): void {
    const error = objectOf(event.error)
    if (error.code === EMPTY_TURN) this.#isTurnEnding = false
    if (this.answers.handleError(error)) return
    const fault = eventFault(error, this.model)
    this.#client.fault(fault, isFinalFault(fault))
  }

  #openTurn(): void {
    if (this.#isTurnOpen) return
    this.#isTurnOpen = true
    void this.answers.interrupt('speech')
  }

  #addTurn(id: string, text: string): void {
    this.#connection.current?.conversation.addTurn(id, text)
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
    const connection = this.#connection.current
    for (const event of connection?.conversation.dropTurn(id) ?? []) connection?.send(event)
    this.#client.fault(NOT_UNDERSTOOD, false)
  }

  #handleLoss(): void {
    const wasSpeaking = this.#isTurnOpen || this.#isTurnEnding || this.#turns.size > 0
    this.#isTurnOpen = false
    this.#isTurnEnding = false
    this.#turns.clear()
    this.#transcriptions.clear()
    this.#speaker?.clear()
    this.answers.handleLoss()
    if (wasSpeaking && !this.#isClosed) this.#client.fault(lostFault(), false)
  }
}

const isVoice = (audio: Uint8Array, format: AudioFormat): boolean =>
  levelOf(new SampleReader(format).read(audio)) >= VOICE_LEVEL_MIN

/** The events with which the words of a turn come, also after its client has left. */
const ENDS_OF_TURNS: ReadonlySet<string> = new Set([
  'input_audio_buffer.committed',
  'conversation.item.input_audio_transcription.completed',
  'conversation.item.input_audio_transcription.failed',
  'error',
])

const NOT_UNDERSTOOD: VoiceFault = {
  code: 'speech_not_understood',
  message: 'Nobody could understand what was said. Say it again.',
}
