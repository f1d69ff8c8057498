// The parrot's end of the connection, in the memory of the test.
import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonObject, parseObject, textOf } from '@bridle/events/json'
import { decodeBase64, encodeBase64 } from '@bridle/kernel/text/base64'
import { SILENCE_MS } from '../../spoken/limits.ts'
import { type ConnectProvider, ProviderRefusal, type ProviderSocketEvents } from '../provider-socket.ts'
import type { PlannedTurn } from '../provider-world.suite.ts'

/** 100 ms of PCM. */
const WORD_BYTES = 4_800
const BYTES_PER_MS = 48

export interface ParrotService {
  readonly connect: ConnectProvider
  drop(): void
}

export const parrotService = (
  key: string,
  plan: (n: number, history: readonly string[]) => PlannedTurn,
): ParrotService => {
  const open = new Set<ParrotCage>()
  return {
    connect: async ({ headers }, events) => {
      if (headers['x-parrot'] !== key) throw new ProviderRefusal(401)
      const cage = new ParrotCage(plan, {
        message: events.message,
        closed: () => {
          open.delete(cage)
          events.closed()
        },
      })
      open.add(cage)
      return {
        send: (text) => cage.hear(text),
        unsent: () => 0,
        close: () => {
          open.delete(cage)
          cage.close()
        },
      }
    },
    drop: () => {
      for (const cage of [...open]) cage.drop()
    },
  }
}

class ParrotCage {
  readonly #plan: (n: number, history: readonly string[]) => PlannedTurn
  readonly #events: ProviderSocketEvents
  #isOpen = true
  #waitsForPause = false
  #hasVoice = false
  #bytes = 0
  #quietMs = 0
  #asked = 0
  #isHushed = false
  #last: Promise<void> = Promise.resolve()

  constructor(plan: (n: number, history: readonly string[]) => PlannedTurn, events: ProviderSocketEvents) {
    this.#plan = plan
    this.#events = events
  }

  hear(message: string): void {
    const [word = '', ...rest] = message.split(' ')
    const json = parseObject(rest.join(' ')) ?? {}
    if (word === 'HELLO') {
      this.#waitsForPause = json.waitsForPause === true
      this.#tell('WELCOME')
    } else if (word === 'MIC') this.#listen(decodeBase64(textOf(json.sound)) ?? new Uint8Array())
    else if (word === 'OVER') this.#endTurn()
    else if (word === 'FORGET') this.#bytes = 0
    else if (word === 'HUSH') this.#isHushed = true
    else if (word === 'TELL') this.#next(() => this.#speak({ says: 'This call needs an approval.' }))
    else if (word === 'ASK') {
      const history = json.history as readonly string[]
      this.#next(() => this.#speak(this.#plan(this.#asked++, history)))
    }
  }

  close(): void {
    this.#isOpen = false
  }

  drop(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#events.closed()
  }

  #listen(audio: Uint8Array): void {
    this.#bytes += audio.length
    if (!this.#waitsForPause) return
    if (audio.some((byte) => byte !== 0)) {
      this.#quietMs = 0
      if (!this.#hasVoice) this.#tell('LISTENING')
      this.#hasVoice = true
      return
    }
    this.#quietMs += audio.length / BYTES_PER_MS
    if (!this.#hasVoice || this.#quietMs < SILENCE_MS) return
    this.#hasVoice = false
    this.#tell('QUIET')
    this.#endTurn()
  }

  #endTurn(): void {
    const isEmpty = this.#bytes === 0
    this.#bytes = 0
    if (isEmpty) this.#tell('OOPS', { words: 'no sound' })
    else this.#tell('HEARD', { words: this.#plan(this.#asked, []).heard ?? 'spoken words' })
  }

  #next(job: () => Promise<void>): void {
    this.#last = this.#last.then(job)
  }

  async #speak({ says, call, chunkMs = 1, dropsAfter }: PlannedTurn): Promise<void> {
    this.#isHushed = false
    const words = says === undefined && call ? [] : (says ?? 'Hello.').split(/(?<= )/)
    const sound = encodeBase64(new Uint8Array(WORD_BYTES))
    for (const [index, each] of words.entries()) {
      if (this.#isHushed || !this.#isOpen) break
      if (dropsAfter === index) return this.drop()
      this.#tell('SAY', { words: each, sound })
      await sleep(chunkMs)
    }
    if (call && !this.#isHushed)
      this.#tell('DO', { id: `call_${this.#asked}`, name: call.name, input: { ...call.args } })
    this.#tell('DONE', { isHushed: this.#isHushed, heard: 20, spoken: 10 })
  }

  /** Messages arrive later, and in order. */
  #tell(word: string, json: JsonObject = {}): void {
    const text = `${word} ${JSON.stringify(json)}`
    setImmediate(() => {
      if (this.#isOpen) this.#events.message(text)
    })
  }
}
