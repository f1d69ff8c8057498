// The calls that a function begins at the same moment, as with `Promise.all`: readers learn by a `tool_batch` that they belong together.
import type { ReportItem } from '../../kernel/commands.ts'
import { agentEventItem } from '../session-items.ts'

export class CallBatch {
  #calls = new Set<string>()
  #wave: number
  readonly #report: (item: ReportItem) => Promise<void>

  /** `waves`: how many batches the run has had before. */
  constructor(waves: number, report: (item: ReportItem) => Promise<void>) {
    this.#wave = waves
    this.#report = report
  }

  /** To be told of each new call, before anything else of it is awaited. */
  add(callId: string): void {
    if (this.#calls.size === 0) queueMicrotask(() => this.#flush())
    this.#calls.add(callId)
  }

  #flush(): void {
    const calls = [...this.#calls]
    this.#calls.clear()
    if (calls.length < 2) return
    this.#wave += 1
    // A run that has ended takes no reports.
    this.#report(agentEventItem('tool_batch', { tool_call_ids: calls, wave: this.#wave, mode: 'parallel' })).catch(
      () => {},
    )
  }
}
