// The steps, sleeps and waits of a durable function as people see them: a `step_progress` where each begins and where it ends. A
// function that begins again reports nothing that the log has.
import type { ReportItem } from '../../kernel/commands.ts'
import { agentEventItem } from '../session-items.ts'
import type { RunMemo } from './memo.ts'

export class ShownSteps {
  readonly #memo: Pick<RunMemo, 'shownSteps'>
  #lastIndex: number

  constructor(memo: Pick<RunMemo, 'shownSteps'>) {
    this.#memo = memo
    this.#lastIndex = Math.max(0, ...[...memo.shownSteps.values()].map(({ index }) => index))
  }

  /** Empty where the log shows the step as running: its process ended in the middle of it. */
  begin(id: string, title: string): ReportItem[] {
    const { shownSteps } = this.#memo
    const known = shownSteps.get(id)
    if (known?.isOpen) return []
    // A step that is tried again keeps its number.
    const index = known?.index ?? this.#lastIndex + 1
    this.#lastIndex = Math.max(this.#lastIndex, index)
    shownSteps.set(id, { index, isOpen: true })
    return [agentEventItem('step_progress', { step_id: id, status: 'running', title, index })]
  }

  /** Empty where the step is not shown as running: it ended before, or an older version began it. */
  end(id: string, status: 'completed' | 'failed', title: string): ReportItem[] {
    const { shownSteps } = this.#memo
    const known = shownSteps.get(id)
    if (!known?.isOpen) return []
    shownSteps.set(id, { ...known, isOpen: false })
    return [agentEventItem('step_progress', { step_id: id, status, title, index: known.index })]
  }
}
