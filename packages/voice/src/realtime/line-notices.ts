// Notices are spoken outside answers. They belong to no run, and the log has their events.
import type { LineNotice } from './approval-watch.ts'
import type { LineAnswersPorts } from './line-answers.ts'
import { lineNotice } from './notice.ts'
import type { ResponseEvent, ResponseUsage } from './provider.ts'
import { SpokenAnswer } from './spoken-answer.ts'

type LineNoticesPorts = Pick<LineAnswersPorts, 'clock' | 'client' | 'link' | 'request'>

export class LineNotices {
  readonly #ports: LineNoticesPorts
  readonly #charge: (usage: ResponseUsage) => void
  readonly #spoken: SpokenAnswer
  readonly #asked = new Set<string>()
  readonly #begun = new Set<string>()
  readonly #silent = new Set<string>()
  #isHungUp = false

  constructor(ports: LineNoticesPorts, charge: (usage: ResponseUsage) => void) {
    this.#ports = ports
    this.#charge = charge
    this.#spoken = new SpokenAnswer('', ports.request.format)
  }

  async announce(waiting: LineNotice): Promise<void> {
    const connection = await this.#ports.link.connect()
    if ('code' in connection || this.#isHungUp) return
    const notice = lineNotice(waiting)
    this.#asked.add(notice.response)
    connection.api.announce(notice)
  }

  handle(event: ResponseEvent): boolean {
    const { response } = event
    if (event.type === 'response_started' && this.#asked.delete(response)) this.#begun.add(response)
    if (!this.#begun.has(response)) return false
    if (event.type === 'audio') this.#speak(event)
    if (event.type === 'response_end') {
      this.#charge(event.usage)
      this.#silent.delete(response)
      this.#begun.delete(response)
    }
    return true
  }

  played(itemId: string, ms: number): void {
    const item = this.#spoken.item(itemId)
    if (item) item.playedMs = ms
  }

  /** How much of a notice was heard does not matter. */
  stop(now: number): void {
    const { link, client } = this.#ports
    for (const response of this.#begun) {
      this.#silent.add(response)
      link.current?.api.cancel(response)
    }
    const playing = this.#spoken.playing(now)
    if (!playing) return
    playing.stoppedMs = playing.heardMs(now)
    client.interrupted(playing.id)
  }

  hangUp(): void {
    this.#isHungUp = true
  }

  #speak({ response, item: id, audio }: Extract<ResponseEvent, { type: 'audio' }>): void {
    if (this.#isHungUp || this.#silent.has(response)) return
    const item = this.#spoken.item(id) ?? this.#spoken.addItem(id, 0)
    this.#spoken.addAudio(item, audio.length, this.#ports.clock.now())
    this.#ports.client.audio(id, audio)
  }
}
