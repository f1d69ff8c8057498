// The entries and cuts of a conversation, in order. An edit may undo cuts, so what a cut replaced stays until it is released.
import type { AnyEvent, Event } from '@bridle/kernel/event'
import { approximateChars } from '@bridle/kernel/text/size'
import type { StepContent } from '../../model/model.ts'
import { type Cut, cutOf } from '../context/cut.ts'
import type { Entry } from '../context/entry.ts'
import { View } from '../context/view.ts'

/** An event of which the conversation keeps one value. */
interface Mark<T> {
  readonly run: string
  readonly seq: number
  readonly value: T
}

export class EntryList {
  readonly view = new View()
  #entries: Entry[] = []
  #cuts: Cut[] = []
  /** The cut for which everything that it replaced is forgotten. */
  #released: Cut | null = null
  #artifacts: Mark<string>[] = []
  /** Warnings that the window is nearly full, with their percentages. */
  #warnings: Mark<number>[] = []

  get last(): Entry | null {
    return this.#entries.at(-1) ?? null
  }

  /** The prompt of the turn in progress, or of the last one. */
  get lastPrompt(): Entry | null {
    return this.#entries.findLast(({ kind }) => kind === 'prompt') ?? null
  }

  get lastSummary(): Cut | null {
    return this.#cuts.findLast(({ keptFrom }) => keptFrom > 0) ?? null
  }

  /** Artifacts that no summary lists yet and that were published before an event. */
  artifactsBefore(seq: number): readonly string[] {
    return this.#artifacts.filter((each) => each.seq < seq).map(({ value }) => value)
  }

  /** The highest percentage of which readers were warned since the last cut. */
  get warnedPct(): number {
    const since = this.#cuts.at(-1)?.seq ?? 0
    return this.#warnings.reduce((most, { seq, value }) => (seq > since ? Math.max(most, value) : most), 0)
  }

  /** The first event that a reader needs, where the model sees the entries from an event on and the prompt of the turn. */
  readFrom(keptFrom: number): number {
    const prompt = this.lastPrompt
    const kept = this.#entries.filter((entry) => entry.seq >= keptFrom || entry === prompt)
    return kept.reduce((first, { origin }) => Math.min(first, origin), keptFrom)
  }

  /** An edit took back a cut, and what that cut replaced is forgotten: the log has to be read again. */
  get isBroken(): boolean {
    return this.#released !== null && !this.#cuts.includes(this.#released)
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
    this.view.push(entry)
  }

  cut(event: Event<'context_compacted'>): void {
    this.#cuts.push(cutOf(event, this.lastPrompt))
    this.view.rebuild(this.#entries, this.#cuts)
  }

  addArtifact({ run = '', seq }: AnyEvent, value: string): void {
    this.#artifacts.push({ run, seq, value })
  }

  addWarning({ run = '', seq }: AnyEvent, value: number): void {
    this.#warnings.push({ run, seq, value })
  }

  /** Only the first characters of the run's answer were heard: the model remembers no others. */
  interrupt(
    run: string,
    heard: string,
    end: Omit<Entry & { kind: 'step' }, 'kind' | 'run' | 'content' | 'calls'>,
  ): void {
    let start = 0
    this.#entries = this.#entries.flatMap((entry): Entry[] => {
      if (entry.run !== run || entry.kind !== 'step') return [entry]
      const from = start
      const hasText = entry.content.some(({ type }) => type === 'text')
      start = entry.endChars ?? (hasText ? Number.POSITIVE_INFINITY : from)
      if (start <= heard.length) return [entry]
      const content = withText(entry.content, heard.slice(from).trim())
      return content.length > 0 ? [{ ...entry, content }] : []
    })
    // The step that was cut off is not in the log.
    const rest = heard.slice(start).trim()
    if (rest !== '')
      this.#entries.push({ kind: 'step', run, content: [{ type: 'text', text: rest }], calls: [], ...end })
    this.view.rebuild(this.#entries, this.#cuts)
  }

  /** Drops the entries of these runs from an event on, and their cuts. False: there were no such entries. */
  rewind(runIds: readonly string[], from: number): boolean {
    const count = this.#entries.length
    this.#entries = this.#entries.filter(({ run, seq }) => !runIds.includes(run) || seq < from)
    const isKept = ({ run }: { readonly run: string }) => !runIds.includes(run)
    this.#cuts = this.#cuts.filter(isKept)
    this.#artifacts = this.#artifacts.filter(isKept)
    this.#warnings = this.#warnings.filter(isKept)
    this.view.rebuild(this.#entries, this.#cuts)
    return this.#entries.length < count
  }

  /** Forgets everything that the last summary replaced. False: there is nothing to forget. */
  release(): boolean {
    const cut = this.lastSummary
    if (!cut || cut === this.#released) return false
    this.#released = cut
    this.#entries = this.#entries.filter((entry) => entry.seq >= cut.keptFrom || entry === cut.prompt)
    this.#cuts = this.#cuts.filter(({ seq }) => seq >= cut.readFrom)
    this.#artifacts = this.#artifacts.filter(({ seq }) => seq >= cut.keptFrom)
    this.#warnings = this.#warnings.filter(({ seq }) => seq > cut.seq)
    return true
  }

  clear(): void {
    this.#released = null
    this.#entries = []
    this.#cuts = []
    this.#artifacts = []
    this.#warnings = []
    this.view.rebuild([], [])
  }

  messages(): Set<object> {
    return new Set(this.#entries.flatMap((entry) => (entry.kind === 'step' ? [] : [entry.message])))
  }

  chars(): number {
    return this.#entries.reduce((sum, entry) => sum + approximateChars(entry), 0)
  }
}

/** The step with this text instead of its own; its calls are facts, and stay. */
const withText = (content: readonly StepContent[], text: string): readonly StepContent[] => {
  const at = content.findIndex(({ type }) => type === 'text')
  return content.flatMap((each, index): StepContent[] => {
    if (each.type === 'reasoning') return []
    if (each.type !== 'text') return [each]
    return index === at && text !== '' ? [{ type: 'text', text }] : []
  })
}
