// The notices of a line: sentences that it speaks beside the answers. No run has them, and the log has their events.
import type { JsonObject } from '../../kernel/json.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { AudioFormat, VoiceClient } from '../../kernel/ports/voice.ts'
import { decodeBase64 } from '../../kernel/text/base64.ts'
import type { CallApproval } from './approval-watch.ts'
import { approvalRemark, isNotice, noticeRequest } from './notice.ts'
import { objectOf, type RealtimeEvent, responseIdOf, textOf } from './provider-json.ts'
import type { LineConnection } from './provider-link.ts'
import { SpokenAnswer } from './spoken-answer.ts'

export interface LineNoticesPorts {
  readonly clock: Clock
  readonly client: VoiceClient
  readonly connection: LineConnection
  readonly format: AudioFormat
  /** The tokens of a notice. */
  readonly charge: (tokens: JsonObject) => void
}

export class LineNotices {
  readonly #ports: LineNoticesPorts
  /** The notices that are spoken, or were. */
  readonly #spoken: SpokenAnswer
  /** The responses that are notices. */
  readonly #ids = new Set<string>()
  /** Notices that somebody spoke over. */
  readonly #silentIds = new Set<string>()
  #isHungUp = false

  constructor(ports: LineNoticesPorts) {
    this.#ports = ports
    this.#spoken = new SpokenAnswer('', ports.format)
  }

  /** A call waits for a person: the model knows, and the line says so. */
  async announce(approval: CallApproval): Promise<void> {
    const connection = await this.#ports.connection.connect()
    if ('code' in connection || this.#isHungUp) return
    for (const event of connection.conversation.remark(approvalRemark(approval))) connection.send(event)
    connection.send(noticeRequest(approval))
  }

  /** True: the event is that of a notice. */
  handle(event: RealtimeEvent): boolean {
    const id = responseIdOf(event)
    if (event.type === 'response.created' && isNotice(event)) this.#ids.add(id)
    if (!this.#ids.has(id)) return false
    if (event.type === 'response.output_audio.delta') this.#speak(event, id)
    if (event.type === 'response.done') {
      this.#ports.charge(objectOf(objectOf(event.response).usage))
      this.#silentIds.delete(id)
      this.#ids.delete(id)
    }
    return true
  }

  played(itemId: string, ms: number): void {
    const item = this.#spoken.item(itemId)
    if (item) item.playedMs = ms
  }

  /** Nobody needs to know how much of a notice was heard. */
  stop(now: number): void {
    const { connection, client } = this.#ports
    for (const id of this.#ids) {
      this.#silentIds.add(id)
      connection.current?.send({ type: 'response.cancel', response_id: id })
    }
    const playing = this.#spoken.playing(now)
    if (!playing) return
    playing.stoppedMs = playing.heardMs(now)
    client.interrupted(playing.id)
  }

  hangUp(): void {
    this.#isHungUp = true
  }

  #speak(event: RealtimeEvent, id: string): void {
    if (this.#isHungUp || this.#silentIds.has(id)) return
    const bytes = decodeBase64(textOf(event.delta))
    if (!bytes || bytes.length === 0) return
    const itemId = textOf(event.item_id)
    const item = this.#spoken.item(itemId) ?? this.#spoken.addItem(itemId, 0)
    this.#spoken.addAudio(item, bytes.length, this.#ports.clock.now())
    this.#ports.client.audio(itemId, bytes)
  }
}
